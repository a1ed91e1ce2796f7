// Division by a number that is the same for a whole launch.
#pragma once

#include <bit>
#include <cstdint>

#include "core/device/launch_shape.hpp"
#include "core/device/macros.hpp"

namespace pencilbox {

/// Prepared on the host: on a GPU a multiplication and a shift in place of some thirty dependent
/// instructions, which a short kernel waits for. Exact for every Index that is not negative.
/// Granlund, Montgomery, Division by Invariant Integers using Multiplication, 1994, section 4.
class LaunchDivisor {
 public:
  LaunchDivisor() = default;
  /// `divisor` > 0
  explicit LaunchDivisor(Index divisor)
      : shift_(31 + std::bit_width(static_cast<std::uint32_t>(divisor - 1))),
        multiplier_(static_cast<std::uint32_t>((std::uint64_t{1} << shift_) /
                                               static_cast<std::uint64_t>(divisor)) +
                    1U) {}

  PENCILBOX_DEVICE_FUNCTION Index quotient(Index dividend) const {
    const auto wide = static_cast<std::uint64_t>(static_cast<std::uint32_t>(dividend));
    return static_cast<Index>(wide * multiplier_ >> shift_);
  }

 private:
  int shift_ = 31;  // of a division by one
  std::uint32_t multiplier_ = (1U << 31U) + 1U;
};

}  // namespace pencilbox
