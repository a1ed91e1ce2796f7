// Atomics that few kernels need: of words of 64 bits, and of three sums at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "core/device/device.hpp"
#include "core/vec3.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

PENCILBOX_DEVICE_FUNCTION inline std::uint64_t atomic_add(std::uint64_t* target,
                                                          std::uint64_t value) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return atomicAdd(reinterpret_cast<unsigned long long*>(target),
                   static_cast<unsigned long long>(value));
#else
  return std::atomic_ref<std::uint64_t>(*target).fetch_add(value, std::memory_order_relaxed);
#endif
}
/// Puts a value down and returns what stood there.
PENCILBOX_DEVICE_FUNCTION inline std::uint64_t atomic_exchange(std::uint64_t* target,
                                                               std::uint64_t value) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return atomicExch(reinterpret_cast<unsigned long long*>(target),
                    static_cast<unsigned long long>(value));
#else
  return std::atomic_ref<std::uint64_t>(*target).exchange(value, std::memory_order_relaxed);
#endif
}

/// Three numbers in a place for four.
template <class T>
struct alignas(16) PaddedVec3 {
  Vec3<T> value;
};

/// Adds to each of the three; where a device can, in one piece.
template <class T>
PENCILBOX_DEVICE_FUNCTION inline void atomic_add(PaddedVec3<T>* sum, const Vec3<T>& more) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (std::is_same_v<T, float>) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(sum), "f"(more.x), "f"(more.y), "f"(more.z), "f"(0.0F)
                 : "memory");
    return;
  }
#endif
  atomic_add(&sum->value.x, more.x);
  atomic_add(&sum->value.y, more.y);
  atomic_add(&sum->value.z, more.z);
}

}  // namespace pencilbox::PENCILBOX_DEVICE
