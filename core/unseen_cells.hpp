// Which cells are a rank's own business, and whether its neighborhood has to do with who moves
// there.
#pragma once

#include <cstdint>

#include "core/cell_box.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Cells that no other rank sees: all, where there is one rank.
struct UnseenCells {
  CellBox box{};
  bool all = true;
  CellBox deep{};                ///< of these, whose neighbors are unseen, too
  std::int32_t* leap = nullptr;  ///< last step of a way from a deep one to one that is seen

  PENCILBOX_DEVICE_FUNCTION bool has(const CellCoordinates& c) const { return all || box.has(c); }
  template <class Grid>
  PENCILBOX_DEVICE_FUNCTION bool has(const Grid& grid, Index cell) const {
    return all || box.has(grid.coordinates(cell));
  }

  /// Of one that goes to a cell that is seen. (Steps that are done again may find the note of one
  /// that was to come.)
  PENCILBOX_DEVICE_FUNCTION void note_way_from(const CellCoordinates& home,
                                               std::int32_t step) const {
    if (deep.has(home)) atomic_max(leap, step);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
