// Which arithmetic pairs are computed in by a CPU's vectors, and what an interaction and particles
// are in it.
#pragma once

#include <optional>

#include "core/interactions/interaction.hpp"
#include "neighbor/binned_particles.hpp"
#include "neighbor/density_for_quanta.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/vectors/tables.hpp"

namespace pencilbox::host {

template <class Precision>
class VectorPairs {
 public:
  using State = typename Precision::State;

  /// More digits than pairs have: then the forces of a pair must cancel to the last bit.
  static constexpr bool sums_keep_more = pairs_must_cancel<Precision>;

  explicit VectorPairs(const Potential& potential)
      : model_(std::get<LennardJonesModel>(potential)),
        form_(model_.truncation == Truncation::force_shift ? LennardJonesForm::force_shifted
                                                           : LennardJonesForm::shifted),
        pairs_(model_),
        pairs_in_double_(model_),
        reach_(reach_for_quanta(model_)) {
    if constexpr (sums_keep_more) {
      fixed_point_.emplace(model_, pairs_in_double_);
      by_anchor_.emplace(FixedPointTables::by_anchor(model_, pairs_in_double_));
    }
  }
  VectorPairs(const VectorPairs&) = delete;  // tables point to others

  double cutoff() const { return model_.largest_cutoff(); }
  VectorInteraction<State> in_state() const { return pairs_.interaction(form_); }
  VectorInteraction<double> in_double() const { return pairs_in_double_.interaction(form_); }
  /// Where pairs may be in floats although sums keep more.
  VectorInteraction<float> in_floats() const { return fixed_point_->interaction(form_); }
  FixedPoint fixed_point(const BinnedParticles<Precision>& particles) const {
    return (particles.on_lattice() ? by_anchor_ : fixed_point_)->fixed_point();
  }

  static PlacedParticles<State> placed(const BinnedParticles<Precision>& particles) {
    const PackedPosition<State>* packed = nullptr;  // that is in the arithmetic of pairs
    if constexpr (!sums_keep_more) packed = particles.packed;
    return {particles.state_position, packed, particles.type, particles.offset, grid_of(particles)};
  }

  static PlacedParticles<float> placed_in_floats(const BinnedParticles<Precision>& particles) {
    PlacedParticles<float> placed{particles.position, particles.packed, particles.type,
                                  particles.offset, grid_of(particles)};
    placed.lattice = particles.lattice;
    if (particles.on_lattice()) {
      placed.grid.side = placed.grid.exact_side = particles.grid.side.template to<double>();
    }
    return placed;
  }

  /// Whether pairs may. Through an open face a particle may go where whole coordinates end.
  bool may_be_in_floats(const BinnedParticles<Precision>& particles) const {
    if (!particles.stay_near) return false;
    const Vec3<double> side = particles.grid.exact_side;
    const double volume = side.x * side.y * side.z * particles.cells();
    return dense_enough_for_quanta(particles.count, volume, reach_);
  }

 private:
  static GridView<double> grid_of(const BinnedParticles<Precision>& particles) {
    GridView<double> grid;
    grid.cells = particles.grid.cells;
    grid.side = grid.exact_side = particles.grid.exact_side;
    grid.periodic = particles.grid.periodic;
    return grid;
  }

  LennardJonesModel model_;
  LennardJonesForm form_;
  PairTables<State> pairs_;
  PairTables<double> pairs_in_double_;
  double reach_;  ///< [sigma]
  /// Where sums keep more digits than pairs have: for any system, and for coordinates on a lattice.
  std::optional<FixedPointTables> fixed_point_, by_anchor_;
};

}  // namespace pencilbox::host
