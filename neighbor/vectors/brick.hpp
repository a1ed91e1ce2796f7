// A brick of cells whose pairs a thread of a CPU takes once, and what lies around it: the cells
// next to it, in columns along x that are cut into bins. Particles in the order of their bins can
// be looked up by where they are, a stretch of a column at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/grid_view.hpp"
#include "core/vec3.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox::host {

/// Cells [first, first + size).
struct Brick {
  CellCoordinates first;
  CellCoordinates size;
};

/// How the cells of a grid make bricks: whatever the number of threads, so that sums do not depend
/// on it.
class Bricks {
 public:
  /// The more cells, the more pairs have both their particles in one brick.
  static constexpr CellCoordinates most_cells{6, 4, 4};
  /// In floats as they come: a coordinate is not to lose a digit for it.
  static constexpr CellCoordinates most_cells_in_floats{3, 3, 3};

  Bricks(const CellCoordinates& cells, const CellCoordinates& most)
      : cells_(cells),
        parts_{parts(cells.x, most.x), parts(cells.y, most.y), parts(cells.z, most.z)} {}

  Index count() const { return parts_.x * parts_.y * parts_.z; }

  Brick operator[](Index number) const {
    const Index row = number / parts_.x;
    const Index x = number % parts_.x, y = row % parts_.y, z = row / parts_.y;
    const CellCoordinates first = corner(x, y, z);
    return {first, corner(x + 1, y + 1, z + 1) - first};
  }

 private:
  static Index parts(Index cells, Index most) { return (cells + most - 1) / most; }
  static Index begin(Index cells, Index parts, Index part) {
    return static_cast<Index>(std::int64_t{cells} * part / parts);
  }
  CellCoordinates corner(Index x, Index y, Index z) const {
    return {begin(cells_.x, parts_.x, x), begin(cells_.y, parts_.y, y),
            begin(cells_.z, parts_.z, z)};
  }

  CellCoordinates cells_, parts_;
};

/// One direction of what is around a brick: its cells and one more on each side. Coordinates are
/// relative to the centre of the middle cell of the brick.
class BrickAxis {
 public:
  /// `home`: of all `cells` of the grid the first of the brick. Through an open face there are no
  /// cells, and particles of those before it may be anywhere beyond.
  BrickAxis(Index home, Index size, Index cells, bool periodic, double side)
      : cells_(size + 2),
        middle_(1 + size / 2),
        side_(side),
        there_{!periodic && home == 0 ? 1 : 0,
               !periodic && home + size == cells ? size + 1 : size + 2} {}

  Index cells() const { return cells_; }
  double side() const { return side_; }
  /// From the middle cell to another.
  Index steps(Index cell) const { return cell - middle_; }
  /// Those of the brick.
  IndexRange own() const { return {1, cells_ - 1}; }
  /// Those where particles are.
  const IndexRange& there() const { return there_; }
  /// Where a cell begins.
  float at(Index cell) const { return static_cast<float>((steps(cell) - 0.5) * side_); }

 private:
  Index cells_, middle_;
  double side_;
  IndexRange there_;
};

/// The cells around a brick.
class BrickLayout {
 public:
  BrickLayout(const GridView<double>& grid, const Brick& brick)
      : x(axis(brick, grid, &CellCoordinates::x, &Vec3<double>::x, &Vec3<bool>::x)),
        y(axis(brick, grid, &CellCoordinates::y, &Vec3<double>::y, &Vec3<bool>::y)),
        z(axis(brick, grid, &CellCoordinates::z, &Vec3<double>::z, &Vec3<bool>::z)),
        grid_(grid),
        first_(brick.first) {}

  /// The particles of a cell of those around, counted from 0 in each direction; none through an
  /// open face. `offset`: the first particle of each cell of the grid, and the end of all.
  IndexRange particles(const Index* offset, const CellCoordinates& at) const {
    const CellCoordinates cell{grid_.wrap_x(first_.x + at.x - 1), grid_.wrap_y(first_.y + at.y - 1),
                               grid_.wrap_z(first_.z + at.z - 1)};
    if (cell.x < 0 || cell.y < 0 || cell.z < 0) return {};
    const Index number = grid_.linear(cell);
    return {offset[number], offset[number + 1]};
  }

  BrickAxis x, y, z;

 private:
  static BrickAxis axis(const Brick& brick, const GridView<double>& grid,
                        Index CellCoordinates::*index, double Vec3<double>::*length,
                        bool Vec3<bool>::*periodic) {
    return {brick.first.*index, brick.size.*index, grid.cells.*index, grid.periodic.*periodic,
            grid.exact_side.*length};
  }

  GridView<double> grid_;
  CellCoordinates first_;
};

}  // namespace pencilbox::host
