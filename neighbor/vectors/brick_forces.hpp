// Forces of particles in cells, each pair of a brick of them once.
#pragma once

#include <type_traits>

#include "core/device/device.hpp"
#include "neighbor/vectors/half_rows.hpp"
#include "neighbor/vectors/vector_pairs.hpp"

namespace pencilbox::host {

template <class Precision>
class BrickForces {
 public:
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;

  explicit BrickForces(const Potential& potential) : pairs_(potential) {}

  void operator()(const BinnedParticles<Precision>& particles, const Vec3View<Accumulator>& force,
                  Stream& stream) const {
    const Bricks bricks(particles.grid.cells, most_cells);
    constexpr Index at_a_time = 1;
    for_each_stretch(stream, bricks.count(), at_a_time,
                     [this, particles, force, bricks](Index begin, Index end) {
                       for (Index k = begin; k < end; ++k) sum(particles, bricks[k], force);
                     });
  }

 private:
  using Pairs = VectorPairs<Precision>;
  static constexpr CellCoordinates most_cells =
      std::is_same_v<State, float> ? Bricks::most_cells_in_floats : Bricks::most_cells;

  void sum(const BinnedParticles<Precision>& particles, const Brick& brick,
           const Vec3View<Accumulator>& force) const {
    thread_local BrickScratch scratch;
    if constexpr (Pairs::sums_keep_more) {
      if (pairs_.may_be_in_floats(particles)) {
        return fixed_point_kernel_(Pairs::placed_in_floats(particles), pairs_.in_floats(),
                                   pairs_.fixed_point(particles), pairs_.cutoff(), brick, force,
                                   scratch);
      }
    }
    kernel_(Pairs::placed(particles), pairs_.in_state(), pairs_.cutoff(), brick, force, scratch);
  }

  VectorPairs<Precision> pairs_;
  ForcesOfBrick<State> kernel_ = forces_of_brick<State>();
  FixedPointForcesOfBrick fixed_point_kernel_ = fixed_point_forces_of_brick();
};

}  // namespace pencilbox::host
