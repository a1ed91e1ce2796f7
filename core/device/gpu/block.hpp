// A block of threads on a GPU: indices, barrier, shared memory, warp operations, atomics.
// The emulator (host/block.hpp) gives the same words with checks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/gpu/vendor.hpp"
#include "core/device/launch_shape.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// An array in a block's shared memory. Elements are read and written whole.
template <class T>
class SharedArray {
 public:
  __device__ explicit SharedArray(T* data) : data_(data) {}
  __device__ T& operator[](Index i) const { return data_[i]; }

 private:
  T* data_;
};

class Block {
 public:
  __device__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int threads() const { return static_cast<int>(blockDim.x); }
  __device__ std::int64_t index() const { return blockIdx.x; }
  __device__ std::int64_t blocks() const { return gridDim.x; }

#if defined(PENCILBOX_DEVICE_CUDA)
  __device__ static constexpr int warp_size() { return 32; }
#else
  __device__ static int warp_size() { return warpSize; }
#endif
  __device__ int lane() const { return thread() % warp_size(); }
  __device__ int warp() const { return thread() / warp_size(); }

  /// Every thread of the block must call it.
  __device__ void barrier() const { __syncthreads(); }

  /// The next `count` elements of the block's dynamic shared memory; every thread must ask for the
  /// same arrays in the same order.
  template <class T>
  __device__ SharedArray<T> shared(Index count) const {
    extern __shared__ __align__(16) unsigned char memory[];
    used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
    T* data = reinterpret_cast<T*>(memory + used_);
    used_ += static_cast<std::size_t>(count) * sizeof(T);
    return SharedArray<T>(data);
  }

  // Every lane of the warp must call these together.
#if defined(PENCILBOX_DEVICE_CUDA)
  __device__ void warp_barrier() const { __syncwarp(); }
  template <class T>
  __device__ T shuffle(T value, int source_lane) const {
    return __shfl_sync(all_lanes, value, source_lane);
  }
  template <class T>
  __device__ T shuffle_xor(T value, int mask) const {
    return __shfl_xor_sync(all_lanes, value, mask);
  }
  template <class T>
  __device__ T shuffle_down(T value, int distance) const {
    return __shfl_down_sync(all_lanes, value, distance);
  }
  __device__ std::uint64_t ballot(bool predicate) const {
    return __ballot_sync(all_lanes, predicate);
  }
#else
  __device__ void warp_barrier() const { __builtin_amdgcn_wave_barrier(); }
  template <class T>
  __device__ T shuffle(T value, int source_lane) const {
    return __shfl(value, source_lane);
  }
  template <class T>
  __device__ T shuffle_xor(T value, int mask) const {
    return __shfl_xor(value, mask);
  }
  template <class T>
  __device__ T shuffle_down(T value, int distance) const {
    return __shfl_down(value, static_cast<unsigned>(distance));
  }
  __device__ std::uint64_t ballot(bool predicate) const { return __ballot(predicate); }
#endif

  /// Adds to an element of a shared array, returns what stood there.
  template <class T>
  __device__ T atomic_add(T& element, T value) const {
    return atomicAdd(&element, value);
  }

 private:
#if defined(PENCILBOX_DEVICE_CUDA)
  static constexpr unsigned all_lanes = 0xffffffffU;
#endif
  mutable std::size_t used_ = 0;
};

/// Atomics on device memory; each returns what stood there.
template <class T>
__device__ T atomic_add(T* target, T value) {
  return atomicAdd(target, value);
}
template <class T>
__device__ T atomic_max(T* target, T value) {
  return atomicMax(target, value);
}
__device__ inline std::uint64_t atomic_min(std::uint64_t* target, std::uint64_t value) {
  return atomicMin(reinterpret_cast<unsigned long long*>(target),
                   static_cast<unsigned long long>(value));
}

}  // namespace pencilbox::PENCILBOX_DEVICE
