// The benchmark's potentials by fewer operations, for back ends that are not of the paper: the same
// numbers but for rounding, without a root (only even powers occur), and with the quotient to a
// unit in the last place.
#pragma once

#include "neighbor/pair_sum.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// In units of `unit`, which a sum is multiplied by: once, not for each term. A term is
/// of_begun(begin()): who has several begins them all before the first is looked at, since a
/// quotient is waited for.
template <class Kernel>
struct QuickPotential {
  static constexpr float unit = 1.0F;
  static constexpr bool vanishes_far_away = false;

  PENCILBOX_DEVICE_FUNCTION static float begin(const Vec3<float>& target,
                                               const Vec3<float>& source) {
    return Kernel::value(target, source);
  }
  PENCILBOX_DEVICE_FUNCTION static float of_begun(float value) { return value; }
  /// What the source has of a pair whose target has `value`.
  PENCILBOX_DEVICE_FUNCTION static float seen_from_source(float value) {
    return std::is_same_v<Kernel, CandidateKernel<CandidatePotential::position_sum>> ? -value
                                                                                     : value;
  }
};

/// s^12 - s^6 with s^2 = 1 / (r^2 + 1e-5): ten operations.
struct QuickLennardJones {
  static constexpr float unit = 4.0F;
  static constexpr bool vanishes_far_away = true;

  PENCILBOX_DEVICE_FUNCTION static float begin(const Vec3<float>& target,
                                               const Vec3<float>& source) {
    constexpr float softening_squared = 1e-5F;
    const Vec3<float> apart = target - source;
    const float r2 =
        times_plus(apart.x, apart.x,
                   times_plus(apart.y, apart.y, times_plus(apart.z, apart.z, softening_squared)));
    return quick_reciprocal(r2);
  }
  PENCILBOX_DEVICE_FUNCTION static float of_begun(float s2) {
    const float s6 = s2 * s2 * s2;
    return times_plus(s6, s6, -s6);
  }
  PENCILBOX_DEVICE_FUNCTION static float seen_from_source(float value) { return value; }
};

template <>
struct QuickPotential<CandidateKernel<CandidatePotential::lennard_jones>> : QuickLennardJones {};
template <>
struct QuickPotential<CandidateKernel<CandidatePotential::rootless>> : QuickLennardJones {};

/// Of a potential without forces: every candidate counts, in float throughout.
template <class Precision, class Kernel>
struct QuickPotentialSum : SumOfCandidates<QuickPotentialSum<Precision, Kernel>> {
  using Quick = QuickPotential<Kernel>;

  float energy = 0.0F;  ///< in units of Quick::unit

  template <class Op>
  PENCILBOX_DEVICE_FUNCTION static QuickPotentialSum of_both(const QuickPotentialSum& a,
                                                             const QuickPotentialSum& b, Op&& op) {
    QuickPotentialSum sum;
    sum.energy = op(a.energy, b.energy);
    return sum;
  }

  template <class Exact>
  PENCILBOX_DEVICE_FUNCTION void add_in_step(const Kernel&, const Vec3<float>& target,
                                             const Vec3<float>& source,
                                             const CellShift<float>& shift, const Exact&,
                                             std::int32_t, std::int32_t, bool is_other) {
    add_term(Quick::of_begun(Quick::begin(target - shift.rounded, source)), is_other);
  }

  PENCILBOX_DEVICE_FUNCTION void add_term(float term, bool counts) {
    energy += counts ? term : 0.0F;
  }

  PENCILBOX_DEVICE_FUNCTION float whole() const { return Quick::unit * energy; }
  PENCILBOX_DEVICE_FUNCTION void store(const PairSumsView<Precision>& sums, Index target) const {
    sums.energy[target] = whole();
  }
};

/// What kernels are compiled for: without its root a potential is the same as with it.
template <class Interaction>
const Interaction& without_root(const Interaction& interaction) {
  return interaction;
}
inline CandidateKernel<CandidatePotential::lennard_jones> without_root(
    const CandidateKernel<CandidatePotential::rootless>&) {
  return {};
}

/// What a target sums up of this interaction.
template <class Precision, Wanted wanted, class Interaction>
using QuickSumOf =
    std::conditional_t<is_candidate_kernel<Interaction>, QuickPotentialSum<Precision, Interaction>,
                       TargetSum<Precision, wanted>>;

/// Whether what is far away adds nothing: all that has a cutoff, and what falls off fast.
template <class Interaction>
constexpr bool vanishes_far_away() {
  if constexpr (is_candidate_kernel<Interaction>) {
    return QuickPotential<Interaction>::vanishes_far_away;
  } else {
    return true;
  }
}

}  // namespace pencilbox::PENCILBOX_DEVICE
