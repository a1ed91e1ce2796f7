// Fetches a neighbourhood. Included once for each instruction set.
#if defined(PENCILBOX_STAGE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_STAGE_INL
#undef PENCILBOX_STAGE_INL
#else
#define PENCILBOX_STAGE_INL
#endif

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <hwy/highway.h>

#include "neighbor/vectors/neighborhood.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Added in the wider of the two, rounded once.
template <class State, class Real>
void stage_coordinate(const State* HWY_RESTRICT from, Index count, double shift,
                      Real* HWY_RESTRICT to) {
  using Wider = std::common_type_t<State, Real>;
  const auto by = static_cast<Wider>(shift);
  for (Index k = 0; k < count; ++k) to[k] = static_cast<Real>(static_cast<Wider>(from[k]) + by);
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

/// `Real`: what the neighbourhood is kept in.
template <class State, class Real>
void stage(const PlacedParticles<State>& particles, const NeighborhoodLayout& layout,
           StagedNumbers<Real>& staged) {
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
template <class Real>
class WordsOfCells {
 public:
  WordsOfCells(const GridView<double>& grid, Digits digits) {
    Vec3<double> side = grid.exact_side;
    if (digits == Digits::of_a_lattice) {
      const Lattice x(side.x, steps_along_x), y(side.y, 1), z(side.z, 1);
      side = {x.nearest(side.x), y.nearest(side.y), z.nearest(side.z)};
      rounding_ = {x.rounding(), y.rounding(), z.rounding()};
    }
    side_ = side.template to<Real>();
    repeat(rounding_, 0, roundings_);
    repeat({side_.x, 0, 0}, 0, sides_x_);
    repeat({0, side_.y, 0}, 0, sides_y_);
    repeat({0, 0, side_.z}, 0, sides_z_);
    repeat({}, 1, is_type_);
  }

  /// A cell so many steps away, from words. May write three words behind the last.
  void operator()(const PackedPosition<Real>* from, Index count, Index x, Index y, Index z,
                  PackedPosition<Real>* to) const {
    const Tag tag;
    const Real* const numbers = &from->position.x;
    Real* const moved = &to->position.x;
    for (Index lane = 0; lane < of_a_word; lane += lanes) {
      const auto rounding = hn::LoadU(tag, roundings_ + lane);
      const auto type = hn::Ne(hn::LoadU(tag, is_type_ + lane), hn::Zero(tag));
      const auto along_y_and_z =
          hn::MulAdd(hn::Set(tag, static_cast<Real>(y)), hn::LoadU(tag, sides_y_ + lane),
                     hn::Mul(hn::Set(tag, static_cast<Real>(z)), hn::LoadU(tag, sides_z_ + lane)));
      const auto shift = hn::MulAdd(hn::Set(tag, static_cast<Real>(x)),
                                    hn::LoadU(tag, sides_x_ + lane), along_y_and_z);
      for (Index k = lane; k < of_a_word * count; k += std::max(lanes, of_a_word)) {
        const auto number = hn::LoadU(tag, numbers + k);
        const auto rounded = hn::Sub(hn::Add(number, rounding), rounding);
        hn::StoreU(hn::IfThenElse(type, number, hn::Add(rounded, shift)), tag, moved + k);
      }
    }
  }

  /// The same from arrays.
  template <class State>
  void operator()(const Vec3View<const State>& from, const std::int32_t* type, IndexRange cell,
                  Index x, Index y, Index z, PackedPosition<Real>* to) const {
    const Vec3<Real> shift{static_cast<Real>(x) * side_.x, static_cast<Real>(y) * side_.y,
                           static_cast<Real>(z) * side_.z};
    for (Index k = cell.begin; k < cell.end; ++k, ++to) {
      const Vec3<Real> at = from[k].template to<Real>();
      *to = {((at + rounding_) - rounding_) + shift, type[k]};
    }
  }

 private:
  using Tag = hn::ScalableTag<Real>;
  static constexpr Index lanes = static_cast<Index>(hn::MaxLanes(Tag())), of_a_word = 4;

  static void repeat(const Vec3<Real>& v, Real last, Real* pattern) {
    const Real numbers[of_a_word] = {v.x, v.y, v.z, last};
    for (Index k = 0; k < lanes + of_a_word; ++k) pattern[k] = numbers[k % of_a_word];
  }

  Vec3<Real> side_, rounding_{};
  Real roundings_[lanes + of_a_word], is_type_[lanes + of_a_word];
  Real sides_x_[lanes + of_a_word], sides_y_[lanes + of_a_word], sides_z_[lanes + of_a_word];
};

/// A coordinate that is in nobody's range, and no farther than that: powers of its inverse are
/// still normal numbers, which some machines are much faster with. Through an open face a particle
/// may be anywhere.
template <class Real>
Real far_from_all(const GridView<double>& grid) {
  const bool is_closed = grid.periodic.x && grid.periodic.y && grid.periodic.z;
  const Vec3<double> side = grid.exact_side;
  if (!is_closed) return PackedPosition<Real>::far_away().x;
  return static_cast<Real>(2 * Pencil::most_cells * std::max({side.x, side.y, side.z}));
}

template <class State, class Real>
void stage(const PlacedParticles<State>& particles, const NeighborhoodLayout& layout, Digits digits,
           StagedWords<Real>& staged) {
  staged.reserve(layout.places());
  const WordsOfCells<Real> words(particles.grid, digits);
  for_each_cell_around(layout, [&](Index place, IndexRange cell, Index x, Index run) {
    const Index y = NeighborhoodLayout::steps_y(run), z = NeighborhoodLayout::steps_z(run);
    PackedPosition<Real>* const to = staged.word.data() + place;
    if constexpr (std::is_same_v<State, Real>) {
      if (particles.packed != nullptr) {
        return words(particles.packed + cell.begin, cell.end - cell.begin, x, y, z, to);
      }
    }
    words(particles.position, particles.type, cell, x, y, z, to);
  });
  const Real far = far_from_all<Real>(particles.grid);
  staged.word[static_cast<std::size_t>(layout.padding())] = {{far, far, far}, 0};
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
