// The Lennard-Jones interaction, once for every back end, device and precision; its formula stands
// in lennard_jones_formula.inc.
//
// An interaction is a functor: `in_range(r2)` is the cutoff test (`near_range` a slightly wider one
// that comes first), `(r2, types)` gives force over distance and energy, `force_over_r` the force.
#pragma once

#include <vector>

#include "core/device/macros.hpp"
#include "core/device/math.hpp"
#include "core/interactions/lennard_jones_model.hpp"
#include "core/interactions/pair_constants.hpp"

namespace pencilbox {

/// The constants of one pair of types, so that a force costs no more arithmetic than it must.
template <class Real>
struct LennardJonesConstants {
  Real repulsion;        ///< 48 epsilon sigma^12
  Real attraction;       ///< 24 epsilon sigma^6
  Real energy_shift;     ///< subtracted from the energy
  Real force_at_cutoff;  ///< -u'(r_c) for force-shift, else 0
  Real cutoff;           ///< r_c [sigma]
  Real cutoff_squared;
};

/// A plain shift is a force-shift whose force at the cutoff is 0: to the bit the same, and a root
/// more.
enum class LennardJonesForm { shifted, force_shifted };

#include "core/interactions/lennard_jones_formula.inc"

/// `Pairs` finds the constants of two types: OnePairOfTypes or TableOfPairs.
template <class RealType, LennardJonesForm form, class Pairs>
struct LennardJones {
  using Real = RealType;
  static constexpr bool needs_types = Pairs::needs_types;

  Pairs pairs;
  Real cutoff_squared;  ///< of the pair with the largest; pairs with less are looked at again below
  Real near_squared;    ///< of a first test, on separations that are looked at again

  PENCILBOX_DEVICE_FUNCTION bool in_range(Real r2) const { return r2 < cutoff_squared; }
  PENCILBOX_DEVICE_FUNCTION bool near_range(Real r2) const { return r2 < near_squared; }

  PENCILBOX_DEVICE_FUNCTION PairTerm<Real> operator()(Real r2, std::int32_t type_a,
                                                      std::int32_t type_b) const {
    return term_of(r2, reciprocal(r2), pairs(type_a, type_b));
  }

  /// The force alone, as it is evaluated at every step.
  PENCILBOX_DEVICE_FUNCTION Real force_over_r(Real r2, std::int32_t type_a,
                                              std::int32_t type_b) const {
    return term_of(r2, quick_reciprocal(r2), pairs(type_a, type_b)).force_over_r;
  }

 private:
  PENCILBOX_DEVICE_FUNCTION PairTerm<Real> term_of(
      Real r2, Real inverse_r2, const LennardJonesConstants<Real>& constants) const {
    PairTerm<Real> term = lennard_jones(constants, inverse_r2);
    if constexpr (form == LennardJonesForm::force_shifted) shift_force(constants, r2, term);
    if constexpr (Pairs::needs_types) {
      const bool acts = r2 < constants.cutoff_squared;
      return {acts ? term.force_over_r : Real(0), acts ? term.energy : Real(0)};
    } else {
      return term;
    }
  }
};

/// One row for every pair of types of the model, row-major.
template <class Real>
std::vector<LennardJonesConstants<Real>> lennard_jones_constants(const LennardJonesModel& model) {
  std::vector<LennardJonesConstants<Real>> rows;
  for (const PairCoefficients& pair : model.pairs) {
    const double sigma = pair.sigma, sigma6 = sigma * sigma * sigma * sigma * sigma * sigma;
    const double cutoff = model.cutoff_of(pair);
    LennardJonesConstants<double> row{48.0 * pair.epsilon * sigma6 * sigma6,
                                      24.0 * pair.epsilon * sigma6,
                                      0.0,
                                      0.0,
                                      cutoff,
                                      cutoff * cutoff};
    if (model.truncation != Truncation::cut) {
      const auto at_cutoff = lennard_jones(row, 1.0 / row.cutoff_squared);
      row.energy_shift = at_cutoff.energy;
      if (model.truncation == Truncation::force_shift) {
        row.force_at_cutoff = at_cutoff.force_over_r * cutoff;
      }
    }
    rows.push_back({static_cast<Real>(row.repulsion), static_cast<Real>(row.attraction),
                    static_cast<Real>(row.energy_shift), static_cast<Real>(row.force_at_cutoff),
                    static_cast<Real>(row.cutoff), static_cast<Real>(row.cutoff_squared)});
  }
  return rows;
}

}  // namespace pencilbox
