// A part of the grid.
#pragma once

#include <cstdint>

#include "core/device/device.hpp"
#include "core/grid_view.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Cells [begin, end) in each direction.
struct CellBox {
  CellCoordinates begin, end;

  PENCILBOX_DEVICE_FUNCTION bool has(const CellCoordinates& c) const {
    return c.x >= begin.x && c.x < end.x && c.y >= begin.y && c.y < end.y && c.z >= begin.z &&
           c.z < end.z;
  }
};

/// Cells that no other rank sees: all, where there is one rank.
struct UnseenCells {
  CellBox box{};
  bool all = true;
  CellBox deep{};                ///< of these, whose neighbors are unseen, too
  std::int32_t* leap = nullptr;  ///< the last step in which somebody went from a deep one to a seen

  PENCILBOX_DEVICE_FUNCTION bool has(const CellCoordinates& c) const { return all || box.has(c); }
  template <class Grid>
  PENCILBOX_DEVICE_FUNCTION bool has(const Grid& grid, Index cell) const {
    return all || box.has(grid.coordinates(cell));
  }

  /// Of one that goes to a cell that is seen.
  PENCILBOX_DEVICE_FUNCTION void note_way_from(const CellCoordinates& home,
                                               std::int32_t step) const {
    if (leap != nullptr && deep.has(home)) *leap = step;  // the same, whoever is the last
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
