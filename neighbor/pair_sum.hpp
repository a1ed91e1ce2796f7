// The sum over one target's partners: what every back end does with a candidate, in one place.
#pragma once

#include <type_traits>

#include "core/particles.hpp"
#include "neighbor/backend.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Where a target's sums go: into these arrays. (Or into a KickAndDrift, as forces.)
template <class Precision>
struct PairSumsView {
  using Accumulator = typename Precision::Accumulator;
  Vec3View<Accumulator> force;
  Accumulator* energy;
  Accumulator* virial;
  Index* candidates;
  Index* partners;

  explicit PairSumsView(PairSums<Precision>& sums)
      : force(sums.force.view()),
        energy(sums.energy.data()),
        virial(sums.virial.data()),
        candidates(sums.candidates.data()),
        partners(sums.partners.data()) {}
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

/// Whether sums keep more digits than pairs have: then the forces of a pair must cancel to the last
/// bit, or what is left of them shows. They do where both sides subtract the positions first and
/// the shift second.
template <class Precision>
constexpr bool pairs_must_cancel =
    !std::is_same_v<typename Precision::Pair, typename Precision::Accumulator>;

/// The square of a separation, to the bit the same in every kernel: which of the products is
/// rounded by itself, compilers choose now so and now so.
template <class Pair>
PENCILBOX_DEVICE_FUNCTION Pair squared(const Vec3<Pair>& separation) {
  const auto& [x, y, z] = separation;
  return times_plus(z, z, times_plus(y, y, x * x));
}

/// What sums of every kind take the same way. `Sum` says what it does with a candidate, add(), and
/// what two sums are together, number by number: of_both().
template <class Sum>
struct SumOfCandidates {
  /// add() for positions and types as they are packed.
  template <class Interaction, class Pair, class Exact>
  PENCILBOX_DEVICE_FUNCTION void add_packed(const Interaction& interaction,
                                            const PackedPosition<Pair>& target,
                                            const PackedPosition<Pair>& source,
                                            const CellShift<Pair>& shift, const Exact& exact) {
    self().add(interaction, target.position, source.position, shift, exact,
               static_cast<std::int32_t>(target.type), static_cast<std::int32_t>(source.type));
  }

  /// add() for lanes that go together. `is_other`: the source is not the target itself.
  template <class Interaction, class Pair, class Exact>
  PENCILBOX_DEVICE_FUNCTION void add_in_step(const Interaction& interaction,
                                             const Vec3<Pair>& target, const Vec3<Pair>& source,
                                             const CellShift<Pair>& shift, const Exact& exact,
                                             std::int32_t target_type, std::int32_t source_type,
                                             bool is_other) {
    if (is_other) {
      self().add(interaction, target, source, shift, exact, target_type, source_type);
    }
  }

  /// Adds up the sums of each `lanes` neighbouring lanes of a warp (a power of two), in a fixed
  /// order; all of them get the result. Every lane of the warp must call it.
  PENCILBOX_DEVICE_FUNCTION void add_lanes(const Block& block, int lanes) {
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
      self() = Sum::of_both(self(), self(), [&](auto mine, auto) {
        return mine + block.shuffle_xor(mine, distance);
      });
    }
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Sum& self() { return static_cast<Sum&>(*this); }
};

template <class Precision, Wanted wanted>
struct TargetSum : SumOfCandidates<TargetSum<Precision, wanted>> {
  using Accumulator = typename Precision::Accumulator;
  using Forms = SumOfCandidates<TargetSum<Precision, wanted>>;

  Vec3<Accumulator> force;
  double energy = 0.0;  // sums of observables are double in every precision
  double virial = 0.0;

  /// A sum that was taken in another precision.
  template <class Other>
  PENCILBOX_DEVICE_FUNCTION static TargetSum from(const Other& other) {
    TargetSum sum;
    sum.force = other.force.template to<Accumulator>();
    sum.energy = other.energy;
    sum.virial = other.virial;
    return sum;
  }

  template <class Op>
  PENCILBOX_DEVICE_FUNCTION static TargetSum of_both(const TargetSum& a, const TargetSum& b,
                                                     Op&& op) {
    TargetSum sum;
    sum.force = {op(a.force.x, b.force.x), op(a.force.y, b.force.y), op(a.force.z, b.force.z)};
    if constexpr (wanted == Wanted::forces_and_energies) {
      sum.energy = op(a.energy, b.energy);
      sum.virial = op(a.virial, b.virial);
    }
    return sum;
  }

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
    const Vec3<Pair> separation = (target - source) - shift.rounded;
    const Pair r2 = squared(separation);
    constexpr bool rounds_twice = std::is_same_v<Pair, float> && wanted != Wanted::forces;
    if (!(rounds_twice ? interaction.near_range(r2) : interaction.in_range(r2))) return;
    if (!rounds_twice || interaction.in_range(r2)) {
      const Pair force_over_r = interaction.force_over_r(r2, target_type, source_type);
      add_force(force_over_r, separation);
      if constexpr (!rounds_twice && wanted == Wanted::forces_and_energies) {
        add_sums(interaction(r2, target_type, source_type), r2);
      }
    }
    if constexpr (rounds_twice) {
      add_sums_at(interaction, exact().template to<Pair>(), target_type, source_type);
    }
  }

  /// Energy and virial, at the exact separation.
  template <class Interaction, class Pair>
  PENCILBOX_DEVICE_FUNCTION void add_sums_at(const Interaction& interaction,
                                             const Vec3<Pair>& separation, std::int32_t target_type,
                                             std::int32_t source_type) {
    const Pair r2 = dot(separation, separation);
    if (interaction.in_range(r2)) add_sums(interaction(r2, target_type, source_type), r2);
  }

  /// Where most lanes have a partner sooner or later, all evaluate every candidate and drop what is
  /// none, which is cheaper than a branch, and lets the sums of several targets overlap.
  /// Coordinates must be finite, those of padding too.
  template <class Interaction, class Pair, class Exact>
  PENCILBOX_DEVICE_FUNCTION void add_in_step(const Interaction& interaction,
                                             const Vec3<Pair>& target, const Vec3<Pair>& source,
                                             const CellShift<Pair>& shift, const Exact& exact,
                                             std::int32_t target_type, std::int32_t source_type,
                                             bool is_other) {
    if constexpr (wanted == Wanted::forces && !Interaction::needs_types) {
      const Vec3<Pair> separation = (target - source) - shift.rounded;
      const Pair r2 = squared(separation);
      const Pair force_over_r = interaction.force_over_r(r2, target_type, source_type);
      add_force_where(is_other && interaction.in_range(r2), force_over_r, separation);
    } else {
      Forms::add_in_step(interaction, target, source, shift, exact, target_type, source_type,
                         is_other);
    }
  }

  /// By the same operations wherever a force is added: its bits do not depend on the kernel.
  template <class Pair>
  PENCILBOX_DEVICE_FUNCTION void add_force(Pair over_r, const Vec3<Pair>& separation) {
    if constexpr (std::is_same_v<Pair, Accumulator>) {
      force = times_plus(over_r, separation, force);
    } else {
      force += (over_r * separation).template to<Accumulator>();
    }
  }
  template <class Pair>
  PENCILBOX_DEVICE_FUNCTION void add_force_where(bool counts, Pair over_r,
                                                 const Vec3<Pair>& separation) {
    if constexpr (std::is_same_v<Pair, Accumulator>) {
      add_product_where(counts, over_r, separation.x, force.x);
      add_product_where(counts, over_r, separation.y, force.y);
      add_product_where(counts, over_r, separation.z, force.z);
    } else {
      add_force(counts ? over_r : Pair(0), separation);
    }
  }

  template <class Pair>
  PENCILBOX_DEVICE_FUNCTION void add_sums(const PairTerm<Pair>& term, Pair r2) {
    energy += static_cast<double>(term.energy);
    virial += static_cast<double>(term.force_over_r * r2);
  }

  PENCILBOX_DEVICE_FUNCTION void store(const PairSumsView<Precision>& sums, Index target) const {
    sums.force.store(target, force);
    if constexpr (wanted == Wanted::forces_and_energies) {
      // The other half is the partner's.
      sums.energy[target] = static_cast<Accumulator>(0.5 * energy);
      sums.virial[target] = static_cast<Accumulator>(0.5 * virial);
    }
  }
  PENCILBOX_DEVICE_FUNCTION void store(const KickAndDrift<Precision>& move, Index target) const {
    static_assert(wanted == Wanted::forces);
    move(target, force);
  }
};

/// How many candidates were looked at, and which of them are in range: by the exact separation, as
/// energies are taken.
template <class Precision>
struct TargetSum<Precision, Wanted::counts>
    : SumOfCandidates<TargetSum<Precision, Wanted::counts>> {
  Index candidates = 0;
  Index partners = 0;

  template <class Other>
  PENCILBOX_DEVICE_FUNCTION static TargetSum from(const Other& other) {
    TargetSum sum;
    sum.candidates = other.candidates;
    sum.partners = other.partners;
    return sum;
  }

  template <class Op>
  PENCILBOX_DEVICE_FUNCTION static TargetSum of_both(const TargetSum& a, const TargetSum& b,
                                                     Op&& op) {
    TargetSum sum;
    sum.candidates = op(a.candidates, b.candidates);
    sum.partners = op(a.partners, b.partners);
    return sum;
  }

  template <class Interaction, class Pair, class Exact>
  PENCILBOX_DEVICE_FUNCTION void add(const Interaction& interaction, const Vec3<Pair>& target,
                                     const Vec3<Pair>& source, const CellShift<Pair>& shift,
                                     const Exact& exact, std::int32_t, std::int32_t) {
    ++candidates;
    const Vec3<Pair> separation = (target - source) - shift.rounded;
    const Pair r2 = squared(separation);
    if constexpr (std::is_same_v<Pair, float>) {
      if (!interaction.near_range(r2)) return;
      const Vec3<Pair> better = exact().template to<Pair>();
      if (interaction.in_range(dot(better, better))) ++partners;
    } else {
      if (interaction.in_range(r2)) ++partners;
    }
  }

  PENCILBOX_DEVICE_FUNCTION void store(const PairSumsView<Precision>& sums, Index target) const {
    sums.candidates[target] = candidates;
    sums.partners[target] = partners;
  }
};

/// Of a potential without forces: every candidate counts, in float throughout, as published.
template <class Precision>
struct PotentialSum : SumOfCandidates<PotentialSum<Precision>> {
  float energy = 0.0F;

  template <class Op>
  PENCILBOX_DEVICE_FUNCTION static PotentialSum of_both(const PotentialSum& a,
                                                        const PotentialSum& b, Op&& op) {
    PotentialSum sum;
    sum.energy = op(a.energy, b.energy);
    return sum;
  }

  /// The shift comes first: it is the same for all sources of a cell, so it costs nothing.
  template <class Kernel, class Exact>
  PENCILBOX_DEVICE_FUNCTION void add(const Kernel& kernel, const Vec3<float>& target,
                                     const Vec3<float>& source, const CellShift<float>& shift,
                                     const Exact&, std::int32_t, std::int32_t) {
    energy += kernel.value(target - shift.rounded, source);
  }

  PENCILBOX_DEVICE_FUNCTION void store(const PairSumsView<Precision>& sums, Index target) const {
    sums.energy[target] = energy;
  }
};

/// What a target sums up of this interaction.
template <class Precision, Wanted wanted, class Interaction>
using SumOf = std::conditional_t<is_candidate_kernel<Interaction>, PotentialSum<Precision>,
                                 TargetSum<Precision, wanted>>;

}  // namespace pencilbox::PENCILBOX_DEVICE
