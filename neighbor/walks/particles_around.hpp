// The particles of a cell next to another, for lanes that look different ones up at a time: without
// a branch.
#pragma once

#include "neighbor/binned_particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// A coordinate at most one cell outside, wrapped.
PENCILBOX_DEVICE_FUNCTION inline Index wrapped(Index c, Index cells) {
  const Index from_below = c < 0 ? c + cells : c;
  return from_below >= cells ? from_below - cells : from_below;
}

/// Those of the cell at these coordinates, at most one cell outside the grid: none beyond an open
/// face.
template <class Precision>
PENCILBOX_DEVICE_FUNCTION IndexRange particles_around(const BinnedParticles<Precision>& particles,
                                                      const CellCoordinates& there) {
  const auto& grid = particles.grid;
  const CellCoordinates cell{wrapped(there.x, grid.cells.x), wrapped(there.y, grid.cells.y),
                             wrapped(there.z, grid.cells.z)};
  const bool is_there = (grid.periodic.x || cell.x == there.x) &&
                        (grid.periodic.y || cell.y == there.y) &&
                        (grid.periodic.z || cell.z == there.z);
  return is_there ? particles.particles_of(grid.linear(cell)) : IndexRange{};
}

}  // namespace pencilbox::PENCILBOX_DEVICE
