// How many blocks of how many threads a kernel runs with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pencilbox {

/// Index of a particle or a cell on one device. Products of two of them need 64 bits.
using Index = std::int32_t;

struct LaunchShape {
  std::int64_t blocks = 1;
  int threads = 1;
  std::size_t shared_bytes = 0;  ///< dynamic shared memory of a block
};

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return divide_up(value, multiple) * multiple;
}

}  // namespace pencilbox
