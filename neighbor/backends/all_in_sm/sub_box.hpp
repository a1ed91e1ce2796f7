// Sub-boxes: the grid cut into boxes of target cells, each with a layer of ghost cells around it,
// so that all sources of its targets are inside. How large they are (on the host), and which cells
// of the grid are in one (in kernels).
// Few particles per cell, section 5.1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "neighbor/cells/cell_grid.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox {

/// Cells along x, y and z.
using SubBoxSides = std::array<Index, 3>;

inline std::int64_t cells_of(const SubBoxSides& sides) {
  return std::int64_t{sides[0]} * sides[1] * sides[2];
}

/// The least that has a target cell: one, and the 26 around it.
inline constexpr std::int64_t fewest_cells_with_ghosts = 27;

inline SubBoxSides with_ghosts(const SubBoxSides& targets) {
  return {targets[0] + 2, targets[1] + 2, targets[2] + 2};
}
inline SubBoxSides without_ghosts(const SubBoxSides& sides) {
  return {sides[0] - 2, sides[1] - 2, sides[2] - 2};
}

/// The paper's sub-box, ghosts included, where `cells` fit in shared memory: with p the largest
/// cube root, the greatest of p^3, (p+1) p^2, (p+2) p^2 and (p+1)^2 p that fits. The longer sides
/// are the last ones: the text's example is 4 x 4 x 6. Nothing below 27 cells.
inline std::optional<SubBoxSides> paper_sides_with_ghosts(std::int64_t cells) {
  if (cells < fewest_cells_with_ghosts) return {};
  Index p = 3;
  while (cells_of({p + 1, p + 1, p + 1}) <= cells) ++p;
  SubBoxSides greatest{p, p, p};
  for (const SubBoxSides& sides :
       {SubBoxSides{p, p, p + 1}, SubBoxSides{p, p, p + 2}, SubBoxSides{p, p + 1, p + 1}}) {
    if (cells_of(sides) <= cells && cells_of(sides) > cells_of(greatest)) greatest = sides;
  }
  return greatest;
}

/// A sub-box has no more target cells in a direction than the grid has cells.
inline SubBoxSides cut_to_grid(const SubBoxSides& targets, const SubBoxSides& grid) {
  return {std::min(targets[0], grid[0]), std::min(targets[1], grid[1]),
          std::min(targets[2], grid[2])};
}

/// Sub-boxes that cover the grid; the last of a row may be smaller.
inline std::int64_t sub_boxes_in(const SubBoxSides& grid, const SubBoxSides& targets) {
  return divide_up(grid[0], targets[0]) * divide_up(grid[1], targets[1]) *
         divide_up(grid[2], targets[2]);
}

/// Halves the largest side of the target cells until every multiprocessor has a block, or until
/// they are single cells. Of equal sides the last comes first: the text halves 2 x 2 x 2 to
/// 2 x 1 x 1 (section 7.1), and cells along x are contiguous in memory.
inline SubBoxSides shrink_for(std::int64_t multiprocessors, const SubBoxSides& grid,
                              SubBoxSides targets) {
  while (cells_of(targets) > 1 && sub_boxes_in(grid, targets) < multiprocessors) {
    std::size_t largest = 0;
    for (std::size_t d = 1; d < 3; ++d) {
      if (targets[d] >= targets[largest]) largest = d;
    }
    targets[largest] = static_cast<Index>(divide_up(targets[largest], 2));
  }
  return targets;
}

/// Ours: boxes of target cells worth trying where `cells` fit in shared memory, ghosts included;
/// longest along x, where cells are contiguous. `first` is the first of them.
inline std::vector<SubBoxSides> sub_boxes_to_try(const SubBoxSides& first, const SubBoxSides& grid,
                                                 std::int64_t cells) {
  std::vector<SubBoxSides> tried{first};
  for (const SubBoxSides& wanted :
       {SubBoxSides{1, 1, 1}, SubBoxSides{2, 1, 1}, SubBoxSides{4, 1, 1}, SubBoxSides{8, 1, 1},
        SubBoxSides{2, 2, 1}, SubBoxSides{4, 2, 1}, SubBoxSides{2, 2, 2}, SubBoxSides{4, 2, 2},
        SubBoxSides{8, 2, 2}, SubBoxSides{4, 4, 2}, SubBoxSides{4, 4, 4}, SubBoxSides{8, 4, 4}}) {
    const SubBoxSides targets = cut_to_grid(wanted, grid);
    const bool fits = cells_of(with_ghosts(targets)) <= cells;
    const bool is_new = std::find(tried.begin(), tried.end(), targets) == tried.end();
    if (fits && is_new) tried.push_back(targets);
  }
  return tried;
}

/// "4 x 4 x 6"
inline std::string in_words(const SubBoxSides& sides) {
  return std::to_string(sides[0]) + " x " + std::to_string(sides[1]) + " x " +
         std::to_string(sides[2]);
}

/// One sub-box in a kernel. Its cells, ghosts included, are numbered from 0, x fastest; place
/// (0, 0, 0) is the ghost at its lower corner, (1, 1, 1) the first target.
///
/// A row of cells along x (the paper's X-pencil) is one run of particles in memory, but at a face
/// of the grid a ghost cell is a run apart: it lies at the other end of the row, or, beyond an open
/// face, nowhere. So a row has one to three runs, as many as every other row of the sub-box. A
/// cell that is met under several places (one or two cells in a direction) is a cell at each.
template <class Real>
struct SubBoxWithGhosts {
  const GridView<Real>& grid;
  CellCoordinates first;  ///< of its target cells, the one at the lower corner
  CellCoordinates sides;  ///< ghosts included; smaller where the grid ends

  PENCILBOX_DEVICE_FUNCTION SubBoxWithGhosts(const GridView<Real>& all,
                                             const CellCoordinates& targets, Index number)
      : grid(all) {
    const Index along_x = (grid.cells.x + targets.x - 1) / targets.x;
    const Index along_y = (grid.cells.y + targets.y - 1) / targets.y;
    const Index row = number / along_x;
    first = {(number - row * along_x) * targets.x, row % along_y * targets.y,
             row / along_y * targets.z};
    sides = {smaller(targets.x, grid.cells.x - first.x) + 2,
             smaller(targets.y, grid.cells.y - first.y) + 2,
             smaller(targets.z, grid.cells.z - first.z) + 2};
  }

  PENCILBOX_DEVICE_FUNCTION Index cells() const { return sides.x * sides.y * sides.z; }
  PENCILBOX_DEVICE_FUNCTION Index number(const CellCoordinates& place) const {
    return (place.z * sides.y + place.y) * sides.x + place.x;
  }
  PENCILBOX_DEVICE_FUNCTION CellCoordinates place(Index cell) const {
    const Index row = cell / sides.x;
    return {cell - row * sides.x, row % sides.y, row / sides.y};
  }

  /// Rows of target cells, and the first target of one.
  PENCILBOX_DEVICE_FUNCTION Index target_rows() const { return (sides.y - 2) * (sides.z - 2); }
  PENCILBOX_DEVICE_FUNCTION CellCoordinates first_target(Index row) const {
    return {1, 1 + row % (sides.y - 2), 1 + row / (sides.y - 2)};
  }
  /// The place of a target cell, the targets numbered from 0.
  PENCILBOX_DEVICE_FUNCTION CellCoordinates target(Index k) const {
    const Index row = k / (sides.x - 2);
    CellCoordinates result = first_target(row);
    result.x += k - row * (sides.x - 2);
    return result;
  }
  PENCILBOX_DEVICE_FUNCTION Index targets() const { return target_rows() * (sides.x - 2); }

  /// Where a target cell is in the grid.
  PENCILBOX_DEVICE_FUNCTION CellCoordinates home(const CellCoordinates& target) const {
    return {first.x + target.x - 1, first.y + target.y - 1, first.z + target.z - 1};
  }
  /// The cell of the grid at a place, or -1 beyond an open face.
  PENCILBOX_DEVICE_FUNCTION Index grid_cell(const CellCoordinates& place) const {
    const CellCoordinates there = home(place);
    const CellCoordinates wrapped{grid.wrap_x(there.x), grid.wrap_y(there.y), grid.wrap_z(there.z)};
    if (wrapped.x < 0 || wrapped.y < 0 || wrapped.z < 0) return -1;
    return grid.linear(wrapped);
  }

  PENCILBOX_DEVICE_FUNCTION bool left_apart() const { return first.x == 0; }
  PENCILBOX_DEVICE_FUNCTION bool right_apart() const {
    return first.x + sides.x - 2 == grid.cells.x;
  }
  PENCILBOX_DEVICE_FUNCTION Index runs_per_row() const {
    return 1 + (left_apart() ? 1 : 0) + (right_apart() ? 1 : 0);
  }
  PENCILBOX_DEVICE_FUNCTION Index runs() const { return sides.y * sides.z * runs_per_row(); }

  /// The run that a place is in.
  PENCILBOX_DEVICE_FUNCTION Index run_of(const CellCoordinates& place) const {
    const Index in_row =
        (left_apart() && place.x > 0 ? 1 : 0) + (right_apart() && place.x == sides.x - 1 ? 1 : 0);
    return (place.z * sides.y + place.y) * runs_per_row() + in_row;
  }
  /// The particles of a run: none beyond an open face. `offset`: [cells of the grid + 1].
  PENCILBOX_DEVICE_FUNCTION IndexRange particles_of_run(const Index* offset, Index run) const {
    const Index row = run / runs_per_row();
    const Index in_row = run - row * runs_per_row();
    const bool is_left = left_apart() && in_row == 0;
    const bool is_right = right_apart() && in_row == runs_per_row() - 1;
    const Index from = is_right ? sides.x - 1 : (is_left || !left_apart() ? 0 : 1);
    const Index to = is_left ? 1 : (is_right || !right_apart() ? sides.x : sides.x - 1);
    const Index cell = grid_cell({from, row % sides.y, row / sides.y});
    if (cell < 0) return {};
    return {offset[cell], offset[cell + to - from]};
  }
};

}  // namespace pencilbox
