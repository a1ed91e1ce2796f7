// What kernels know of the cells: which cell is whose neighbour, by which image.
//
// Linear index of a cell: (z * cells.y + y) * cells.x + x.
#pragma once

#include "core/device/launch_divisor.hpp"
#include "core/vec3.hpp"

namespace pencilbox {

/// A cell by its three coordinates.
using CellCoordinates = Vec3<Index>;

/// How many cells there are in each direction, each more than none. Made on the host, and assigned
/// as a whole: where a cell lies by its number takes two divisions, of which kernels that last no
/// longer than a few would notice each.
class CellCounts : public CellCoordinates {
 public:
  CellCounts() = default;
  CellCounts(const CellCoordinates& counts)  // NOLINT(google-explicit-constructor): the same thing
      : CellCoordinates(counts), by_x_(counts.x), by_y_(counts.y) {}
  CellCounts(Index x, Index y, Index z) : CellCounts(CellCoordinates{x, y, z}) {}

  PENCILBOX_DEVICE_FUNCTION Index count() const { return x * y * z; }
  PENCILBOX_DEVICE_FUNCTION Index linear(const CellCoordinates& c) const {
    return (c.z * y + c.y) * x + c.x;
  }
  PENCILBOX_DEVICE_FUNCTION CellCoordinates coordinates(Index linear_index) const {
    const Index row = by_x_.quotient(linear_index), plane = by_y_.quotient(row);
    return {linear_index - row * x, row - plane * y, plane};
  }

 private:
  LaunchDivisor by_x_, by_y_;
};

/// A distance between cells in sigma, in the arithmetic of a pair and in double.
template <class Real>
struct CellShift {
  Vec3<Real> rounded;
  Vec3<double> exact;
};

/// What kernels need of the grid. `Real` is the arithmetic that uses it.
template <class Real>
struct GridView {
  CellCounts cells;
  Vec3<Real> side;  ///< of a cell [sigma]
  Vec3<double> exact_side;
  Vec3<bool> periodic;

  PENCILBOX_DEVICE_FUNCTION Index linear(const CellCoordinates& c) const { return cells.linear(c); }
  PENCILBOX_DEVICE_FUNCTION CellCoordinates coordinates(Index linear_index) const {
    return cells.coordinates(linear_index);
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
