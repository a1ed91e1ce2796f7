// Particles that are farther from the places that a list was made of than half of its skin. No pair
// is missed as long as there are none; with some it has to be looked for
// (neighbor/cells/missed_pairs.hpp), and only around them.
#pragma once

#include <cstdint>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// By unit of a cycle: those of even units and those of odd ones.
struct StraysView {
  Index* count = nullptr;  ///< [2] may be more than there is room for; null: nobody may stray
  Index* row = nullptr;    ///< [2 * room]
  Index room = 0;

  /// False if there is no room for another one.
  PENCILBOX_DEVICE_FUNCTION bool note(Index i, std::int32_t unit) const {
    const Index k = atomic_add(count + unit % 2, Index{1});
    if (k >= room) return false;
    row[unit % 2 * room + k] = i;
    return true;
  }
  PENCILBOX_DEVICE_FUNCTION Index number(std::int32_t unit) const {
    const Index noted = count[unit % 2];
    return noted < room ? noted : room;
  }
  PENCILBOX_DEVICE_FUNCTION Index operator()(Index k, std::int32_t unit) const {
    return row[unit % 2 * room + k];
  }
  PENCILBOX_DEVICE_FUNCTION void forget(std::int32_t unit) const { count[unit % 2] = 0; }
  PENCILBOX_DEVICE_FUNCTION void forget_all() const {
    if (count == nullptr) return;
    forget(0);
    forget(1);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
