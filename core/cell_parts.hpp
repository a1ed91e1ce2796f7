// Parts of a cell, in the order of a curve that runs through all of them: particles that are sorted
// so and follow each other are near each other.
#pragma once

#include "core/grid_view.hpp"

namespace pencilbox {

/// Two by two columns along z, four parts each; the curve goes up one and down the next. Or the
/// whole cell: particles follow each other as they come.
struct CellParts {
  static constexpr Index of_a_curve = 16;

  Index count = 1;  ///< of a cell: 1, or of_a_curve

  /// The number of the part, among those of all cells, where `offset` from the centre of `cell` is.
  /// What lies outside of its cell belongs to the part next to it.
  template <class Real>
  PENCILBOX_DEVICE_FUNCTION Index number(const Vec3<Real>& side, Index cell,
                                         const Vec3<Real>& offset) const {
    if (count == 1) return cell;
    const Index x = offset.x >= Real(0) ? 1 : 0;
    const Index column = offset.y >= Real(0) ? 3 - x : x;
    const Real quarter = Real(0.25) * side.z;
    const Index height = (offset.z >= -quarter ? 1 : 0) + (offset.z >= Real(0) ? 1 : 0) +
                         (offset.z >= quarter ? 1 : 0);
    return of_a_curve * cell + 4 * column + (column % 2 == 0 ? height : 3 - height);
  }
};

}  // namespace pencilbox
