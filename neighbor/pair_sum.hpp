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

template <class Precision, Wanted wanted>
struct TargetSum {
  using Accumulator = typename Precision::Accumulator;

  Vec3<Accumulator> force;
  Accumulator energy{};
  Accumulator virial{};

  /// A candidate: target and source relative to their cells, `shift` from the target's cell to the
  /// source's. `Pair` is the arithmetic of a pair, for which the interaction is compiled.
  ///
  /// The difference comes before the shift: then rounding is the same from both sides, and the
  /// forces of a pair cancel to the last bit. What the shift lost to rounding is taken off where it
  /// matters, from partners in range: left in, it acts on all pairs across a border alike and shows
  /// in the virial.
  template <class Interaction, class Pair>
  PENCILBOX_DEVICE_FUNCTION void add(const Interaction& interaction, const Vec3<Pair>& target,
                                     const Vec3<Pair>& source, const CellShift<Pair>& shift,
                                     std::int32_t target_type, std::int32_t source_type) {
    const Vec3<Pair> separation = (target - source) - shift.rounded;
    const Pair r2 = dot(separation, separation);
    if constexpr (wanted == Wanted::counts) energy += Accumulator(1);
    if (!interaction.in_range(r2)) return;
    if constexpr (wanted == Wanted::counts) {
      virial += Accumulator(1);
    } else if constexpr (std::is_same_v<Pair, double>) {
      add_partner(interaction, separation, r2, target_type, source_type);
    } else {
      const Vec3<Pair> corrected = separation - shift.remainder;
      add_partner(interaction, corrected, dot(corrected, corrected), target_type, source_type);
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
      energy += static_cast<Accumulator>(term.energy);
      virial += static_cast<Accumulator>(term.force_over_r * r2);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void store(const PairSumsView<Precision>& sums, Index target) const {
    if constexpr (wanted == Wanted::counts) {
      sums.energy[target] = energy;
      sums.virial[target] = virial;
    } else {
      sums.force.store(target, force);
      if constexpr (wanted == Wanted::forces_and_energies) {
        sums.energy[target] = Accumulator(0.5) * energy;  // the other half is the partner's
        sums.virial[target] = Accumulator(0.5) * virial;
      }
    }
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
