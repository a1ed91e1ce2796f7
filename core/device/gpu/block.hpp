// A block of threads on a GPU: indices, barrier, shared memory, warp operations, atomics.
// The emulator (host/block.hpp) gives the same words with checks.
//
// Kernels are callable on host and device, so that one file serves every device; these words then
// must be too, though a GPU build never calls them on the host. PENCILBOX_ON_DEVICE (this file
// only) gives each its body in the compiler's device pass and none in the host pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/gpu/vendor.hpp"
#include "core/device/launch_shape.hpp"
#include "core/device/macros.hpp"

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define PENCILBOX_ON_DEVICE(...) __VA_ARGS__
#else
#define PENCILBOX_ON_DEVICE(...) __builtin_unreachable()
#endif

namespace pencilbox::PENCILBOX_DEVICE {

/// An array in a block's shared memory. Elements are read and written whole.
template <class T>
class SharedArray {
 public:
  PENCILBOX_DEVICE_FUNCTION explicit SharedArray(T* data) : data_(data) {}
  PENCILBOX_DEVICE_FUNCTION T& operator[](Index i) const { return data_[i]; }

 private:
  T* data_;
};

class Block {
 public:
  /// A bit for each lane of a warp.
#if defined(PENCILBOX_DEVICE_CUDA)
  using Votes = std::uint32_t;
#else
  using Votes = std::uint64_t;
#endif

  PENCILBOX_DEVICE_FUNCTION int thread() const {
    PENCILBOX_ON_DEVICE(return static_cast<int>(threadIdx.x));
  }
  PENCILBOX_DEVICE_FUNCTION int threads() const {
    PENCILBOX_ON_DEVICE(return static_cast<int>(blockDim.x));
  }
  PENCILBOX_DEVICE_FUNCTION std::int64_t index() const { PENCILBOX_ON_DEVICE(return blockIdx.x); }
  PENCILBOX_DEVICE_FUNCTION std::int64_t blocks() const { PENCILBOX_ON_DEVICE(return gridDim.x); }
#if defined(PENCILBOX_DEVICE_CUDA)
  /// On NVIDIA's devices known to the compiler: lanes and warps take no division.
  PENCILBOX_DEVICE_FUNCTION static constexpr int warp_size() { return 32; }
#else
  PENCILBOX_DEVICE_FUNCTION static int warp_size() { PENCILBOX_ON_DEVICE(return warpSize); }
#endif
  PENCILBOX_DEVICE_FUNCTION int lane() const { return thread() % warp_size(); }
  PENCILBOX_DEVICE_FUNCTION int warp() const { return thread() / warp_size(); }

  /// Every thread of the block must call it.
  PENCILBOX_DEVICE_FUNCTION void barrier() const { PENCILBOX_ON_DEVICE(__syncthreads()); }

  /// Every thread of every block must call it, in a launch_at_once(). What was written before it is
  /// seen by all behind it.
  PENCILBOX_DEVICE_FUNCTION void grid_barrier() const {
    PENCILBOX_ON_DEVICE(cooperative_groups::this_grid().sync());
  }

  /// The next `count` elements of the block's dynamic shared memory; every thread must ask for the
  /// same arrays in the same order.
  template <class T>
  PENCILBOX_DEVICE_FUNCTION SharedArray<T> shared(Index count) const {
    PENCILBOX_ON_DEVICE(extern __shared__ __align__(16) unsigned char dynamic_shared_memory[];
                        used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
                        T* data = reinterpret_cast<T*>(dynamic_shared_memory + used_);
                        used_ += static_cast<std::size_t>(count) * sizeof(T);
                        return SharedArray<T>(data));
  }

  // Every lane of the warp must call these together.
#if defined(PENCILBOX_DEVICE_CUDA)
  PENCILBOX_DEVICE_FUNCTION void warp_barrier() const { PENCILBOX_ON_DEVICE(__syncwarp()); }
  template <class T>
  PENCILBOX_DEVICE_FUNCTION T shuffle(T value, int source_lane) const {
    PENCILBOX_ON_DEVICE(return __shfl_sync(all_lanes, value, source_lane));
  }
  template <class T>
  PENCILBOX_DEVICE_FUNCTION T shuffle_xor(T value, int mask) const {
    PENCILBOX_ON_DEVICE(return __shfl_xor_sync(all_lanes, value, mask));
  }
  template <class T>
  PENCILBOX_DEVICE_FUNCTION T shuffle_down(T value, int distance) const {
    PENCILBOX_ON_DEVICE(return __shfl_down_sync(all_lanes, value, distance));
  }
  PENCILBOX_DEVICE_FUNCTION Votes ballot(bool predicate) const {
    PENCILBOX_ON_DEVICE(return __ballot_sync(all_lanes, predicate));
  }
  /// The bits that any of each 32 neighbouring lanes has.
  PENCILBOX_DEVICE_FUNCTION std::uint32_t bits_of_any(std::uint32_t bits) const {
    PENCILBOX_ON_DEVICE(return __reduce_or_sync(all_lanes, bits));
  }
#else
  PENCILBOX_DEVICE_FUNCTION void warp_barrier() const {
#if defined(__HIP_PLATFORM_NVIDIA__)
    PENCILBOX_ON_DEVICE(__syncwarp());
#else
    PENCILBOX_ON_DEVICE(__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
                        __builtin_amdgcn_wave_barrier());
#endif
  }
  template <class T>
  PENCILBOX_DEVICE_FUNCTION T shuffle(T value, int source_lane) const {
    PENCILBOX_ON_DEVICE(return __shfl(value, source_lane));
  }
  template <class T>
  PENCILBOX_DEVICE_FUNCTION T shuffle_xor(T value, int mask) const {
    PENCILBOX_ON_DEVICE(return __shfl_xor(value, mask));
  }
  template <class T>
  PENCILBOX_DEVICE_FUNCTION T shuffle_down(T value, int distance) const {
    PENCILBOX_ON_DEVICE(return __shfl_down(value, static_cast<unsigned>(distance)));
  }
  PENCILBOX_DEVICE_FUNCTION Votes ballot(bool predicate) const {
    PENCILBOX_ON_DEVICE(return __ballot(predicate));
  }
  PENCILBOX_DEVICE_FUNCTION std::uint32_t bits_of_any(std::uint32_t bits) const {
    for (int distance = 16; distance > 0; distance /= 2) bits |= shuffle_xor(bits, distance);
    return bits;
  }
#endif

  /// Adds to an element of a shared array, returns what stood there.
  template <class T>
  PENCILBOX_DEVICE_FUNCTION T atomic_add(T& element, T value) const {
    PENCILBOX_ON_DEVICE(return atomicAdd(&element, value));
  }

 private:
#if defined(PENCILBOX_DEVICE_CUDA)
  static constexpr unsigned all_lanes = 0xffffffffU;
#endif
  [[maybe_unused]] mutable std::size_t used_ = 0;
};

/// Atomics on device memory; each returns what stood there.
template <class T>
PENCILBOX_DEVICE_FUNCTION T atomic_add(T* target, T value) {
  PENCILBOX_ON_DEVICE(return atomicAdd(target, value));
}
/// How many have asked at the counter before.
PENCILBOX_DEVICE_FUNCTION inline void take_ticket(Index* counter, Index* ticket) {
  *ticket = atomic_add(counter, Index{1});
}
template <class T>
PENCILBOX_DEVICE_FUNCTION T atomic_max(T* target, T value) {
  PENCILBOX_ON_DEVICE(return atomicMax(target, value));
}
PENCILBOX_DEVICE_FUNCTION inline std::int32_t atomic_min(std::int32_t* target, std::int32_t value) {
  PENCILBOX_ON_DEVICE(return atomicMin(target, value));
}
PENCILBOX_DEVICE_FUNCTION inline std::uint64_t atomic_min(std::uint64_t* target,
                                                          std::uint64_t value) {
  PENCILBOX_ON_DEVICE(return atomicMin(reinterpret_cast<unsigned long long*>(target),
                                       static_cast<unsigned long long>(value)));
}

}  // namespace pencilbox::PENCILBOX_DEVICE

#undef PENCILBOX_ON_DEVICE
