// Makes the rows of a pencil. Included once for each instruction set.
#if defined(PENCILBOX_BUILD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_BUILD_INL
#undef PENCILBOX_BUILD_INL
#else
#define PENCILBOX_BUILD_INL
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <hwy/highway.h>

#include "neighbor/vectors/rows.hpp"
#include "neighbor/vectors/stage-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// For each choice of eight lanes their numbers, those that are chosen first.
constexpr auto make_true_lanes() {
  std::array<std::array<std::uint8_t, 8>, 256> numbers{};
  for (std::size_t choice = 0; choice < numbers.size(); ++choice) {
    std::size_t found = 0;
    for (std::uint8_t lane = 0; lane < 8; ++lane) {
      if ((choice >> lane & 1U) != 0) numbers[choice][found++] = lane;
    }
  }
  return numbers;
}
inline constexpr auto true_lanes = make_true_lanes();

/// The sources around a pencil in floats: to find who is within reach, with a margin for what a
/// float rounds.
template <class Real>
class SourcesAround {
 public:
  SourcesAround(const PlacedParticles<Real>& particles, const Pencil& pencil, double radius,
                RowScratch& scratch)
      : grid_(particles.grid),
        layout_(particles, pencil),
        scratch_(scratch),
        staged_(scratch.around) {
    stage(particles, layout_, staged_);
    const float rounding = 1e-6F * square_all();
    reach_squared_ = static_cast<float>(radius * radius) + rounding;
  }

  /// Particles of cell x of the pencil's run along a curve that goes up one column and down the
  /// next; the columns are as wide as four particles in a row are long.
  const std::vector<std::pair<float, Index>>& targets_along_a_curve(Index x) const {
    auto& along = scratch_.along;
    along.clear();
    const IndexRange home = layout_.particles(NeighborhoodLayout::run_of_pencil, x);
    const auto middle =
        static_cast<float>(static_cast<double>(layout_.steps_x(x)) * grid_.exact_side.x);
    const auto count = static_cast<float>(home.end - home.begin);
    const Vec3<float> side = grid_.exact_side.template to<float>();
    const float edge = std::cbrt(targets_of_a_row * side.x * side.y * side.z / count);
    const auto columns = [&](float length) {
      return std::clamp(static_cast<int>(std::lround(length / edge)), 1, 64);
    };
    const int x_columns = columns(side.x), y_columns = columns(side.y);
    const float above = 4.0F * side.z;  // a column's length, and more
    for (Index particle = home.begin; particle < home.end; ++particle) {
      const Vec3<float> at = position(layout_.place_of_own(particle));
      const int y = column_of(at.y, side.y, y_columns);
      const int right = column_of(at.x - middle, side.x, x_columns);
      const int column = y * x_columns + (y % 2 == 0 ? right : x_columns - 1 - right);
      const float height = std::clamp(at.z, -side.z, side.z);
      along.emplace_back(static_cast<float>(column) * above + (column % 2 == 0 ? height : -height),
                         particle);
    }
    std::sort(along.begin(), along.end());
    return along;
  }

  /// Stores the targets, which are in cell x of the pencil's run, what is within reach of any and
  /// none of them, and padding; returns how many sources there are.
  HWY_INLINE Index row_of(Index x, RowTargets& targets, RowEntry* row, Index capacity) const {
    const Corners corners = corners_of(targets);
    const TargetLanes own = lanes_of(targets);
    RowEntry* const sources = row + targets_of_a_row;
    Index length = 0;
    for (Index run = 0; run < NeighborhoodLayout::runs; ++run) {
      const float y = gap(corners.lower.y, corners.upper.y, layout_.pencil().first.y,
                          layout_.steps_y(run), grid_.cells.y, grid_.side.y, grid_.periodic.y);
      const float z = gap(corners.lower.z, corners.upper.z, layout_.pencil().first.z,
                          layout_.steps_z(run), grid_.cells.z, grid_.side.z, grid_.periodic.z);
      if (y * y + z * z > reach_squared_) continue;
      const IndexRange places{layout_.begin(run, x - 1), layout_.begin(run, x + 2)};
      length += append_places(own, places, run == NeighborhoodLayout::run_of_pencil, sources,
                              length, capacity);
    }
    targets.length = length;
    begin_row(targets, row);
    if (length <= capacity) {
      std::fill_n(sources + length, RowMemory::padding_behind, entry_of(layout_.padding()));
    }
    return length;
  }

 private:
  using Tag = hn::ScalableTag<float>;
  using Words = hn::RebindToUnsigned<Tag>;
  static constexpr Index lanes = static_cast<Index>(hn::MaxLanes(Tag()));
  static constexpr int bits_of_an_entry = std::countr_zero(entries_of_a_place);

  struct Corners {
    Vec3<float> lower, upper;
  };

  /// Each target t in all lanes: -2 t, and t^2 less the reach squared.
  struct TargetLanes {
    TargetLanes() {}  // not defaulted: it is to be compiled for this instruction set
    hn::Vec<Tag> x[targets_of_a_row], y[targets_of_a_row], z[targets_of_a_row];
    hn::Vec<Tag> square[targets_of_a_row];
    hn::Vec<Words> place[targets_of_a_row];
  };

  static int column_of(float coordinate, float side, int columns) {
    const float column = (coordinate / side + 0.5F) * static_cast<float>(columns);
    return static_cast<int>(std::clamp(column, 0.0F, static_cast<float>(columns - 1)));
  }

  /// Fills the squares of all distances from the middle; returns the largest.
  float square_all() {
    const Tag tag;
    scratch_.square.resize(staged_.x.size());
    auto largest = hn::Zero(tag);
    for (Index k = 0; k < layout_.places(); k += lanes) {
      const auto x = hn::LoadU(tag, staged_.x.data() + k);
      const auto y = hn::LoadU(tag, staged_.y.data() + k);
      const auto z = hn::LoadU(tag, staged_.z.data() + k);
      const auto square = hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z)));
      hn::StoreU(square, tag, scratch_.square.data() + k);
      const auto in = hn::FirstN(tag, static_cast<std::size_t>(layout_.places() - k));
      largest = hn::Max(largest, hn::IfThenElseZero(in, square));
    }
    return hn::GetLane(hn::MaxOfLanes(tag, largest));
  }

  Vec3<float> position(Index place) const {
    const auto k = static_cast<std::size_t>(place);
    return {staged_.x[k], staged_.y[k], staged_.z[k]};
  }
  Vec3<float> target(const RowTargets& targets, std::size_t t) const {
    return position(layout_.place_of_own(targets.particle[t]));
  }

  Corners corners_of(const RowTargets& targets) const {
    Corners corners{target(targets, 0), target(targets, 0)};
    for (std::size_t t = 1; t < targets_of_a_row; ++t) {
      const Vec3<float> at = target(targets, t);
      corners.lower = {std::min(corners.lower.x, at.x), std::min(corners.lower.y, at.y),
                       std::min(corners.lower.z, at.z)};
      corners.upper = {std::max(corners.upper.x, at.x), std::max(corners.upper.y, at.y),
                       std::max(corners.upper.z, at.z)};
    }
    return corners;
  }

  TargetLanes lanes_of(const RowTargets& targets) const {
    TargetLanes own;
    for (std::size_t t = 0; t < targets_of_a_row; ++t) {
      const Vec3<float> at = target(targets, t);
      own.x[t] = hn::Set(Tag(), -2.0F * at.x);
      own.y[t] = hn::Set(Tag(), -2.0F * at.y);
      own.z[t] = hn::Set(Tag(), -2.0F * at.z);
      own.square[t] = hn::Set(Tag(), dot(at, at) - reach_squared_);
      own.place[t] = hn::Set(Words(), entry_of(layout_.place_of_own(targets.particle[t])));
    }
    return own;
  }

  /// In one direction, between the targets and the cells `step` cells away: nobody there is nearer.
  /// Cells at an open face have no bound on that side.
  float gap(float lower, float upper, Index home, Index step, Index cells, double side,
            bool periodic) const {
    const auto length = static_cast<float>(side);
    const float begin = (static_cast<float>(step) - 0.5F) * length, end = begin + length;
    const bool open_below = !periodic && home + step == 0;
    const bool open_above = !periodic && home + step == cells - 1;
    float far = 0.0F;
    if (!open_below) far = std::max(far, begin - upper);
    if (!open_above) far = std::max(far, lower - end);
    return far;
  }

  void begin_row(const RowTargets& targets, RowEntry* entry) const {
    for (Index t = 0; t < targets_of_a_row; ++t) {
      const Index particle = targets.particle[static_cast<std::size_t>(t)];
      entry[t] = entry_of(t < targets.count ? layout_.place_of_own(particle) : layout_.padding());
    }
  }

  Index append_places(const TargetLanes& targets, const IndexRange& places, bool are_targets_there,
                      RowEntry* row, Index length, Index capacity) const {
    const Tag tag;
    const Words words;
    const Index begin = places.begin, end = places.end;
    const auto last = hn::Set(words, entry_of(end));
    const float* const all_x = staged_.x.data();
    const float* const all_y = staged_.y.data();
    const float* const all_z = staged_.z.data();
    const float* const all_squares = scratch_.square.data();
    const auto step = hn::Set(words, entry_of(lanes));
    auto next = hn::Add(hn::ShiftLeft<bits_of_an_entry>(hn::Iota(words, 0)),
                        hn::Set(words, entry_of(begin)));
    Index found = 0;
    for (Index k = begin; k < end; k += lanes) {
      const auto place = next;
      next = hn::Add(next, step);
      const auto x = hn::LoadU(tag, all_x + k);
      const auto y = hn::LoadU(tag, all_y + k);
      const auto z = hn::LoadU(tag, all_z + k);
      const auto below = [&](int t) {  // (s - t)^2 - reach^2, without s^2
        const auto xy = hn::MulAdd(y, targets.y[t], hn::MulAdd(x, targets.x[t], targets.square[t]));
        return hn::MulAdd(z, targets.z[t], xy);
      };
      const auto nearest = hn::Min(hn::Min(below(0), below(1)), hn::Min(below(2), below(3)));
      const auto square = hn::LoadU(tag, all_squares + k);
      const auto is_near = hn::Le(hn::Add(nearest, square), hn::Zero(tag));
      auto is_source = hn::And(hn::RebindMask(words, is_near), hn::Lt(place, last));
      if (are_targets_there) {
        for (const auto& own : targets.place) is_source = hn::And(is_source, hn::Ne(place, own));
      }
      if (length + found > capacity) {
        found += static_cast<Index>(hn::CountTrue(words, is_source));
        continue;
      }
      found += append(place, is_source, row + length + found);
    }
    return found;
  }

  /// The lanes where it is true, one after the other; behind them anything.
  static Index append(const hn::Vec<Words>& place, const hn::Mask<Words>& is_source, RowEntry* to) {
    const Words words;
    if constexpr (lanes > 8 || lanes == 1) {
      // In a register first: straight to memory takes a hundred cycles on Zen 4.
      hn::StoreU(hn::Compress(place, is_source), words, to);
      return static_cast<Index>(hn::CountTrue(words, is_source));
    } else {  // the library's own table goes to the stack at each use (GCC 12)
      std::uint8_t bits[8];
      hn::StoreMaskBits(words, is_source, bits);
      const std::uint8_t mask = lanes == 8 ? bits[0] : bits[0] & ((1U << lanes) - 1U);
      const hn::Rebind<std::uint8_t, Words> bytes;
      const auto which = hn::PromoteTo(words, hn::LoadU(bytes, true_lanes[mask].data()));
      hn::StoreU(hn::TableLookupLanes(place, hn::IndicesFromVec(words, which)), words, to);
      return static_cast<Index>(std::popcount(mask));
    }
  }

  GridView<double> grid_;
  NeighborhoodLayout layout_;
  RowScratch& scratch_;
  StagedNumbers<float>& staged_;
  float reach_squared_ = 0.0F;
};

template <class Real>
Index build_rows(const PlacedParticles<Real>& particles, double radius, const Pencil& pencil,
                 RowTargets* targets, const RowMemory& rows, RowScratch& scratch) {
  const SourcesAround<Real> around(particles, pencil, radius, scratch);
  Index longest = 0, number = 0, begin = 0;
  for (Index x = 1; x <= pencil.length; ++x) {
    const auto& along = around.targets_along_a_curve(x);
    for (std::size_t first = 0; first < along.size(); first += targets_of_a_row, ++number) {
      RowTargets& own = targets[number];
      own.count = static_cast<Index>(std::min<std::size_t>(targets_of_a_row, along.size() - first));
      for (std::size_t t = 0; t < targets_of_a_row; ++t) {
        own.particle[t] = along[first + (t < static_cast<std::size_t>(own.count) ? t : 0)].second;
      }
      own.begin = begin;
      const Index length = around.row_of(x, own, rows.entries + begin, rows.capacity);
      if (length <= rows.capacity) begin += RowMemory::entries_of(length);
      longest = std::max(longest, length);
    }
  }
  return longest;
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
