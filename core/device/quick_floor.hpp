// Arithmetic that is good to a few units in the last place, for who asks again where that is too
// little to tell.
#pragma once

#include <cmath>

#include "core/device/launch_shape.hpp"
#include "core/device/macros.hpp"

namespace pencilbox {

/// The root of x >= 0 to two units in the last place; on a GPU the hardware's own estimate, one
/// instruction.
PENCILBOX_DEVICE_FUNCTION inline float quick_square_root(float x) {
#if defined(__CUDA_ARCH__)
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
#elif defined(__HIP_DEVICE_COMPILE__)
  return __builtin_amdgcn_sqrtf(x);
#else
  return sqrtf(x);
#endif
}

/// The whole part of a b, for 0 <= a b < 2^23. In CUDA without a conversion, which is as slow there
/// as a root: behind 2^23 a float has whole numbers only.
PENCILBOX_DEVICE_FUNCTION inline Index floor_of_product(float a, float b) {
#if defined(__CUDA_ARCH__)
  constexpr float whole = 8388608.0F;  // 2^23
  constexpr Index bits_of_whole = 0x4B000000;
  return __float_as_int(__fmaf_rz(a, b, whole)) - bits_of_whole;
#else
  return static_cast<Index>(a * b);
#endif
}

}  // namespace pencilbox
