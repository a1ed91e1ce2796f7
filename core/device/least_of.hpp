// The least of three whole numbers, which a GPU may know in one instruction.
#pragma once

#include <cstdint>

#include "core/device/macros.hpp"

namespace pencilbox {

PENCILBOX_DEVICE_FUNCTION inline std::uint32_t least_of(std::uint32_t a, std::uint32_t b,
                                                        std::uint32_t c) {
#if defined(__CUDA_ARCH__)
  return __vimin3_u32(a, b, c);
#else
  const std::uint32_t least = a < b ? a : b;
  return least < c ? least : c;
#endif
}

}  // namespace pencilbox
