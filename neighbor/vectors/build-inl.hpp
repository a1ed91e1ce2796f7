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

#include "neighbor/vectors/compact-inl.hpp"
#include "neighbor/vectors/rows.hpp"
#include "neighbor/vectors/stage-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The sources around a pencil in floats: to find who is within reach, with a margin for what a
/// float rounds.
template <class Real>
class SourcesAround {
 public:
  SourcesAround(const PlacedParticles<Real>& particles, const Pencil& pencil, Index places_of_a_run,
                double radius, RowScratch& scratch)
      : grid_(particles.grid),
        layout_(particles, pencil, places_of_a_run),
        scratch_(scratch),
        staged_(scratch.around) {
    stage(particles, layout_, staged_);
    const float rounding = 1e-6F * square_all();
    reach_squared_ = static_cast<float>(radius * radius) + rounding;
  }

  /// Particles of the pencil, counted from its first, along a curve: who follow each other are near
  /// each other.
  const std::vector<Index>& along_a_curve() const {
    const Index first = layout_.place_of_own(layout_.first_own());
    const Vec3<float> side = grid_.exact_side.template to<float>();
    const float begin = (static_cast<float>(layout_.steps_x(1)) - 0.5F) * side.x;
    const PencilCurve curve({static_cast<float>(layout_.pencil().length) * side.x, side.y, side.z},
                            begin, layout_.own(), targets_of_a_row);
    const Index count = layout_.own();
    std::int32_t* const stretch = scratch_.order.reserve(count);
    const float* const x = staged_.x.data() + first;
    const float* const y = staged_.y.data() + first;
    const float* const z = staged_.z.data() + first;
    for (Index own = 0; own < count; ++own) stretch[own] = curve.stretch({x[own], y[own], z[own]});
    return scratch_.order.sort(curve.stretches());
  }
  Index particle(Index own) const { return layout_.first_own() + own; }

  /// Stores the targets, what is within reach of any and none of them, and padding; returns how
  /// many sources there are.
  /// `Entry`: as rows keep them.
  template <class Entry>
  HWY_INLINE Index row_of(RowTargets& targets, Entry* row, Index capacity) const {
    note_cells_within_reach(corners_of(targets));
    const TargetLanes own = lanes_of(targets);
    const SquaresOfTargets hidden = hide(targets);
    Entry* const sources = row + targets_of_a_row;
    targets.length = append_near(own, sources, capacity);
    show(targets, hidden);
    begin_row(targets, row);
    if (targets.length <= capacity) {
      std::fill_n(sources + targets.length, RowMemory::padding_behind,
                  static_cast<Entry>(entry_of(layout_.padding())));
    }
    return targets.length;
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
  };

  /// Fills the squares of all distances from the middle; returns the largest.
  float square_all() {
    const Tag tag;
    scratch_.square.resize(staged_.x.size());
    auto largest = hn::Zero(tag);
    for (Index run = 0; run < NeighborhoodLayout::runs; ++run) {
      const IndexRange places = layout_.places(run);
      for (Index k = places.begin; k < places.end; k += lanes) {
        const auto x = hn::LoadU(tag, staged_.x.data() + k);
        const auto y = hn::LoadU(tag, staged_.y.data() + k);
        const auto z = hn::LoadU(tag, staged_.z.data() + k);
        const auto square = hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z)));
        hn::StoreU(square, tag, scratch_.square.data() + k);
        const auto in = hn::FirstN(tag, static_cast<std::size_t>(places.end - k));
        largest = hn::Max(largest, hn::IfThenElseZero(in, square));
      }
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
    }
    return own;
  }

  /// In one direction, between the targets and cells `step` cells away: nobody there is nearer.
  /// Cells at an open face have no bound on that side.
  template <std::size_t count>
  std::array<float, count> squares_of_gaps(float lower, float upper, Index home, Index step,
                                           Index cells, double side, bool periodic) const {
    std::array<float, count> squares;
    const auto length = static_cast<float>(side);
    for (std::size_t k = 0; k < count; ++k, ++step) {
      const float begin = (static_cast<float>(step) - 0.5F) * length, end = begin + length;
      const bool open_below = !periodic && home + step == 0;
      const bool open_above = !periodic && home + step == cells - 1;
      const float far = std::max({0.0F, open_below ? 0.0F : begin - upper,  //
                                  open_above ? 0.0F : lower - end});
      squares[k] = far * far;
    }
    return squares;
  }

  /// Cells of a run that are no farther; none of them: an empty range.
  IndexRange cells_within(const std::array<float, NeighborhoodLayout::most_cells>& along_x,
                          float most_squared) const {
    unsigned within = 0;
    for (Index x = 0; x < layout_.cells(); ++x) {
      within |= (along_x[static_cast<std::size_t>(x)] <= most_squared ? 1U : 0U) << x;
    }
    return {std::countr_zero(within), static_cast<Index>(std::bit_width(within))};
  }

  template <class Entry>
  void begin_row(const RowTargets& targets, Entry* entry) const {
    for (Index t = 0; t < targets_of_a_row; ++t) {
      const Index particle = targets.particle[static_cast<std::size_t>(t)];
      const Index place = t < targets.count ? layout_.place_of_own(particle) : layout_.padding();
      entry[t] = static_cast<Entry>(entry_of(place));
    }
  }

  /// Notes where to look for sources, a vector of places at a time.
  HWY_INLINE void note_cells_within_reach(const Corners& corners) const {
    const auto& [lower, upper] = corners;
    const CellCoordinates& first = layout_.pencil().first;
    const auto x = squares_of_gaps<NeighborhoodLayout::most_cells>(
        lower.x, upper.x, first.x - layout_.steps_x(1), layout_.steps_x(0), grid_.cells.x,
        grid_.side.x, grid_.periodic.x);
    const auto y = squares_of_gaps<3>(lower.y, upper.y, first.y, -1, grid_.cells.y, grid_.side.y,
                                      grid_.periodic.y);
    const auto z = squares_of_gaps<3>(lower.z, upper.z, first.z, -1, grid_.cells.z, grid_.side.z,
                                      grid_.periodic.z);
    scratch_.candidates.clear();
    for (Index run = 0; run < NeighborhoodLayout::runs; ++run) {
      const float aside = y[static_cast<std::size_t>(layout_.steps_y(run) + 1)] +
                          z[static_cast<std::size_t>(layout_.steps_z(run) + 1)];
      const IndexRange cells = cells_within(x, reach_squared_ - aside);
      if (cells.begin >= cells.end) continue;
      note({layout_.begin(run, cells.begin), layout_.begin(run, cells.end)});
    }
  }

  /// Without a branch on how many there are, which cannot be foretold.
  HWY_INLINE void note(const IndexRange& places) const {
    const Index vectors = (places.end - places.begin + lanes - 1) / lanes;
    if (vectors == 0) return;
    const Words words;
    const hn::RebindToSigned<Words> counts;
    const auto step = hn::Mul(hn::Iota(words, 0), hn::Set(words, entry_of(lanes)));
    Candidates& noted = scratch_.candidates;
    noted.reserve(vectors + lanes);
    for (Index k = 0; k < vectors; k += lanes) {
      const auto first = hn::Set(words, entry_of(places.begin + k * lanes));
      hn::StoreU(hn::Add(first, step), words, noted.first.data() + noted.count + k);
      hn::StoreU(hn::Set(counts, lanes), counts, noted.lanes.data() + noted.count + k);
    }
    noted.count += vectors;
    noted.lanes[static_cast<std::size_t>(noted.count) - 1] =
        places.end - places.begin - (vectors - 1) * lanes;
  }

  /// Nobody is near a target's place as long as it is hidden.
  using SquaresOfTargets = std::array<float, targets_of_a_row>;
  SquaresOfTargets hide(const RowTargets& targets) const {
    SquaresOfTargets squares;
    for (std::size_t t = 0; t < targets_of_a_row; ++t) squares[t] = square_of(targets.particle[t]);
    for (const Index particle : targets.particle) square_of(particle) = 1e30F;
    return squares;
  }
  void show(const RowTargets& targets, const SquaresOfTargets& squares) const {
    for (std::size_t t = 0; t < targets_of_a_row; ++t) square_of(targets.particle[t]) = squares[t];
  }
  float& square_of(Index particle) const {
    return scratch_.square[static_cast<std::size_t>(layout_.place_of_own(particle))];
  }

  /// Of the candidates those near a target; what does not fit is counted.
  template <class Entry>
  HWY_INLINE Index append_near(const TargetLanes& targets, Entry* row, Index capacity) const {
    const Tag tag;
    const Words words;
    const float* const all_x = staged_.x.data();
    const float* const all_y = staged_.y.data();
    const float* const all_z = staged_.z.data();
    const float* const all_squares = scratch_.square.data();
    const RowEntry* const first = scratch_.candidates.first.data();
    const std::int32_t* const meant = scratch_.candidates.lanes.data();
    const hn::RebindToSigned<Words> counts;
    const auto number = hn::Iota(counts, 0);
    const auto lane = hn::ShiftLeft<bits_of_an_entry>(hn::Iota(words, 0));
    const Index vectors = scratch_.candidates.count;
    Index length = 0;
    for (Index n = 0; n < vectors; ++n) {
      const std::size_t k = first[n] / entries_of_a_place;
      const auto place = hn::Add(hn::Set(words, first[n]), lane);
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
      const auto is_meant = hn::Lt(number, hn::Set(counts, meant[n]));
      const auto is_source =
          hn::And(hn::RebindMask(words, is_near), hn::RebindMask(words, is_meant));
      if (length > capacity) {
        length += static_cast<Index>(hn::CountTrue(words, is_source));
      } else {
        length += store_chosen(words, place, is_source, row + length);
      }
    }
    return length;
  }

  GridView<double> grid_;
  NeighborhoodLayout layout_;
  RowScratch& scratch_;
  StagedNumbers& staged_;
  float reach_squared_ = 0.0F;
};

/// Returns the capacity that the longest row needs.
template <class Real>
Index build_rows(const PlacedParticles<Real>& particles, double radius, const Pencil& pencil,
                 Index places_of_a_run, RowTargets* targets, const RowMemory& rows,
                 RowScratch& scratch) {
  const SourcesAround<Real> around(particles, pencil, places_of_a_run, radius, scratch);
  const bool is_wide = entries_are_wide(NeighborhoodLayout::runs * places_of_a_run);
  Index longest = 0, begin = 0;
  RowTargets* own = targets;
  const auto& along = around.along_a_curve();
  for (std::size_t first = 0; first < along.size(); first += targets_of_a_row, ++own) {
    own->count = static_cast<Index>(std::min<std::size_t>(targets_of_a_row, along.size() - first));
    for (std::size_t t = 0; t < targets_of_a_row; ++t) {
      const std::size_t k = first + (t < static_cast<std::size_t>(own->count) ? t : 0);
      own->particle[t] = around.particle(along[k]);
    }
    own->begin = begin;
    KeptEntry* const row = rows.entries + begin;
    const Index most = is_wide ? rows.most_wide() : rows.capacity;
    const Index length = is_wide ? around.row_of(*own, reinterpret_cast<RowEntry*>(row), most)
                                 : around.row_of(*own, row, most);
    if (length <= most) begin += (is_wide ? 2 : 1) * RowMemory::entries_of(length);
    longest = std::max(longest, is_wide ? RowMemory::capacity_for_wide(length) : length);
  }
  return longest;
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
