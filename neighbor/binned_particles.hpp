// What a back end sees of the particles: sorted by cell, cells contiguous, coordinates relative to
// the cell. Plain pointers, valid until the next binning.
#pragma once

#include "core/particles.hpp"
#include "neighbor/cell_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
struct BinnedParticles {
  using Pair = typename Precision::Pair;
  using State = typename Precision::State;

  Index count = 0;                       ///< N
  GridView<Pair> grid;                   ///< in the arithmetic of a pair
  const Index* offset = nullptr;         ///< [cells + 1] first particle of a cell
  const Index* cell = nullptr;           ///< [N] linear cell of a particle
  Vec3View<const Pair> position;         ///< [N] relative to the cell's centre [sigma]
  Vec3View<const State> state_position;  ///< [N] the same in the precision of the state
  const std::int32_t* type = nullptr;    ///< [N] 0-based

  Index cells() const { return grid.cells.x * grid.cells.y * grid.cells.z; }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
