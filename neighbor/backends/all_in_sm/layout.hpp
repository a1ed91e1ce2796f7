// How a launch of `all-in-sm` cuts the grid and fills shared memory: what its kernel and its launch
// rules have in common.
#pragma once

#include "neighbor/cells/cell_grid.hpp"
#include "neighbor/walks/staged_sources.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// How threads find their targets.
enum class TargetOrder {
  slots,  ///< MC slots for each target cell, as published; most are empty
  packed  ///< target by target: a second prefix sum, over the rows of targets
};

/// How a launch cuts the grid.
struct AllInSmLayout {
  CellCoordinates targets;  ///< target cells of a sub-box
  Index slots = 1;          ///< MC
  Index capacity = 0;       ///< particles in shared memory
  TargetOrder order = TargetOrder::slots;

  PENCILBOX_DEVICE_FUNCTION Index cells() const {
    return (targets.x + 2) * (targets.y + 2) * (targets.z + 2);
  }
  /// No more than `cells`, as a row has at least three cells and at most three runs.
  PENCILBOX_DEVICE_FUNCTION Index runs() const { return 3 * (targets.y + 2) * (targets.z + 2); }
  PENCILBOX_DEVICE_FUNCTION Index target_rows() const {
    return order == TargetOrder::packed ? targets.y * targets.z + 1 : 0;
  }
  /// Numbers in the arrays that describe the cells.
  PENCILBOX_DEVICE_FUNCTION Index offsets() const {
    return cells() + (cells() + 1) + runs() + target_rows();
  }
};

/// A source, and which particle it is.
template <class Pair>
constexpr std::int64_t all_in_sm_bytes(bool with_types) {
  return static_cast<std::int64_t>(staged_bytes<Pair>(with_types) + sizeof(Index));
}

}  // namespace pencilbox::PENCILBOX_DEVICE
