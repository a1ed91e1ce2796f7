// Flags by which devices tell each other how far they are, in memory that both reach; and counting
// where many threads count the same.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Who sees this value of the flag, on any device, sees what this stream has written before.
PENCILBOX_DEVICE_FUNCTION inline void raise_flag(std::uint32_t* flag, std::uint32_t value) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  __threadfence_system();
  *static_cast<volatile std::uint32_t*>(flag) = value;
#else
  std::atomic_ref<std::uint32_t>(*flag).store(value, std::memory_order_release);
#endif
}

/// Until the flag has this value, or one that was raised later. Who raises it must be under way:
/// the kernel that waits keeps its place on the device.
PENCILBOX_DEVICE_FUNCTION inline void wait_for_flag(std::uint32_t* flag, std::uint32_t value) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  while (static_cast<std::int32_t>(*static_cast<volatile std::uint32_t*>(flag) - value) < 0) {
  }
  __threadfence_system();
#else
  const std::atomic_ref<std::uint32_t> seen(*flag);
  while (static_cast<std::int32_t>(seen.load(std::memory_order_acquire) - value) < 0) {
  }
#endif
}

/// What was written before the flag was raised that this thread has waited for.
PENCILBOX_DEVICE_FUNCTION inline std::uint32_t look_at(const std::uint32_t* word) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return *static_cast<const volatile std::uint32_t*>(word);
#else
  return *word;
#endif
}

/// Adds one to a counter and returns what stood there. Threads of a warp that count the same one at
/// a time add up first: thousands of additions to one word would come one after the other.
PENCILBOX_DEVICE_FUNCTION inline Index count_up(Index* counter) {
#if defined(__CUDA_ARCH__)
  const unsigned same =
      __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(counter));
  const unsigned lane = threadIdx.x % 32;
  const int first = __ffs(static_cast<int>(same)) - 1;
  Index before = 0;
  if (static_cast<int>(lane) == first) before = atomicAdd(counter, __popc(same));
  before = __shfl_sync(same, before, first);
  return before + __popc(same & ((1U << lane) - 1U));
#else
  return atomic_add(counter, Index{1});
#endif
}

}  // namespace pencilbox::PENCILBOX_DEVICE
