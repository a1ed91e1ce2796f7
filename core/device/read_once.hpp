// Reads of what a kernel reads once.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/device/macros.hpp"

namespace pencilbox {

/// read_ahead() of what nobody reads again, so that it does not take the place of what is.
template <class T>
PENCILBOX_DEVICE_FUNCTION inline T read_once(const T* from) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) == 16 && alignof(T) == 16);
#if defined(__CUDA_ARCH__)
  std::uint32_t word[4];
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
               : "l"(from));
  T value;
  std::memcpy(&value, word, sizeof(T));
  return value;
#else
  return *from;
#endif
}

}  // namespace pencilbox
