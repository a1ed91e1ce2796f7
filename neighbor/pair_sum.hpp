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

/// The type of particle i for interactions that ask for it; others cost no read.
template <class Interaction>
PENCILBOX_DEVICE_FUNCTION std::int32_t type_if_needed(const std::int32_t* type, Index i) {
  if constexpr (Interaction::needs_types) {
    return type[i];
  } else {
    return 0;
  }
}

/// target - source from the positions of the state, in double.
template <class Precision, class Pair>
PENCILBOX_DEVICE_FUNCTION Vec3<double> exact_separation(const BinnedParticles<Precision>& particles,
                                                        Index target, Index source,
                                                        const CellShift<Pair>& shift) {
  const Vec3<double> from = particles.state_position[source].template to<double>();
  return (particles.state_position[target].template to<double>() - from) - shift.exact;
}

template <class Precision, Wanted wanted>
struct TargetSum {
  using Accumulator = typename Precision::Accumulator;

  Vec3<Accumulator> force;
  double energy = 0.0;  // sums of observables are double in every precision
  double virial = 0.0;

  /// A candidate: target and source relative to their cells, `shift` from the target's cell to the
  /// source's. `Pair` is the arithmetic of a pair, for which the interaction is compiled.
  ///
  /// The difference comes before the shift: then rounding is the same from both sides, and the
  /// forces of a pair cancel to the last bit.
  ///
  /// `exact()` gives the separation in double. Where energies are wanted and Pair is float, energy
  /// and virial are taken there, rounded once: of a virial large parts cancel, and what is left
  /// shows every digit that coordinates lost. Forces are taken at the plain separation in any case,
  /// so that their bits do not depend on whether somebody looks. (On a GPU nearly every candidate
  /// takes its warp through this branch: an exact separation at every step would cost a third of
  /// the speed.)
  template <class Interaction, class Pair, class Exact>
  PENCILBOX_DEVICE_FUNCTION void add(const Interaction& interaction, const Vec3<Pair>& target,
                                     const Vec3<Pair>& source, const CellShift<Pair>& shift,
                                     const Exact& exact, std::int32_t target_type,
                                     std::int32_t source_type) {
    if constexpr (wanted == Wanted::counts) energy += 1.0;
    const Vec3<Pair> separation = (target - source) - shift.rounded;
    const Pair r2 = dot(separation, separation);
    constexpr bool rounds_twice = std::is_same_v<Pair, float> && wanted != Wanted::forces;
    if (!(rounds_twice ? interaction.near_range(r2) : interaction.in_range(r2))) return;
    if constexpr (wanted != Wanted::counts) {
      if (!rounds_twice || interaction.in_range(r2)) {
        const auto term = interaction(r2, target_type, source_type);
        force += (term.force_over_r * separation).template to<Accumulator>();
        if constexpr (!rounds_twice && wanted == Wanted::forces_and_energies) add_sums(term, r2);
      }
    }
    if constexpr (rounds_twice) {
      const Vec3<Pair> better = exact().template to<Pair>();
      const Pair better_r2 = dot(better, better);
      if (!interaction.in_range(better_r2)) return;
      if constexpr (wanted == Wanted::forces_and_energies) {
        add_sums(interaction(better_r2, target_type, source_type), better_r2);
      }
    }
    if constexpr (wanted == Wanted::counts) virial += 1.0;
  }

  /// add() for positions and types as they are packed.
  template <class Interaction, class Pair, class Exact>
  PENCILBOX_DEVICE_FUNCTION void add_packed(const Interaction& interaction,
                                            const PackedPosition<Pair>& target,
                                            const PackedPosition<Pair>& source,
                                            const CellShift<Pair>& shift, const Exact& exact) {
    add(interaction, target.position, source.position, shift, exact,
        static_cast<std::int32_t>(target.type), static_cast<std::int32_t>(source.type));
  }

  /// The same for lanes that go together: where most of them have a partner sooner or later, all
  /// evaluate every candidate and drop what is none, which is cheaper than a branch, and lets the
  /// sums of several targets overlap. `is_other`: the source is not the target itself. Coordinates
  /// must be finite, those of padding too.
  template <class Interaction, class Pair, class Exact>
  PENCILBOX_DEVICE_FUNCTION void add_in_step(const Interaction& interaction,
                                             const Vec3<Pair>& target, const Vec3<Pair>& source,
                                             const CellShift<Pair>& shift, const Exact& exact,
                                             std::int32_t target_type, std::int32_t source_type,
                                             bool is_other) {
    if constexpr (wanted == Wanted::forces && !Interaction::needs_types) {
      const Vec3<Pair> separation = (target - source) - shift.rounded;
      const Pair r2 = dot(separation, separation);
      const auto term = interaction(r2, target_type, source_type);
      const Pair force_over_r = is_other && interaction.in_range(r2) ? term.force_over_r : Pair(0);
      force += (force_over_r * separation).template to<Accumulator>();
    } else if (is_other) {
      add(interaction, target, source, shift, exact, target_type, source_type);
    }
  }

  template <class Pair>
  PENCILBOX_DEVICE_FUNCTION void add_sums(const PairTerm<Pair>& term, Pair r2) {
    energy += static_cast<double>(term.energy);
    virial += static_cast<double>(term.force_over_r * r2);
  }

  /// Adds up the sums of each `lanes` neighbouring lanes of a warp (a power of two), in a fixed
  /// order; all of them get the result. Every lane of the warp must call it.
  PENCILBOX_DEVICE_FUNCTION void add_lanes(const Block& block, int lanes) {
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
      if constexpr (wanted != Wanted::counts) {
        force += Vec3<Accumulator>{block.shuffle_xor(force.x, distance),
                                   block.shuffle_xor(force.y, distance),
                                   block.shuffle_xor(force.z, distance)};
      }
      if constexpr (wanted != Wanted::forces) {
        energy += block.shuffle_xor(energy, distance);
        virial += block.shuffle_xor(virial, distance);
      }
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

/// The benchmark's: every candidate counts, in float throughout, as published.
template <class Precision>
struct TargetSum<Precision, Wanted::potential> {
  float energy = 0.0F;

  /// The shift comes first: it is the same for all sources of a cell, so it costs nothing.
  template <class Kernel, class Exact>
  PENCILBOX_DEVICE_FUNCTION void add(const Kernel& kernel, const Vec3<float>& target,
                                     const Vec3<float>& source, const CellShift<float>& shift,
                                     const Exact&, std::int32_t, std::int32_t) {
    energy += kernel.value(target - shift.rounded, source);
  }

  template <class Kernel, class Exact>
  PENCILBOX_DEVICE_FUNCTION void add_packed(const Kernel& kernel,
                                            const PackedPosition<float>& target,
                                            const PackedPosition<float>& source,
                                            const CellShift<float>& shift, const Exact& exact) {
    add(kernel, target.position, source.position, shift, exact, target.type, source.type);
  }

  template <class Kernel, class Exact>
  PENCILBOX_DEVICE_FUNCTION void add_in_step(const Kernel& kernel, const Vec3<float>& target,
                                             const Vec3<float>& source,
                                             const CellShift<float>& shift, const Exact& exact,
                                             std::int32_t target_type, std::int32_t source_type,
                                             bool is_other) {
    if (is_other) add(kernel, target, source, shift, exact, target_type, source_type);
  }

  PENCILBOX_DEVICE_FUNCTION void add_lanes(const Block& block, int lanes) {
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
      energy += block.shuffle_xor(energy, distance);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void store(const PairSumsView<Precision>& sums, Index target) const {
    sums.energy[target] = energy;
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
