// The sum over one target's partners: what every back end does with a candidate, in one place.
#pragma once

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

  /// A candidate: target and source relative to their cells, and the image shift from the target's
  /// cell to the source's. The difference comes first: then rounding is the same from both sides,
  /// and the forces of a pair cancel to the last bit.
  template <class Interaction, class Pair>
  PENCILBOX_DEVICE_FUNCTION void add(const Interaction& interaction, const Vec3<Pair>& target,
                                     const Vec3<Pair>& source, const Vec3<Pair>& shift,
                                     std::int32_t target_type, std::int32_t source_type) {
    add(interaction, (target - source) - shift, target_type, source_type);
  }

  /// A candidate at `separation` = target - source (image included). `Pair` is the arithmetic of a
  /// pair, for which the interaction is compiled.
  template <class Interaction, class Pair>
  PENCILBOX_DEVICE_FUNCTION void add(const Interaction& interaction, const Vec3<Pair>& separation,
                                     std::int32_t target_type, std::int32_t source_type) {
    const Pair r2 = dot(separation, separation);
    if constexpr (wanted == Wanted::counts) energy += Accumulator(1);
    if (!interaction.in_range(r2)) return;
    if constexpr (wanted == Wanted::counts) {
      virial += Accumulator(1);
    } else {
      const auto term = interaction(r2, target_type, source_type);
      force += (term.force_over_r * separation).template to<Accumulator>();
      if constexpr (wanted == Wanted::forces_and_energies) {
        energy += static_cast<Accumulator>(term.energy);
        virial += static_cast<Accumulator>(term.force_over_r * r2);
      }
    }
  }

  /// The target's own image, `shift` away. Apart from the others because the difference of equal
  /// coordinates is exactly zero: in a box as wide as the cutoff rounding must not decide.
  template <class Interaction, class Pair>
  PENCILBOX_DEVICE_FUNCTION void add_own_image(const Interaction& interaction,
                                               const Vec3<Pair>& shift, std::int32_t type) {
    add(interaction, Pair(-1) * shift, type, type);
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
