// Softened gravity, which acts at any distance:
//
//   u(r) = -G m_a m_b / sqrt(r^2 + softening^2)
//
// Plummer's softening: Nyland, Harris, Prins, Fast N-body simulation with CUDA, GPU Gems 3, chapter
// 31, equations 2 and 3.
#pragma once

#include <cstdint>
#include <vector>

#include "core/device/macros.hpp"
#include "core/device/math.hpp"
#include "core/interactions/pair_constants.hpp"

namespace pencilbox {

struct SoftenedGravityModel {
  double gravitational_constant = 1.0;
  double softening = 0.05;          ///< length, > 0
  std::vector<double> masses{1.0};  ///< of each type
};

/// G m_a m_b for every pair of types, row-major.
template <class Real>
std::vector<Real> gravity_strengths(const SoftenedGravityModel& model) {
  std::vector<Real> rows;
  for (const double a : model.masses) {
    for (const double b : model.masses) {
      rows.push_back(static_cast<Real>(model.gravitational_constant * a * b));
    }
  }
  return rows;
}

template <class RealType, class Pairs>
struct SoftenedGravity {
  using Real = RealType;
  static constexpr bool needs_types = Pairs::needs_types;

  Pairs strengths;
  Real softening_squared;

  PENCILBOX_DEVICE_FUNCTION static bool in_range(Real) { return true; }
  PENCILBOX_DEVICE_FUNCTION static bool near_range(Real) { return true; }

  PENCILBOX_DEVICE_FUNCTION PairTerm<Real> operator()(Real r2, std::int32_t type_a,
                                                      std::int32_t type_b) const {
    const Real inverse = reciprocal_square_root(r2 + softening_squared);
    const Real energy = -strengths(type_a, type_b) * inverse;
    return {energy * (inverse * inverse), energy};
  }
  PENCILBOX_DEVICE_FUNCTION Real force_over_r(Real r2, std::int32_t type_a,
                                              std::int32_t type_b) const {
    return (*this)(r2, type_a, type_b).force_over_r;
  }
};

}  // namespace pencilbox
