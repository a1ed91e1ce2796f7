// Arithmetic that devices spell differently.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/device/launch_shape.hpp"
#include "core/device/macros.hpp"

namespace pencilbox {

/// 1/x to a unit in the last place: in float on a GPU the hardware's own estimate, one instruction.
/// It is off to the same side more often than not: that is nothing to a force, and adds up in a
/// virial, where large parts cancel.
template <class Real>
PENCILBOX_DEVICE_FUNCTION inline Real quick_reciprocal(Real x) {
  return Real(1) / x;
}

/// 1/x to half a unit in the last place or little more: in float on a GPU the estimate and one
/// Newton step, a third of the instructions of a correctly rounded division.
template <class Real>
PENCILBOX_DEVICE_FUNCTION inline Real reciprocal(Real x) {
  return Real(1) / x;
}

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
template <>
__device__ __host__ inline float quick_reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float estimate;  // by name: the compiler's words for it look after numbers beyond 2^126
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(x));
#else
  const float estimate = __builtin_amdgcn_rcpf(x);
#endif
  return estimate;
}
/// The estimate has 20 bits, and an error e becomes e^3. No branch, so that several pairs overlap:
/// a correctly rounded division has one, and twice the instructions.
template <>
__device__ __host__ inline double quick_reciprocal(double x) {
#if defined(__CUDA_ARCH__)
  double estimate;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(x));
#else
  const double estimate = __builtin_amdgcn_rcp(x);
#endif
  const double error = fma(-x, estimate, 1.0);
  return fma(estimate, fma(error, error, error), estimate);
}
template <>
__device__ __host__ inline float reciprocal(float x) {
  const float estimate = quick_reciprocal(x);
  return fmaf(estimate, fmaf(-x, estimate, 1.0F), estimate);
}
#endif

/// 1/sqrt(x) for x > 0, likewise: the hardware's estimate and one Newton step in float on a GPU.
template <class Real>
PENCILBOX_DEVICE_FUNCTION inline Real reciprocal_square_root(Real x) {
  return Real(1) / std::sqrt(x);
}

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
template <>
__device__ __host__ inline float reciprocal_square_root(float x) {
  const float estimate = rsqrtf(x);
  const float error = fmaf(-x * estimate, estimate, 1.0F);
  return fmaf(0.5F * estimate, error, estimate);
}
template <>
__device__ __host__ inline double reciprocal_square_root(double x) {
  return 1.0 / sqrt(x);
}
#endif

/// a b + c, which a GPU rounds once: left to compilers, that is done in one kernel and not in
/// another.
template <class Real>
PENCILBOX_DEVICE_FUNCTION inline Real times_plus(Real a, Real b, Real c) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// Adds a b to `sum` where it counts, without a branch.
template <class Real>
PENCILBOX_DEVICE_FUNCTION inline void add_product_where(bool counts, Real a, Real b, Real& sum) {
  sum = times_plus(counts ? a : Real(0), b, sum);
}

#if defined(__CUDA_ARCH__)
/// Under a predicate, which compilers do not choose by themselves: a selection less. (Of doubles
/// they make two selections of it.)
template <>
__device__ __host__ inline void add_product_where(bool counts, float a, float b, float& sum) {
  asm("{.reg .pred p; setp.ne.s32 p, %1, 0; @p fma.rn.f32 %0, %2, %3, %0;}"
      : "+f"(sum)
      : "r"(static_cast<int>(counts)), "f"(a), "f"(b));
}
#endif

/// How many bits are set. Not std::popcount on a device: as a host function, relaxed or not, it
/// compiles to 0 in CUDA's device code, without a word.
PENCILBOX_DEVICE_FUNCTION inline Index count_bits(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return static_cast<Index>(__popc(bits));
#elif defined(__HIP_DEVICE_COMPILE__)
  return static_cast<Index>(__builtin_popcount(bits));
#else
  return static_cast<Index>(std::popcount(bits));
#endif
}
PENCILBOX_DEVICE_FUNCTION inline Index count_bits(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return static_cast<Index>(__popcll(bits));
#elif defined(__HIP_DEVICE_COMPILE__)
  return static_cast<Index>(__builtin_popcountll(bits));
#else
  return static_cast<Index>(std::popcount(bits));
#endif
}

PENCILBOX_DEVICE_FUNCTION inline float square_root(float x) { return sqrtf(x); }
PENCILBOX_DEVICE_FUNCTION inline double square_root(double x) { return sqrt(x); }

}  // namespace pencilbox
