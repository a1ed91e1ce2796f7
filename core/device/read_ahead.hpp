// Reads of global memory that keep their order.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/device/macros.hpp"

namespace pencilbox {

namespace detail {

template <bool is_read_again, class T>
PENCILBOX_DEVICE_FUNCTION inline T read_in_order(const T* from) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 16 == 0 && alignof(T) % 16 == 0);
#if defined(__CUDA_ARCH__)
  std::uint32_t word[sizeof(T) / 4];
  for (unsigned k = 0; k < sizeof(T) / 4; k += 4) {
    const std::uint32_t* const four = reinterpret_cast<const std::uint32_t*>(from) + k;
    if constexpr (is_read_again) {
      asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(word[k]), "=r"(word[k + 1]), "=r"(word[k + 2]), "=r"(word[k + 3])
                   : "l"(four));
    } else {
      asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(word[k]), "=r"(word[k + 1]), "=r"(word[k + 2]), "=r"(word[k + 3])
                   : "l"(four));
    }
  }
  T value;
  std::memcpy(&value, word, sizeof(T));
  return value;
#else
  return *from;
#endif
}

}  // namespace detail

/// *from, whole words of 16 bytes that nobody writes meanwhile. A compiler puts a read next to what
/// uses its value, to save a register, and there the warp waits. It does not move these past each
/// other, so one that stands before the next is under way by then; the assembler may still shift
/// them among the arithmetic.
template <class T>
PENCILBOX_DEVICE_FUNCTION inline T read_ahead(const T* from) {
  return detail::read_in_order<true>(from);
}

/// The same of what nobody reads again, so that it does not push what is out of the cache.
template <class T>
PENCILBOX_DEVICE_FUNCTION inline T read_once(const T* from) {
  return detail::read_in_order<false>(from);
}

/// Has the line of `from` brought nearer from memory, where a device can, and takes no register.
template <class T>
PENCILBOX_DEVICE_FUNCTION inline void fetch_ahead([[maybe_unused]] const T* from) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
#endif
}

}  // namespace pencilbox
