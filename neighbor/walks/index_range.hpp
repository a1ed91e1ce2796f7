// Ranges of indices, for kernels and for the host.
#pragma once

#include "core/device/launch_shape.hpp"
#include "core/device/macros.hpp"

namespace pencilbox {

PENCILBOX_DEVICE_FUNCTION inline Index smaller(Index a, Index b) { return a < b ? a : b; }
PENCILBOX_DEVICE_FUNCTION inline Index larger(Index a, Index b) { return a > b ? a : b; }

/// [begin, end) of particles, neighbours in memory, or of the sources of a pencil by their number.
struct IndexRange {
  Index begin = 0;
  Index end = 0;

  PENCILBOX_DEVICE_FUNCTION Index count() const { return end - begin; }
  PENCILBOX_DEVICE_FUNCTION bool has(Index i) const { return begin <= i && i < end; }
  /// What lies in the other range too; empty (perhaps with end < begin) where nothing does.
  PENCILBOX_DEVICE_FUNCTION IndexRange within(const IndexRange& other) const {
    return {larger(begin, other.begin), smaller(end, other.end)};
  }
};

}  // namespace pencilbox
