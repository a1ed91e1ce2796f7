// The three kernels that "Few particles per cell" times (sections 7.1 and 7.2), and one that shows
// what its square root costs: a potential, no force, no cutoff test. Every candidate counts but the
// particle itself. They serve the benchmark and no simulation, so distances are in the benchmark's
// own unit, the side of its box.
//
// A functor gives value(target, source). Arithmetic as published: a square root and a division,
// though only even powers occur. `rootless` is the same value without the root.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/device/macros.hpp"
#include "core/device/math.hpp"
#include "core/vec3.hpp"

namespace pencilbox {

enum class CandidatePotential {
  position_sum,   ///< 5 FLOP: the components of the separation, summed
  lennard_jones,  ///< 18 FLOP: 4 (s^12 - s^6), s = 1 / sqrt(r^2 + 1e-5)
  extended,       ///< 168 FLOP: the same and 150 more
  rootless,       ///< 16 FLOP: 4 (t^6 - t^3), t = 1 / (r^2 + 1e-5)
};

inline constexpr std::array<std::string_view, 4> candidate_potential_names{
    "position-sum", "lennard-jones", "extended", "rootless"};
inline constexpr std::array<int, 4> candidate_potential_flop{5, 18, 168, 16};

struct CandidatePotentialModel {
  CandidatePotential kind = CandidatePotential::lennard_jones;
};

template <CandidatePotential kind>
struct CandidateKernel {
  using Real = float;
  static constexpr bool needs_types = false;

  PENCILBOX_DEVICE_FUNCTION static float value(const Vec3<float>& target,
                                               const Vec3<float>& source) {
    const Vec3<float> separation = target - source;
    if constexpr (kind == CandidatePotential::position_sum) {
      return separation.x + separation.y + separation.z;
    } else {
      constexpr float softening_squared = 1e-5F;
      const float s2 = inverse_square(dot(separation, separation) + softening_squared);
      const float s6 = s2 * s2 * s2;
      float potential = 4.0F * (s6 * s6 - s6);
      if constexpr (kind == CandidatePotential::extended) {
        constexpr int multiply_adds = 75;
        // The factor is below one, so that near pairs stay finite.
        for (int k = 0; k < multiply_adds; ++k) potential = 0.99F * potential + s2;
      }
      return potential;
    }
  }

 private:
  PENCILBOX_DEVICE_FUNCTION static float inverse_square(float r2) {
    if constexpr (kind == CandidatePotential::rootless) {
      return 1.0F / r2;
    } else {
      const float s = 1.0F / square_root(r2);
      return s * s;
    }
  }
};

/// Whether a functor is a potential and nothing else: no force, no cutoff.
template <class Interaction>
inline constexpr bool is_candidate_kernel = false;
template <CandidatePotential kind>
inline constexpr bool is_candidate_kernel<CandidateKernel<kind>> = true;

}  // namespace pencilbox
