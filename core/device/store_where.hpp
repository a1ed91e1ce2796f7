// A store that some threads of a warp make and others do not, without a branch.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/device/macros.hpp"

namespace pencilbox {

/// *to = value, where it `is_wanted`. A compiler branches around a store and what leads to its
/// address; where nearly always some lane of a warp wants it, that costs more than it saves.
template <class T>
PENCILBOX_DEVICE_FUNCTION inline void store_where(bool is_wanted, T* to, const T& value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) == sizeof(std::uint32_t));
#if defined(__CUDA_ARCH__)
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof(T));
  asm volatile(
      "{ .reg .pred wanted; setp.ne.u32 wanted, %0, 0; @wanted st.global.u32 [%1], %2; }" ::"r"(
          static_cast<std::uint32_t>(is_wanted)),
      "l"(to), "r"(word)
      : "memory");
#else
  if (is_wanted) *to = value;
#endif
}

}  // namespace pencilbox
