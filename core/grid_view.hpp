// What kernels know of the cells: which cell is whose neighbour, by which image.
//
// Linear index of a cell: (z * cells.y + y) * cells.x + x.
#pragma once

#include "core/vec3.hpp"

namespace pencilbox {

/// A cell by its three coordinates.
using CellCoordinates = Vec3<Index>;

/// A distance between cells in sigma, in the arithmetic of a pair and in double.
template <class Real>
struct CellShift {
  Vec3<Real> rounded;
  Vec3<double> exact;
};

/// What kernels need of the grid. `Real` is the arithmetic that uses it.
template <class Real>
struct GridView {
  CellCoordinates cells;  ///< number of cells in each direction
  Vec3<Real> side;        ///< of a cell [sigma]
  Vec3<double> exact_side;
  Vec3<bool> periodic;

  PENCILBOX_DEVICE_FUNCTION Index linear(const CellCoordinates& c) const {
    return (c.z * cells.y + c.y) * cells.x + c.x;
  }
  PENCILBOX_DEVICE_FUNCTION CellCoordinates coordinates(Index linear_index) const {
    const Index row = linear_index / cells.x;
    return {linear_index - row * cells.x, row % cells.y, row / cells.y};
  }

  /// Wrapped coordinate of a neighbour at most one cell outside, or -1 if an open face is passed.
  PENCILBOX_DEVICE_FUNCTION static Index wrap(Index coordinate, Index count, bool is_periodic) {
    if (coordinate < 0) return is_periodic ? coordinate + count : -1;
    if (coordinate >= count) return is_periodic ? coordinate - count : -1;
    return coordinate;
  }
  PENCILBOX_DEVICE_FUNCTION Index wrap_x(Index c) const { return wrap(c, cells.x, periodic.x); }
  PENCILBOX_DEVICE_FUNCTION Index wrap_y(Index c) const { return wrap(c, cells.y, periodic.y); }
  PENCILBOX_DEVICE_FUNCTION Index wrap_z(Index c) const { return wrap(c, cells.z, periodic.z); }

  /// From the target's cell to the neighbour at this offset.
  PENCILBOX_DEVICE_FUNCTION CellShift<Real> shift(Index x, Index y, Index z) const {
    return {{static_cast<Real>(x) * side.x, static_cast<Real>(y) * side.y,
             static_cast<Real>(z) * side.z},
            {x * exact_side.x, y * exact_side.y, z * exact_side.z}};
  }
};

}  // namespace pencilbox
