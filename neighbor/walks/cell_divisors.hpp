// Where a cell lies by its number, in kernels that last as long as a few divisions.
#pragma once

#include "core/device/launch_divisor.hpp"
#include "core/grid_view.hpp"

namespace pencilbox {

class CellDivisors {
 public:
  CellDivisors() = default;
  explicit CellDivisors(const CellCoordinates& cells) : by_x_(cells.x), by_y_(cells.y) {}

  /// GridView::coordinates() of the same `cells`.
  PENCILBOX_DEVICE_FUNCTION CellCoordinates coordinates(Index cell,
                                                        const CellCoordinates& cells) const {
    const Index row = by_x_.quotient(cell), z = by_y_.quotient(row);
    return {cell - row * cells.x, row - z * cells.y, z};
  }

 private:
  LaunchDivisor by_x_, by_y_;
};

}  // namespace pencilbox
