// A part of the grid.
#pragma once

#include "core/device/device.hpp"
#include "core/grid_view.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Cells [begin, end) in each direction.
struct CellBox {
  CellCoordinates begin, end;

  PENCILBOX_DEVICE_FUNCTION bool is_empty() const {
    return begin.x >= end.x || begin.y >= end.y || begin.z >= end.z;
  }
  PENCILBOX_DEVICE_FUNCTION bool has(const CellCoordinates& c) const {
    return c.x >= begin.x && c.x < end.x && c.y >= begin.y && c.y < end.y && c.z >= begin.z &&
           c.z < end.z;
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
