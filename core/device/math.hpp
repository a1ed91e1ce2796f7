// Arithmetic that devices spell differently.
#pragma once

#include <cmath>

#include "core/device/macros.hpp"

namespace pencilbox {

/// 1/x. In float on a GPU to one unit in the last place, which is what pair arithmetic needs and a
/// third of the instructions of a correctly rounded division.
template <class Real>
PENCILBOX_DEVICE_FUNCTION inline Real reciprocal(Real x) {
  return Real(1) / x;
}

#if defined(__CUDA_ARCH__)
template <>
__device__ __host__ inline float reciprocal(float x) {
  return __fdividef(1.0F, x);
}
#elif defined(__HIP_DEVICE_COMPILE__)
template <>
__device__ __host__ inline float reciprocal(float x) {
  return __builtin_amdgcn_rcpf(x);
}
#endif

PENCILBOX_DEVICE_FUNCTION inline float square_root(float x) { return sqrtf(x); }
PENCILBOX_DEVICE_FUNCTION inline double square_root(double x) { return sqrt(x); }

}  // namespace pencilbox
