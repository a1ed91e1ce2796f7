// Which row belongs to a particle in an array that is in order of ids.
#pragma once

#include "core/device/launch_shape.hpp"
#include "core/device/macros.hpp"
#include "core/start_state.hpp"

namespace pencilbox {

struct RowOfId {
  const ParticleId* ids;  ///< [count] ascending
  Index count;

  /// Ids without a gap are found at once, others by halving.
  PENCILBOX_DEVICE_FUNCTION Index operator()(ParticleId wanted) const {
    const Index guess = wanted - ids[0];
    if (guess >= 0 && guess < count && ids[guess] == wanted) return guess;
    Index first = 0;
    Index last = count;
    while (last - first > 1) {
      const Index middle = first + (last - first) / 2;
      if (ids[middle] <= wanted) {
        first = middle;
      } else {
        last = middle;
      }
    }
    return first;
  }
};

}  // namespace pencilbox
