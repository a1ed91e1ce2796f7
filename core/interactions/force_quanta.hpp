// Forces of pairs in whole numbers, for sums that keep more digits than pairs have: whole numbers
// add up exactly, in any order, so the two forces of a pair cancel to the last bit of their sums.
//
// A component of a force is added to an anchor so large that it is rounded to a multiple of a
// quantum there, by the one operation that multiplies it out; the bits of the result, as a whole
// number, are those of the anchor and so many quanta more. That is an operation for two pairs
// beside what single precision does, where a double would cost a conversion and an addition each.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/interactions/force_units.hpp"

namespace pencilbox {

template <LennardJonesForm form>
struct LennardJonesInQuanta : LennardJonesInUnits<float, form> {
  using InUnits = LennardJonesInUnits<float, form>;

  /// A force has at most so many quanta.
  static constexpr int bits_of_largest = 22;
  /// So many forces fit a sum.
  static constexpr int most_forces = (1 << (31 - bits_of_largest)) - 1;
  /// The force is the largest possible at about this distance, where hardly a pair of a liquid is.
  static constexpr double nearest_of_sigma = 0.9;
  static constexpr float far_away = std::numeric_limits<float>::max();  ///< squared

  double quantum;         ///< a power of two [units]
  float anchor;           ///< in the middle between two powers of two, quanta 1 to the last bit
  float nearest_squared;  ///< pairs that are nearer are not for quanta [sigma^2]

  explicit LennardJonesInQuanta(const typename InUnits::Plain& plain) : InUnits(plain) {
    // The force is below r^-13 in units, but for what force-shift adds.
    const auto repulsion_at = [](double r) { return std::pow(r, -13.0); };
    const double sigma = std::pow(0.5 / static_cast<double>(this->balance), 1.0 / 6.0);
    const double wanted = repulsion_at(nearest_of_sigma * sigma);
    quantum = std::exp2(std::ceil(std::log2(wanted)) - bits_of_largest);
    anchor = static_cast<float>(quantum * (3 << bits_of_largest));
    constexpr double margin = 1.001;
    const double nearest = margin * std::pow(quantum * (1 << bits_of_largest), -1.0 / 13.0);
    nearest_squared = static_cast<float>(nearest * nearest);
  }

  PENCILBOX_DEVICE_FUNCTION bool is_too_near(float r2) const { return r2 < nearest_squared; }

  /// Of a pair's force, if it counts and is in range, and the anchor. By the same operations
  /// wherever it is called: what is wrong for a pair that is too near can be taken out again.
  PENCILBOX_DEVICE_FUNCTION Vec3<std::uint32_t> bits(float r2, const Vec3<float>& separation,
                                                     bool counts) const {
    const float force = this->force_over_r(r2, 0, 0);
    const float over_r = counts && this->in_range(r2) ? force : 0.0F;
    return {bits_of(times_plus(over_r, separation.x, anchor)),
            bits_of(times_plus(over_r, separation.y, anchor)),
            bits_of(times_plus(over_r, separation.z, anchor))};
  }
  PENCILBOX_DEVICE_FUNCTION Vec3<std::uint32_t> no_force() const {
    return {bits_of(anchor), bits_of(anchor), bits_of(anchor)};
  }
  /// What so many of them have summed up without their anchors, as numbers of 32 bits with a sign.
  PENCILBOX_DEVICE_FUNCTION Vec3<std::uint32_t> quanta(const Vec3<std::uint32_t>& bits,
                                                       int forces) const {
    const std::uint32_t anchors = static_cast<std::uint32_t>(forces) * bits_of(anchor);
    return {bits.x - anchors, bits.y - anchors, bits.z - anchors};
  }

  /// Of a pair that is not for quanta [units].
  PENCILBOX_DEVICE_FUNCTION Vec3<double> exact_force(const Vec3<float>& separation) const {
    const Vec3<double> exact = separation.template to<double>();
    const double r2 = dot(exact, exact);
    double over_r = lennard_jones_force_in_units(static_cast<double>(this->balance), 1.0 / r2);
    if constexpr (form == LennardJonesForm::force_shifted) {
      over_r -= static_cast<double>(this->force_at_cutoff) / square_root(r2);
    }
    return over_r * exact;
  }

 private:
  PENCILBOX_DEVICE_FUNCTION static std::uint32_t bits_of(float number) {
    return std::bit_cast<std::uint32_t>(number);
  }
};

/// The interaction so, where it has one.
template <LennardJonesForm form>
LennardJonesInQuanta<form> in_force_quanta(
    const LennardJones<float, form, OnePairOfTypes<LennardJonesConstants<float>>>& interaction) {
  return LennardJonesInQuanta<form>(interaction);
}

template <class Interaction>
constexpr bool has_force_quanta = requires(const Interaction& it) {
  in_force_quanta(it);
};

/// Whether these are forces in quanta.
template <class Interaction>
constexpr bool is_in_quanta = requires(const Interaction& it) {
  it.quantum;
};

}  // namespace pencilbox
