// 32 lanes that work together, whatever the width of a device's warps: what they sum does not
// depend on it then.
#pragma once

#include "core/device/device.hpp"
#include "core/device/math.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// A warp, or half of one.
struct Team {
  static constexpr Index lanes = 32;

  PENCILBOX_DEVICE_FUNCTION static Index count(const Block& block) {
    return block.threads() / lanes;
  }
  PENCILBOX_DEVICE_FUNCTION static Index number(const Block& block) {
    return block.thread() / lanes;
  }
  PENCILBOX_DEVICE_FUNCTION static Index lane(const Block& block) { return block.thread() % lanes; }

  /// Every lane of the warp must call it; the votes are those of the team.
  PENCILBOX_DEVICE_FUNCTION static std::uint32_t ballot(const Block& block, bool predicate) {
    const Block::Votes votes = block.ballot(predicate);
    if constexpr (sizeof(votes) == sizeof(std::uint32_t)) {
      return votes;
    } else {
      return static_cast<std::uint32_t>(votes >> (block.lane() / lanes * lanes));
    }
  }
  /// How many of these votes come from lanes below this one.
  PENCILBOX_DEVICE_FUNCTION static Index votes_below(const Block& block, std::uint32_t votes) {
    return count_bits(votes & ((1U << lane(block)) - 1U));
  }
  /// The same with this one.
  PENCILBOX_DEVICE_FUNCTION static Index votes_up_to(const Block& block, std::uint32_t votes) {
    return count_bits(votes & ((2U << lane(block)) - 1U));
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
