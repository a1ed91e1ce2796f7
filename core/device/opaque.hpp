// Numbers whose making a compiler shall not see through.
#pragma once

#include <type_traits>

#include "core/device/macros.hpp"

namespace pencilbox {

/// The same number. A compiler merges a part of a word and what it is multiplied by into a shift
/// and a mask, and addresses by it then take more operations than the multiplication that adds,
/// which a GPU has in one.
template <class Number>
PENCILBOX_DEVICE_FUNCTION inline Number opaque(Number number) {
  static_assert(std::is_integral_v<Number> && sizeof(Number) == 4);
#if defined(__CUDA_ARCH__)
  asm("" : "+r"(number));
#endif
  return number;
}

}  // namespace pencilbox
