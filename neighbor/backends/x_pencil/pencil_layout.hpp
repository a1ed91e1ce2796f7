// How a launch of `x-pencil` cuts the grid and its shared memory: what its rules
// (neighbor/backends/x_pencil/pencil_rules.hpp) hand to its kernel (x_pencil/kernel.hpp).
#pragma once

#include "core/device/launch_divisor.hpp"

namespace pencilbox {

/// How a launch cuts the grid.
struct PencilLayout {
  Index length = 1;             ///< target cells of a pencil along x
  Index per_row = 1;            ///< pencils of a row
  LaunchDivisor by_per_row;     ///< the same
  LaunchDivisor by_rows;        ///< rows of a layer
  Index half = 0;               ///< sources that half the buffer holds
  bool across_pencils = false;  ///< whether a piece of sources may be of several pencils
  int lane_bits = 0;            ///< 2^lane_bits threads share a target, at most a warp
};

}  // namespace pencilbox
