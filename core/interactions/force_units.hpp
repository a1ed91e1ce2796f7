// Forces of one pair of types in units of the repulsion, for kernels in which every operation of a
// pair counts: they multiply the sum over all pairs by `force_unit`.
#pragma once

#include <utility>

#include "core/interactions/lennard_jones.hpp"
#include "core/vec3.hpp"

namespace pencilbox {

/// Energies and the test of the cutoff are those of the interaction itself.
template <class Real, LennardJonesForm form>
struct LennardJonesInUnits : LennardJones<Real, form, OnePairOfTypes<LennardJonesConstants<Real>>> {
  using Plain = LennardJones<Real, form, OnePairOfTypes<LennardJonesConstants<Real>>>;

  Real force_unit;       ///< 48 epsilon sigma^12
  Real balance;          ///< 1 / (2 sigma^6)
  Real force_at_cutoff;  ///< in units

  explicit LennardJonesInUnits(const Plain& plain)
      : Plain(plain),
        force_unit(plain.pairs.constants.repulsion),
        balance(plain.pairs.constants.attraction / force_unit),
        force_at_cutoff(plain.pairs.constants.force_at_cutoff / force_unit) {}

  PENCILBOX_DEVICE_FUNCTION Real force_over_r(Real r2, std::int32_t, std::int32_t) const {
    const Real force = lennard_jones_force_in_units(balance, quick_reciprocal(r2));
    if constexpr (form == LennardJonesForm::shifted) return force;
    return times_plus(-force_at_cutoff, reciprocal(square_root(r2)), force);
  }
};

/// The interaction so, or as it is where its forces have no common unit.
template <class Interaction>
Interaction in_force_units(const Interaction& interaction) {
  return interaction;
}
template <class Real, LennardJonesForm form>
LennardJonesInUnits<Real, form> in_force_units(
    const LennardJones<Real, form, OnePairOfTypes<LennardJonesConstants<Real>>>& interaction) {
  return LennardJonesInUnits<Real, form>(interaction);
}

/// What in_force_units() makes of it.
template <class Interaction>
using InForceUnits = decltype(in_force_units(std::declval<const Interaction&>()));

/// A sum of forces, whole again.
template <class Interaction, class Force>
PENCILBOX_DEVICE_FUNCTION Vec3<Force> out_of_force_units(const Interaction& interaction,
                                                         const Vec3<Force>& sum) {
  if constexpr (requires { interaction.force_unit; }) {
    return static_cast<Force>(interaction.force_unit) * sum;
  } else {
    return sum;
  }
}

}  // namespace pencilbox
