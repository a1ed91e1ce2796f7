// The way around a particle: the 27 cells that hold all its partners, one by one, or as runs of up
// to three cells that are neighbours along x and so contiguous in memory.
#pragma once

#include "core/device/device.hpp"
#include "neighbor/cells/cell_grid.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Unwrapped coordinates [first, last] of the cells around `home` in one direction: cut off at an
/// open face. (Skipping cells beyond the face would come to the same, but on a GPU the lanes of a
/// warp near different faces would then wait for each other.)
struct NeighborSpan {
  Index first, last;

  PENCILBOX_DEVICE_FUNCTION NeighborSpan(Index home, Index cells, bool periodic)
      : first(periodic || home > 0 ? home - 1 : 0),
        last(periodic || home + 1 < cells ? home + 1 : home) {}
};

/// Calls visit(cell, dx, dy, dz) for the cells around `home`: z outermost, x innermost, the order
/// of memory. Cells beyond an open face are left out; a cell that is met through several images is
/// visited once for each.
template <class Real, class Visit>
PENCILBOX_DEVICE_FUNCTION void for_each_neighbor_cell(const GridView<Real>& grid,
                                                      const CellCoordinates& home, Visit&& visit) {
  const NeighborSpan along_x(home.x, grid.cells.x, grid.periodic.x);
  const NeighborSpan along_y(home.y, grid.cells.y, grid.periodic.y);
  const NeighborSpan along_z(home.z, grid.cells.z, grid.periodic.z);
  for (Index z = along_z.first; z <= along_z.last; ++z) {
    const Index layer = grid.wrap_z(z) * grid.cells.y;
    for (Index y = along_y.first; y <= along_y.last; ++y) {
      const Index row = (layer + grid.wrap_y(y)) * grid.cells.x;
      for (Index x = along_x.first; x <= along_x.last; ++x) {
        visit(row + grid.wrap_x(x), x - home.x, y - home.y, z - home.z);
      }
    }
  }
}

/// Particles [begin, end) of up to three neighbouring cells of one row. Those before `middle` lie
/// one cell to the left of the target's column, those from `right` on one to its right.
struct NeighborRun {
  Index begin, middle, right, end;
  Index dy, dz;

  PENCILBOX_DEVICE_FUNCTION Index dx(Index source) const {
    return source < middle ? -1 : (source < right ? 0 : 1);
  }

  PENCILBOX_DEVICE_FUNCTION IndexRange cell(Index of_dx) const {
    return {of_dx < 0 ? begin : (of_dx == 0 ? middle : right),
            of_dx < 0 ? middle : (of_dx == 0 ? right : end)};
  }

  /// From the target's cell to the source's, given the shift to the run's right cell. Selects
  /// between three numbers: converting dx to a real costs more.
  template <class Real>
  PENCILBOX_DEVICE_FUNCTION CellShift<Real> shift(Index source,
                                                  const CellShift<Real>& to_right) const {
    CellShift<Real> result = to_right;
    const bool is_left = source < middle;
    const bool is_right = source >= right;
    result.rounded.x = is_left ? -to_right.rounded.x : (is_right ? to_right.rounded.x : Real(0));
    result.exact.x = is_left ? -to_right.exact.x : (is_right ? to_right.exact.x : 0.0);
    return result;
  }
};

/// Calls visit(run) for the row that lies so from column `x`: a row that wraps along x takes a
/// second run, or a third where the grid is one cell wide. `row`: the first particle of each of its
/// cells.
template <class Real, class Visit>
PENCILBOX_DEVICE_FUNCTION void for_each_run_of_row(const GridView<Real>& grid, const Index* row,
                                                   Index x, Index dy, Index dz, Visit&& visit) {
  const bool has_left = x > 0;
  const bool has_right = x + 1 < grid.cells.x;
  if (!has_left && grid.periodic.x) {
    const Index begin = row[grid.cells.x - 1];
    const Index end = row[grid.cells.x];
    visit(NeighborRun{begin, end, end, end, dy, dz});
  }
  visit(NeighborRun{row[x - (has_left ? 1 : 0)], row[x], row[x + 1], row[x + (has_right ? 2 : 1)],
                    dy, dz});
  if (!has_right && grid.periodic.x) {
    visit(NeighborRun{row[0], row[0], row[0], row[1], dy, dz});
  }
}

/// Calls visit(run) for the rows around `home`. `offset`: [cells + 1] first particle of a cell.
template <class Real, class Visit>
PENCILBOX_DEVICE_FUNCTION void for_each_neighbor_run(const GridView<Real>& grid,
                                                     const Index* offset,
                                                     const CellCoordinates& home, Visit&& visit) {
  const NeighborSpan along_y(home.y, grid.cells.y, grid.periodic.y);
  const NeighborSpan along_z(home.z, grid.cells.z, grid.periodic.z);
  for (Index z = along_z.first; z <= along_z.last; ++z) {
    const Index dz = z - home.z;
    for (Index y = along_y.first; y <= along_y.last; ++y) {
      const Index dy = y - home.y;
      const Index* row = offset + grid.linear({0, grid.wrap_y(y), grid.wrap_z(z)});
      for_each_run_of_row(grid, row, home.x, dy, dz, visit);
    }
  }
}

}  // namespace pencilbox::PENCILBOX_DEVICE
