// A pair that is evaluated once, for both of its ends: what target and source get of it, and the
// way into sums that many threads add to.
#pragma once

#include "neighbor/walks/quick_potential.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Adds the pair to both sums, where it counts; what both get is to the bit the same, forces with
/// opposite signs.
template <class Precision, Wanted wanted, class Interaction, class Pair, class Exact>
PENCILBOX_DEVICE_FUNCTION void add_to_both(const Interaction& interaction, const Vec3<Pair>& target,
                                           const Vec3<Pair>& source, const CellShift<Pair>& shift,
                                           const Exact& exact, std::int32_t target_type,
                                           std::int32_t source_type, bool counts,
                                           TargetSum<Precision, wanted>& target_sum,
                                           TargetSum<Precision, wanted>& source_sum) {
  using Sum = TargetSum<Precision, wanted>;
  Sum pair;
  pair.add_in_step(interaction, target, source, shift, exact, target_type, source_type, counts);
  const auto plus = [](auto a, auto b) { return a + b; };
  target_sum = Sum::of_both(target_sum, pair, plus);
  if constexpr (wanted != Wanted::counts)
    pair.force = {-pair.force.x, -pair.force.y, -pair.force.z};
  source_sum = Sum::of_both(source_sum, pair, plus);
}

/// Adds to what stands there of a particle, which others may add to at the same time.
template <class Precision, Wanted wanted>
PENCILBOX_DEVICE_FUNCTION void add_to(const PairSumsView<Precision>& sums, Index i,
                                      const TargetSum<Precision, wanted>& sum) {
  using Accumulator = typename Precision::Accumulator;
  if constexpr (wanted == Wanted::counts) {
    atomic_add(&sums.candidates[i], sum.candidates);
    atomic_add(&sums.partners[i], sum.partners);
  } else {
    atomic_add(&sums.force.x[i], sum.force.x);
    atomic_add(&sums.force.y[i], sum.force.y);
    atomic_add(&sums.force.z[i], sum.force.z);
    if constexpr (wanted == Wanted::forces_and_energies) {
      // The other half is the partner's.
      atomic_add(&sums.energy[i], static_cast<Accumulator>(0.5 * sum.energy));
      atomic_add(&sums.virial[i], static_cast<Accumulator>(0.5 * sum.virial));
    }
  }
}
template <class Precision, class Kernel>
PENCILBOX_DEVICE_FUNCTION void add_to(const PairSumsView<Precision>& sums, Index i,
                                      const QuickPotentialSum<Precision, Kernel>& sum) {
  atomic_add(&sums.energy[i], sum.whole());
}

/// What sums that are added to begin with.
template <class Precision, Wanted wanted, bool potential_alone>
struct ClearSums {
  static constexpr const char* name = "half-shell: clear";
  PairSumsView<Precision> sums;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if constexpr (wanted == Wanted::counts) {
      sums.candidates[i] = 0;
      sums.partners[i] = 0;
    } else if constexpr (potential_alone) {
      sums.energy[i] = 0;
    } else {
      sums.force.store(i, {});
      if constexpr (wanted == Wanted::forces_and_energies) {
        sums.energy[i] = 0;
        sums.virial[i] = 0;
      }
    }
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
