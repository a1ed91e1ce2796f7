// Finds the sources of a brick's rows, each pair of the brick once. Included once for each
// instruction set.
#if defined(PENCILBOX_HALF_SEARCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_HALF_SEARCH_INL
#undef PENCILBOX_HALF_SEARCH_INL
#else
#define PENCILBOX_HALF_SEARCH_INL
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <hwy/highway.h>

#include "neighbor/vectors/compact-inl.hpp"
#include "neighbor/vectors/half_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A row as it was found: its targets, `inside` sources of the brick and `outside` others, padding.
struct FoundRow {
  const RowEntry* entries;
  Index targets;
  Index inside, outside;

  Index end() const { return targets_of_a_row + inside + outside; }
};

/// Where sources are looked for: in what is around a brick, by its columns. In floats, with a
/// margin for what they round. Who has been a target is hidden from all later rows, so that each
/// pair of the brick is found once.
class HalfSearch {
 public:
  /// Rows that share the places which they look through.
  static constexpr Index rows_of_a_group = 4;

  HalfSearch(const BrickLayout& layout, float largest_square, double radius, BrickScratch& scratch)
      : layout_(layout), order_(scratch.order), scratch_(scratch) {
    constexpr float rounding = 1e-6F;
    reach_squared_ = static_cast<float>(radius * radius) + rounding * largest_square;
  }

  /// visit(row) for all rows, a group at a time.
  template <class Visit>
  HWY_INLINE void operator()(const Visit& visit) const {
    const IndexRange own_y = layout_.y.own(), own_z = layout_.z.own();
    for (Index z = own_z.begin; z < own_z.end; ++z) {
      for (Index y = own_y.begin; y < own_y.end; ++y) {
        make_rows(y, z);
        const std::vector<Index>& along = rows_along_x();
        for (std::size_t first = 0; first < along.size(); first += rows_of_a_group) {
          const std::size_t count = std::min(along.size() - first, std::size_t{rows_of_a_group});
          note_places(&along[first], count, y, z);
          std::array<FoundRow, rows_of_a_group> found;
          RowEntry* entries = room_for_a_group();
          for (std::size_t k = 0; k < count; ++k) {
            found[k] = find(row(along[first + k]), entries);
            entries += found[k].end() + lanes;
          }
          for (std::size_t k = 0; k < count; ++k) visit(found[k]);
        }
      }
    }
  }

 private:
  using Tag = hn::ScalableTag<float>;
  using Words = hn::RebindToUnsigned<Tag>;
  static constexpr Index lanes = static_cast<Index>(hn::MaxLanes(Tag()));
  static constexpr int bits_of_an_entry = std::countr_zero(entries_of_a_place);
  static constexpr std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  /// Each target t in all lanes: -2 t, and t^2 less the reach squared.
  struct TargetLanes {
    TargetLanes() {}  // not defaulted: it is to be compiled for this instruction set
    hn::Vec<Tag> x[targets_of_a_row], y[targets_of_a_row], z[targets_of_a_row];
    hn::Vec<Tag> square[targets_of_a_row];
  };

  Vec3<float> position(Index place) const {
    const StagedNumbers& around = scratch_.around;
    return {around.x[at(place)], around.y[at(place)], around.z[at(place)]};
  }

  /// The rows of a column, along a curve through it.
  HWY_NOINLINE void make_rows(Index y, Index z) const {
    const IndexRange places = order_.places(order_.own(), y, z);
    const Index count = places.count();
    std::vector<RowInColumn>& rows = scratch_.rows;
    rows.clear();
    if (count == 0) return;
    const IndexRange own_x = layout_.x.own();
    const float begin = layout_.x.at(own_x.begin), end = layout_.x.at(own_x.end);
    const auto side_y = static_cast<float>(layout_.y.side());
    const auto side_z = static_cast<float>(layout_.z.side());
    const PencilCurve curve({end - begin, side_y, side_z}, begin, count, targets_of_a_row);
    const Vec3<float> middle{0.0F, layout_.y.at(y) + 0.5F * side_y,
                             layout_.z.at(z) + 0.5F * side_z};
    std::int32_t* const stretch = scratch_.along_a_curve.reserve(count);
    for (Index k = 0; k < count; ++k) {
      stretch[k] = curve.stretch(position(places.begin + k) - middle);
    }
    const std::vector<std::int32_t>& along = scratch_.along_a_curve.sort(curve.stretches());
    for (Index first = 0; first < count; first += targets_of_a_row) {
      RowInColumn row;
      row.count = std::min(targets_of_a_row, count - first);
      for (Index t = 0; t < targets_of_a_row; ++t) {
        row.place[at(t)] = places.begin + along[at(first + (t < row.count ? t : 0))];
      }
      row.lower = row.upper = position(row.place[0]).x;
      for (Index t = 1; t < row.count; ++t) {
        const float x = position(row.place[at(t)]).x;
        row.lower = std::min(row.lower, x);
        row.upper = std::max(row.upper, x);
      }
      rows.push_back(row);
    }
  }

  /// Their numbers from one end of the column to the other: who follow each other look at the same
  /// places.
  const std::vector<Index>& rows_along_x() const {
    const std::vector<RowInColumn>& rows = scratch_.rows;
    const auto count = static_cast<Index>(rows.size());
    constexpr Index for_each = 4;
    const Index last = for_each * count - 1;
    const IndexRange own = layout_.x.own();
    const float begin = layout_.x.at(own.begin);
    const float per_length = static_cast<float>(last) / (layout_.x.at(own.end) - begin);
    Index* const stretch = scratch_.along_x.reserve(count);
    for (Index k = 0; k < count; ++k) {
      const float at_x = (row(k).lower - begin) * per_length;
      stretch[k] = static_cast<Index>(std::min(std::max(0.0F, at_x), static_cast<float>(last)));
    }
    return scratch_.along_x.sort(last + 1);
  }
  const RowInColumn& row(Index number) const { return scratch_.rows[at(number)]; }

  /// Where the rows of a group of column (y, z) may find sources: inside in this column and later
  /// ones, outside in all that are near. Together the rows are about as wide as the column, so what
  /// is next to it is near them.
  HWY_NOINLINE void note_places(const Index* rows, std::size_t count, Index y, Index z) const {
    float lower = row(*rows).lower, upper = row(*rows).upper;
    for (std::size_t k = 1; k < count; ++k) {
      lower = std::min(lower, row(rows[k]).lower);
      upper = std::max(upper, row(rows[k]).upper);
    }
    constexpr float apart = 1e-4F;  // what bins and coordinates round apart [bins]
    const float reach = std::sqrt(reach_squared_) + apart / order_.bins_per_length();
    const IndexRange bins = order_.between(lower - reach, upper + reach);
    const IndexRange own = bins.within(order_.own());
    const IndexRange before = bins.within(order_.before()), behind = bins.within(order_.behind());
    PlacesToTest& to = scratch_.to_test;
    to.clear();
    note(own, y, z, to);
    if (order_.is_own(y + 1, z)) note(own, y + 1, z, to);
    for (Index aside = -1; aside <= 1; ++aside) {
      if (order_.is_own(y + aside, z + 1)) note(own, y + aside, z + 1, to);
    }
    to.inside = to.count;
    for (Index up = -1; up <= 1; ++up) {
      for (Index aside = -1; aside <= 1; ++aside) {
        if (!order_.is_own(y + aside, z + up)) {
          note(bins, y + aside, z + up, to);
        } else {
          if (before.begin < before.end) note(before, y + aside, z + up, to);
          if (behind.begin < behind.end) note(behind, y + aside, z + up, to);
        }
      }
    }
  }

  /// Without a branch on how many there are, which cannot be foretold.
  HWY_INLINE void note(const IndexRange& bins, Index y, Index z, PlacesToTest& to) const {
    const IndexRange places = order_.places(bins, y, z);
    const Index vectors = (places.count() + lanes - 1) / lanes;
    const hn::RebindToSigned<Words> numbers;
    to.reserve(vectors + lanes);
    const auto step = hn::Mul(hn::Iota(numbers, 0), hn::Set(numbers, lanes));
    Index k = 0;
    do {
      hn::StoreU(hn::Add(hn::Set(numbers, places.begin + k * lanes), step), numbers,
                 to.first.data() + to.count + k);
      k += lanes;
    } while (k < vectors);
    to.count += vectors;
  }

  HWY_NOINLINE FoundRow find(const RowInColumn& row, RowEntry* entries) const {
    for (const Index place : row.place) scratch_.square[at(place)] = 1e30F;
    const PlacesToTest& places = scratch_.to_test;
    const RowEntry padding = entry_of(order_.gaps().front());
    for (Index t = 0; t < targets_of_a_row; ++t) {
      entries[t] = t < row.count ? entry_of(row.place[at(t)]) : padding;
    }
    const TargetLanes targets = lanes_of(row);
    RowEntry* const sources = entries + targets_of_a_row;
    const Index inside = append_near(targets, 0, places.inside, sources);
    const Index all = inside + append_near(targets, places.inside, places.count, sources + inside);
    std::fill_n(sources + all, lanes, padding);
    return {entries, row.count, inside, all - inside};
  }

  RowEntry* room_for_a_group() const {
    const std::size_t most = at(targets_of_a_row + (scratch_.to_test.count + 2) * lanes);
    if (scratch_.row.size() < rows_of_a_group * most)
      scratch_.row.resize(2 * rows_of_a_group * most);
    return scratch_.row.data();
  }

  TargetLanes lanes_of(const RowInColumn& row) const {
    TargetLanes own;
    for (std::size_t t = 0; t < targets_of_a_row; ++t) {
      const Vec3<float> here = position(row.place[t]);
      own.x[t] = hn::Set(Tag(), -2.0F * here.x);
      own.y[t] = hn::Set(Tag(), -2.0F * here.y);
      own.z[t] = hn::Set(Tag(), -2.0F * here.z);
      own.square[t] = hn::Set(Tag(), dot(here, here) - reach_squared_);
    }
    return own;
  }

  /// Of the places of some vectors; returns how many are near. May write a vector more.
  HWY_INLINE Index append_near(const TargetLanes& targets, Index begin, Index end,
                               RowEntry* row) const {
    const Tag tag;
    const Words words;
    const float* const all_x = scratch_.around.x.data();
    const float* const all_y = scratch_.around.y.data();
    const float* const all_z = scratch_.around.z.data();
    const float* const squares = scratch_.square.data();
    const Index* const first = scratch_.to_test.first.data();
    const auto lane = hn::ShiftLeft<bits_of_an_entry>(hn::Iota(words, 0));
    Index length = 0;
    for (Index n = begin; n < end; ++n) {
      const Index k = first[n];
      const auto x = hn::LoadU(tag, all_x + k);
      const auto y = hn::LoadU(tag, all_y + k);
      const auto z = hn::LoadU(tag, all_z + k);
      const auto below = [&](int t) {  // (s - t)^2 - reach^2, without s^2
        const auto xy = hn::MulAdd(y, targets.y[t], hn::MulAdd(x, targets.x[t], targets.square[t]));
        return hn::MulAdd(z, targets.z[t], xy);
      };
      const auto nearest = hn::Min(hn::Min(below(0), below(1)), hn::Min(below(2), below(3)));
      const auto is_near = hn::Le(hn::Add(nearest, hn::LoadU(tag, squares + k)), hn::Zero(tag));
      const auto entry = hn::Add(hn::Set(words, entry_of(k)), lane);
      length += store_chosen(words, entry, hn::RebindMask(words, is_near), row + length);
    }
    return length;
  }

  const BrickLayout& layout_;
  const BrickOrder& order_;
  BrickScratch& scratch_;
  float reach_squared_ = 0.0F;
};

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
