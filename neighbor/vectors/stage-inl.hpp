// Fetches a neighbourhood. Included once for each instruction set.
#if defined(PENCILBOX_STAGE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_STAGE_INL
#undef PENCILBOX_STAGE_INL
#else
#define PENCILBOX_STAGE_INL
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include <hwy/highway.h>

#include "neighbor/vectors/lanes-inl.hpp"
#include "neighbor/vectors/neighborhood.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Rounded once. May write a vector less one behind the last.
template <class State>
HWY_INLINE void stage_coordinate(const State* from, Index count, double shift, float* to) {
  const hn::ScalableTag<State> tag;
  const hn::Rebind<float, decltype(tag)> floats;
  constexpr auto lanes = static_cast<Index>(hn::MaxLanes(tag));
  const auto by = hn::Set(tag, static_cast<State>(shift));
  for (Index k = 0; k < count; k += lanes) {
    const auto moved = hn::Add(load_first(tag, from + k, count - k), by);
    if constexpr (std::is_same_v<State, float>) {
      hn::StoreU(moved, floats, to + k);
    } else {
      hn::StoreU(hn::DemoteTo(floats, moved), floats, to + k);
    }
  }
}

/// visit(first place, particles, cells to it in x, run) for cells of the neighbourhood, in their
/// order.
template <class Visit>
HWY_INLINE void for_each_cell_around(const NeighborhoodLayout& layout, const Visit& visit) {
  for (Index run = 0; run < NeighborhoodLayout::runs; ++run) {
    for (Index x = 0; x < layout.cells(); ++x) {
      visit(layout.begin(run, x), layout.particles(run, x), layout.steps_x(x), run);
    }
  }
}

/// Cells in their order, each over what was written behind the one before.
template <class State>
void stage(const PlacedParticles<State>& particles, const NeighborhoodLayout& layout,
           StagedNumbers& staged) {
  staged.reserve(layout.places());
  const Vec3<double> side = particles.grid.exact_side;
  const auto& from = particles.position;
  for_each_cell_around(layout, [&](Index place, IndexRange cell, Index x, Index run) {
    const Index count = cell.end - cell.begin;
    const double y = NeighborhoodLayout::steps_y(run), z = NeighborhoodLayout::steps_z(run);
    stage_coordinate(from.x + cell.begin, count, x * side.x, staged.x.data() + place);
    stage_coordinate(from.y + cell.begin, count, y * side.y, staged.y.data() + place);
    stage_coordinate(from.z + cell.begin, count, z * side.z, staged.z.data() + place);
  });
}

/// Moves particles from their cells to places in a neighbourhood.
template <class Real, Digits digits>
class WordsOfCells {
 public:
  template <class State>
  explicit WordsOfCells(const PlacedParticles<State>& particles) {
    const GridView<double>& grid = particles.grid;
    if constexpr (is_whole) {
      const WholeCoordinates whole(particles);
      per_spacing_ = static_cast<Real>(1.0 / whole.spacing());
      side_ = {whole.nearest(grid.exact_side.x), whole.nearest(grid.exact_side.y),
               whole.nearest(grid.exact_side.z)};
    } else {
      side_ = grid.exact_side.template to<Real>();
    }
    for (Index k = 0; k < lanes + of_a_word; ++k) {
      const Index component = k % of_a_word;
      sides_x_[k] = component == 0 ? side_.x : Shift(0);
      sides_y_[k] = component == 1 ? side_.y : Shift(0);
      sides_z_[k] = component == 2 ? side_.z : Shift(0);
      is_type_[k] = component == 3 ? Real(1) : Real(0);
    }
  }

  /// A cell so many steps away, from words. May write three words behind the last.
  void operator()(const PackedPosition<Real>* from, Index count, Index x, Index y, Index z,
                  PackedPosition<Real>* to) const {
    const Tag tag;
    const Shifts shifts;
    const Real* const numbers = &from->position.x;
    Real* const moved = &to->position.x;
    for (Index lane = 0; lane < of_a_word; lane += lanes) {
      const auto times = [&](Index steps, const Shift* sides) {
        return hn::Mul(hn::Set(shifts, static_cast<Shift>(steps)), hn::LoadU(shifts, sides + lane));
      };
      const auto shift =
          hn::Add(times(x, sides_x_), hn::Add(times(y, sides_y_), times(z, sides_z_)));
      const auto type = hn::Ne(hn::LoadU(tag, is_type_ + lane), hn::Zero(tag));
      for (Index k = lane; k < of_a_word * count; k += std::max(lanes, of_a_word)) {
        const auto number = load_first(tag, numbers + k, of_a_word * count - k);
        const auto place = hn::BitCast(tag, hn::Add(in_shifts(Lanes<Real>(number)), shift));
        hn::StoreU(hn::IfThenElse(type, number, place), tag, moved + k);
      }
    }
  }

  /// The same from arrays.
  template <class State>
  void operator()(const Vec3View<const State>& from, const std::int32_t* type, IndexRange cell,
                  Index x, Index y, Index z, PackedPosition<Real>* to) const {
    const Vec3<Shift> shift{static_cast<Shift>(x) * side_.x, static_cast<Shift>(y) * side_.y,
                            static_cast<Shift>(z) * side_.z};
    for (Index k = cell.begin; k < cell.end; ++k, ++to) {
      const Vec3<Real> at = from[k].template to<Real>();
      *to = {{place(at.x, shift.x), place(at.y, shift.y), place(at.z, shift.z)}, type[k]};
    }
  }

 private:
  static constexpr bool is_whole = are_whole(digits);
  using Tag = hn::ScalableTag<Real>;
  using Shift = std::conditional_t<is_whole, std::int32_t, Real>;
  using Shifts = hn::ScalableTag<Shift>;
  static constexpr Index lanes = static_cast<Index>(hn::MaxLanes(Tag())), of_a_word = 4;

  HWY_INLINE hn::Vec<Shifts> in_shifts(const Lanes<Real>& number) const {
    if constexpr (is_whole) {
      return nearest_whole(number * Lanes<Real>(per_spacing_));
    } else {
      return number.vector;
    }
  }
  Real place(Real number, Shift shift) const {
    if constexpr (is_whole) {
      return std::bit_cast<Real>(static_cast<Shift>(std::lrint(number * per_spacing_)) + shift);
    } else {
      return number + shift;
    }
  }

  Vec3<Shift> side_;
  Real per_spacing_ = 0;
  Shift sides_x_[lanes + of_a_word], sides_y_[lanes + of_a_word], sides_z_[lanes + of_a_word];
  Real is_type_[lanes + of_a_word];
};

/// A coordinate that is in nobody's range, and no farther than that: powers of its inverse are
/// still normal numbers, which some machines are much faster with. Through an open face a particle
/// may be anywhere.
template <class Real, Digits digits>
Real far_from_all(const GridView<double>& grid) {
  if constexpr (are_whole(digits)) return std::bit_cast<Real>(WholeCoordinates::far);
  const bool is_closed = grid.periodic.x && grid.periodic.y && grid.periodic.z;
  const Vec3<double> side = grid.exact_side;
  if (!is_closed) return PackedPosition<Real>::far_away().x;
  return static_cast<Real>(2 * Pencil::most_cells * std::max({side.x, side.y, side.z}));
}

/// `is_next`: the pencil before in y has been staged here in the same way.
template <Digits digits, class State, class Real>
void stage(const PlacedParticles<State>& particles, const NeighborhoodLayout& layout, bool is_next,
           StagedWords<Real>& staged) {
  staged.reserve(layout.places());
  const WordsOfCells<Real, digits> words(particles);
  constexpr bool words_stay = are_whole(digits);  // told from afar, others lose a digit
  const bool are_there = words_stay && is_next;
  for_each_cell_around(layout, [&](Index place, IndexRange cell, Index x, Index run) {
    if (are_there && !NeighborhoodLayout::is_new_in_y(run)) return;
    const Index z = NeighborhoodLayout::steps_z(run);
    const Index y = words_stay ? layout.steps_y_from_middle(run) : NeighborhoodLayout::steps_y(run);
    PackedPosition<Real>* const to = staged.word.data() + place;
    if constexpr (std::is_same_v<State, Real>) {
      if (particles.packed != nullptr) {
        return words(particles.packed + cell.begin, cell.count(), x, y, z, to);
      }
    }
    words(particles.position, particles.type, cell, x, y, z, to);
  });
  const Real far = far_from_all<Real, digits>(particles.grid);
  staged.word[static_cast<std::size_t>(layout.padding())] = {{far, far, far}, 0};
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
