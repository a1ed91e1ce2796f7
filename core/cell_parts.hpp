// Parts of a cell that particles are sorted by: along a curve that runs through all of them, so
// that who follow each other are near each other; or slices across x, so that a row of cells is a
// row of slices in the order of memory.
#pragma once

#include "core/grid_view.hpp"

namespace pencilbox {

/// Of a curve two by two columns along z, four parts each; it goes up one and down the next. Or the
/// whole cell: particles follow each other as they come.
struct CellParts {
  static constexpr Index of_a_curve = 16;
  static constexpr Index of_slices = 12;

  Index count = 1;  ///< of a cell: 1, or one of these

  /// The number of the part, among those of all cells, where `offset` from the centre of `cell` is.
  /// What lies outside of its cell belongs to the part next to it.
  template <class Real>
  PENCILBOX_DEVICE_FUNCTION Index number(const Vec3<Real>& side, Index cell,
                                         const Vec3<Real>& offset) const {
    return count == 1 ? cell : number_of_many(side, cell, offset);
  }

 private:
  template <class Real>
  PENCILBOX_DEVICE_FUNCTION Index number_of_many(const Vec3<Real>& side, Index cell,
                                                 const Vec3<Real>& offset) const {
    if (count == of_slices) return of_slices * cell + slice(side.x, offset.x);
    const Index x = offset.x >= Real(0) ? 1 : 0;
    const Index column = offset.y >= Real(0) ? 3 - x : x;
    const Real quarter = Real(0.25) * side.z;
    const Index height = (offset.z >= -quarter ? 1 : 0) + (offset.z >= Real(0) ? 1 : 0) +
                         (offset.z >= quarter ? 1 : 0);
    return of_a_curve * cell + 4 * column + (column % 2 == 0 ? height : 3 - height);
  }

  template <class Real>
  PENCILBOX_DEVICE_FUNCTION static Index slice(Real side, Real offset) {
    const Real at = (offset / side + Real(0.5)) * Real(of_slices);
    if (!(at > Real(0))) return 0;
    return at < Real(of_slices) ? static_cast<Index>(at) : of_slices - 1;
  }
};

}  // namespace pencilbox
