// The coarse grid of FENNS: its cells are blocks of the engine's cells, the last of a direction
// with fewer of them. The engine's cells are the paper's local, fine grid: wide enough, and a
// particle's coordinates are relative to its own, so nothing is rounded a second time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "neighbor/cells/cell_grid.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox::PENCILBOX_DEVICE::two_level_grid {

/// Coordinates of a cell within its coarse cell, ten bits each.
using PackedCoordinates = std::int32_t;
inline constexpr Index longest_side = 1024;

PENCILBOX_DEVICE_FUNCTION inline PackedCoordinates pack(const CellCoordinates& c) {
  return c.x | c.y << 10 | c.z << 20;
}
PENCILBOX_DEVICE_FUNCTION inline CellCoordinates unpack(PackedCoordinates p) {
  return {p & 1023, p >> 10 & 1023, p >> 20 & 1023};
}

struct CoarseGrid {
  CellCoordinates cells;  ///< of the engine
  CellCoordinates side;   ///< of a coarse cell, in cells of the engine
  CellCounts coarse;

  PENCILBOX_DEVICE_FUNCTION Index count() const { return coarse.count(); }
  PENCILBOX_DEVICE_FUNCTION Index linear(const CellCoordinates& c) const {
    return coarse.linear(c);
  }
  PENCILBOX_DEVICE_FUNCTION CellCoordinates coordinates(Index linear_index) const {
    return coarse.coordinates(linear_index);
  }
  /// The coarse cell of an engine's cell.
  PENCILBOX_DEVICE_FUNCTION CellCoordinates around(const CellCoordinates& cell) const {
    return {cell.x / side.x, cell.y / side.y, cell.z / side.z};
  }
  PENCILBOX_DEVICE_FUNCTION CellCoordinates within(const CellCoordinates& cell,
                                                   const CellCoordinates& c) const {
    return {cell.x - c.x * side.x, cell.y - c.y * side.y, cell.z - c.z * side.z};
  }
  /// How many of the engine's cells this coarse cell has in each direction.
  PENCILBOX_DEVICE_FUNCTION CellCoordinates width(const CellCoordinates& c) const {
    return {smaller(side.x, cells.x - c.x * side.x), smaller(side.y, cells.y - c.y * side.y),
            smaller(side.z, cells.z - c.z * side.z)};
  }

  /// Cells of the largest local grid: a coarse cell and one cell more on every side.
  PENCILBOX_DEVICE_FUNCTION std::int64_t local_cells() const {
    return std::int64_t{side.x + 2} * (side.y + 2) * (side.z + 2);
  }
  /// Step 1 counts in shared memory.
  std::int64_t counter_bytes() const {
    return std::int64_t{coarse.x} * coarse.y * coarse.z * static_cast<std::int64_t>(sizeof(Index));
  }
};

/// Coarse cells with these sides.
inline CoarseGrid with_sides(const CellGrid& grid, const CellCoordinates& side) {
  const auto coarse = [](Index cells, Index length) {
    return static_cast<Index>(divide_up(cells, length));
  };
  return {{grid.cells[0], grid.cells[1], grid.cells[2]},
          side,
          {coarse(grid.cells[0], side.x), coarse(grid.cells[1], side.y),
           coarse(grid.cells[2], side.z)}};
}

/// At most `most` coarse cells in each direction.
inline CoarseGrid with_at_most(const CellGrid& grid, Index most) {
  const auto side = [most](Index cells) { return static_cast<Index>(divide_up(cells, most)); };
  return with_sides(grid, {side(grid.cells[0]), side(grid.cells[1]), side(grid.cells[2])});
}

/// The paper's 18 in each direction (section 4.1), fewer where coarse cells would have less than
/// `per_cell` particles on average. More again where a local grid would have more than
/// `most_local_cells`: boxes that are long or nearly empty.
inline CoarseGrid choose_coarse_grid(const CellGrid& grid, Index particles, Index per_cell,
                                     std::int64_t most_local_cells) {
  constexpr Index cells_of_the_paper = 18;
  const std::int64_t enough = std::max<Index>(1, particles / per_cell);
  Index most = cells_of_the_paper;
  const auto count = [&](Index l) { return with_at_most(grid, l).counter_bytes() / sizeof(Index); };
  while (most > 1 && static_cast<std::int64_t>(count(most)) > enough) --most;
  CellCoordinates side = with_at_most(grid, most).side;
  for (;;) {
    const CoarseGrid chosen = with_sides(grid, side);
    const Index longest = std::max({side.x, side.y, side.z});
    const bool fits = chosen.local_cells() <= most_local_cells && longest <= longest_side;
    if (fits || longest == 1) return chosen;
    Index& halved = side.x == longest ? side.x : (side.y == longest ? side.y : side.z);
    halved = static_cast<Index>(divide_up(halved, 2));
  }
}

}  // namespace pencilbox::PENCILBOX_DEVICE::two_level_grid
