// What a lane sums up for the four targets of a cluster: as others do, or forces in whole quanta.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/interactions/force_quanta.hpp"
#include "neighbor/backends/cluster_list/clusters.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/walks/split_sums.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision, Wanted wanted, class Interaction>
struct ClusterSums {
  using Pair = typename Precision::Pair;
  using Sum = TargetSum<Precision, wanted>;
  static constexpr bool may_need_correction = false;

  Sum of[targets_of_a_cluster];

  /// A source at `place` and `shift` meets all targets. `exact(t)`: its separation from target t in
  /// double; `is_asked(t)`: whether it is another one, that counts.
  template <class Exact, class IsAsked>
  PENCILBOX_DEVICE_FUNCTION void add(const Interaction& interaction,
                                     const ClusterTargets<Pair>& targets, const Vec3<Pair>& place,
                                     const CellShift<Pair>& shift, std::int32_t type,
                                     const Exact& exact, const IsAsked& is_asked) {
    for (int t = 0; t < targets_of_a_cluster; ++t) {
      of[t].add_in_step(
          interaction, targets.at[t].position, place, shift, [&] { return exact(t); },
          static_cast<std::int32_t>(targets.at[t].type), type, is_asked(t));
    }
  }

  /// The sum of the target that falls to this lane, its force in the interaction's units.
  /// `sources`: that the lane has added. Every lane of the warp must call it.
  PENCILBOX_DEVICE_FUNCTION Sum whole(const Block& block, const Interaction&, const ListRows& rows,
                                      int /*sources*/) {
    return sum_over_lanes(block, of, rows.lanes);
  }
};

/// Whether a component of a force is summed in one word, so that twelve of them leave registers.
template <class Precision, class Interaction>
constexpr bool sums_in_words =
    std::is_same_v<typename Precision::Accumulator, float> || is_in_quanta<Interaction>;

/// Sums of whole numbers, modulo 2^32.
struct InWords {
  using Accumulator = std::uint32_t;
};

/// Forces in quanta. Those of pairs that are too near for them come out wrong: whether there are
/// any is known in the end, and correct() goes through the same sources once more.
template <class Precision, Wanted wanted, class Interaction>
requires is_in_quanta<Interaction>
struct ClusterSums<Precision, wanted, Interaction> {
  using Sum = TargetSum<Precision, wanted>;
  static constexpr bool may_need_correction = true;
  /// Of a row with so many sources the sum of all lanes fits as few bits as that of one.
  static constexpr Index longest_row = Interaction::most_forces - targets_of_a_cluster;

  /// Bits of forces with their anchors; quanta in the end.
  using Quanta = TargetSum<InWords, wanted>;
  Quanta of[targets_of_a_cluster];
  float least_r2 = Interaction::far_away;

  template <class Exact, class IsAsked>
  PENCILBOX_DEVICE_FUNCTION void add(const Interaction& interaction,
                                     const ClusterTargets<float>& targets, const Vec3<float>& place,
                                     const CellShift<float>&, std::int32_t, const Exact& exact,
                                     const IsAsked& is_asked) {
    for (int t = 0; t < targets_of_a_cluster; ++t) {
      const Vec3<float> separation = targets.at[t].position - place;
      const float r2 = squared(separation);
      of[t].force += interaction.bits(r2, separation, is_asked(t));
      least_r2 = std::fmin(least_r2, is_asked(t) ? r2 : Interaction::far_away);
      if constexpr (wanted == Wanted::forces_and_energies) {
        if (!is_asked(t) || !interaction.near_range(r2)) continue;
        Sum energies;
        energies.add_sums_at(interaction, exact(t).template to<float>(), 0, 0);
        of[t].energy += energies.energy;
        of[t].virial += energies.virial;
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION bool needs_correction(const Interaction& interaction) const {
    return interaction.is_too_near(least_r2);
  }
  /// Of the same source: takes out what is wrong. `exact`: forces that are in double for it.
  template <class IsAsked>
  PENCILBOX_DEVICE_FUNCTION void correct(
      const Interaction& interaction, const ClusterTargets<float>& targets,
      const Vec3<float>& place, const IsAsked& is_asked,
      TargetSum<Precision, Wanted::forces> (&exact)[targets_of_a_cluster]) {
    for (int t = 0; t < targets_of_a_cluster; ++t) {
      const Vec3<float> separation = targets.at[t].position - place;
      const float r2 = squared(separation);
      if (!is_asked(t) || !interaction.is_too_near(r2)) continue;
      of[t].force = of[t].force - interaction.bits(r2, separation, true) + interaction.no_force();
      exact[t].force += interaction.exact_force(separation);
    }
  }

  PENCILBOX_DEVICE_FUNCTION Sum whole(const Block& block, const Interaction& interaction,
                                      const ListRows& rows, int sources) {
    for (Quanta& sum : of) sum.force = interaction.quanta(sum.force, sources);
    Sum whole;
    if (rows.capacity <= longest_row) {
      whole = in_double(sum_over_lanes(block, of, rows.lanes));
    } else {
      Sum each[targets_of_a_cluster];
      for (int t = 0; t < targets_of_a_cluster; ++t) each[t] = in_double(of[t]);
      whole = sum_over_lanes(block, each, rows.lanes);
    }
    whole.force = interaction.quantum * whole.force;
    return whole;
  }

 private:
  PENCILBOX_DEVICE_FUNCTION static Sum in_double(const Quanta& sum) {
    Sum same;
    same.force = sum.force.template to<std::int32_t>().template to<double>();
    same.energy = sum.energy;
    same.virial = sum.virial;
    return same;
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
