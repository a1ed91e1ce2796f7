// The sum over one target's partners: what every back end does with a candidate, in one place.
#pragma once

#include <type_traits>

#include "core/particles.hpp"
#include "neighbor/backend.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Where a target's sums go.
template <class Precision>
struct PairSumsView {
  using Accumulator = typename Precision::Accumulator;
  Vec3View<Accumulator> force;
  Accumulator* energy;
  Accumulator* virial;

  explicit PairSumsView(PairSums<Precision>& sums)
      : force(sums.force.view()), energy(sums.energy.data()), virial(sums.virial.data()) {}
};

/// What splitting took from target - source; nothing where positions are not split.
template <class Precision>
PENCILBOX_DEVICE_FUNCTION Vec3<typename Precision::Pair> remainder_of_difference(
    const BinnedParticles<Precision>& particles, Index target, Index source) {
  if constexpr (split_position<Precision>) {
    return particles.remainder[target] - particles.remainder[source];
  } else {
    return {};
  }
}

template <class Precision, Wanted wanted>
struct TargetSum {
  using Accumulator = typename Precision::Accumulator;

  Vec3<Accumulator> force;
  double energy = 0.0;  // sums of observables are double in every precision
  double virial = 0.0;

  /// A candidate: target and source relative to their cells, `shift` from the target's cell to the
  /// source's. `Pair` is the arithmetic of a pair, for which the interaction is compiled.
  /// `remainder()` is what splitting took from target - source; it is asked for near the cutoff and
  /// within it only.
  ///
  /// The difference comes before the shift: then rounding is the same from both sides, and the
  /// forces of a pair cancel to the last bit.
  template <class Interaction, class Pair, class Remainder>
  PENCILBOX_DEVICE_FUNCTION void add(const Interaction& interaction, const Vec3<Pair>& target,
                                     const Vec3<Pair>& source, const CellShift<Pair>& shift,
                                     const Remainder& remainder, std::int32_t target_type,
                                     std::int32_t source_type) {
    if constexpr (wanted == Wanted::counts) energy += 1.0;
    Vec3<Pair> separation = (target - source) - shift.rounded;
    Pair r2 = dot(separation, separation);
    if constexpr (split_position<Precision>) {
      if (!interaction.near_range(r2)) return;
      separation += remainder() - shift.remainder;
      r2 = dot(separation, separation);
    }
    if (!interaction.in_range(r2)) return;
    if constexpr (wanted == Wanted::counts) {
      virial += 1.0;
    } else {
      add_partner(interaction, separation, r2, target_type, source_type);
    }
  }

  /// A partner within the cutoff at `separation` = target - source.
  template <class Interaction, class Pair>
  PENCILBOX_DEVICE_FUNCTION void add_partner(const Interaction& interaction,
                                             const Vec3<Pair>& separation, Pair r2,
                                             std::int32_t target_type, std::int32_t source_type) {
    const auto term = interaction(r2, target_type, source_type);
    force += (term.force_over_r * separation).template to<Accumulator>();
    if constexpr (wanted == Wanted::forces_and_energies) {
      energy += static_cast<double>(term.energy);
      virial += static_cast<double>(term.force_over_r * r2);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void store(const PairSumsView<Precision>& sums, Index target) const {
    if constexpr (wanted == Wanted::counts) {
      sums.energy[target] = static_cast<Accumulator>(energy);
      sums.virial[target] = static_cast<Accumulator>(virial);
    } else {
      sums.force.store(target, force);
      if constexpr (wanted == Wanted::forces_and_energies) {
        sums.energy[target] =
            static_cast<Accumulator>(0.5 * energy);  // the other half is the partner's
        sums.virial[target] = static_cast<Accumulator>(0.5 * virial);
      }
    }
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
