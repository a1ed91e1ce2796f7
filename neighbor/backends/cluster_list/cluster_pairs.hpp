// What a source and the four targets of a cluster have to do with each other.
#pragma once

#include "neighbor/backends/cluster_list/cluster_sums.hpp"
#include "neighbor/walks/shared_shifts.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision, Wanted wanted, class Interaction,
          template <class> class ShiftsOf = SharedShifts>
struct ClusterPairs {
  using Pair = typename Precision::Pair;
  using Source = PackedPosition<Pair>;
  using Targets = ClusterTargets<Pair>;
  using Shifts = ShiftsOf<Pair>;
  using Sums = ClusterSums<Precision, wanted, Interaction>;
  using Sum = typename Sums::Sum;
  using Corrections = TargetSum<Precision, Wanted::forces>[targets_of_a_cluster];

  BinnedParticles<Precision> particles;
  Interaction interaction;

  /// A source meets all targets.
  PENCILBOX_DEVICE_FUNCTION void add(const Targets& targets, const ListEntry& entry,
                                     const Source& source, const Shifts& shift_of,
                                     Sums& sums) const {
    if constexpr (wanted == Wanted::counts) {
      if (entry.index() == particles.count) return;  // padding is no candidate
    }
    const Vec3<Pair> to_its_cell = shift_of[entry.code()];
    const Vec3<Pair> at = shift_first ? source.position + to_its_cell : source.position;
    const CellShift<Pair> shift{shift_first ? Vec3<Pair>{} : to_its_cell, {}};
    const auto exact = [&](int t) {
      return exact_separation(particles, targets.cluster.particle(t), entry.index(),
                              ShiftCode::shift(particles.grid, entry.code()));
    };
    sums.add(interaction, targets, at, shift, static_cast<std::int32_t>(source.type), exact,
             [&](int t) { return is_there(targets, t); });
  }

  /// The targets among themselves: a lane below their count takes one, `source`, as a source.
  PENCILBOX_DEVICE_FUNCTION void add_own(Index lane, const Targets& targets, const Source& source,
                                         Sums& sums) const {
    const auto exact = [&](int t) {
      return exact_separation(particles, targets.cluster.particle(t), targets.cluster.first + lane,
                              CellShift<Pair>{});
    };
    sums.add(interaction, targets, source.position, CellShift<Pair>{},
             static_cast<std::int32_t>(source.type), exact,
             [&](int t) { return t != lane && is_there(targets, t); });
  }

  /// A source, and one of the targets, once more: see ClusterSums.
  PENCILBOX_DEVICE_FUNCTION void correct(const Targets& targets, const ListEntry& entry,
                                         const Source& source, const Shifts& shift_of, Sums& sums,
                                         Corrections& exact) const {
    sums.correct(
        interaction, targets, source.position + shift_of[entry.code()], [](int) { return true; },
        exact);
  }
  PENCILBOX_DEVICE_FUNCTION void correct_own(Index lane, const Targets& targets,
                                             const Source& source, Sums& sums,
                                             Corrections& exact) const {
    sums.correct(
        interaction, targets, source.position, [&](int t) { return t != lane; }, exact);
  }

  /// The sum of the target that falls to this lane, its force no longer in units. `sources`:
  /// that the lane has added; `walk_again` corrects each of the lane's sources. Every lane of the
  /// warp must call it.
  template <class WalkAgain>
  PENCILBOX_DEVICE_FUNCTION Sum whole(const Block& block, Sums& sums, const ListRows& rows,
                                      int sources, const WalkAgain& walk_again) const {
    if constexpr (Sums::may_need_correction) {
      const bool needs_correction = sums.needs_correction(interaction);
      if (block.ballot(needs_correction) != 0) {
        Corrections exact;
        if (needs_correction) walk_again(exact);
        Sum whole = sums.whole(block, interaction, rows, sources);
        whole.force += sum_over_lanes(block, exact, rows.lanes).force;
        return out_of_units(whole);
      }
    }
    return out_of_units(sums.whole(block, interaction, rows, sources));
  }

 private:
  /// The shift is added once, and not for each target, where the two sides of a pair may differ by
  /// half of the last digit of a coordinate, or where no digit is lost.
  static constexpr bool shift_first = !pairs_must_cancel<Precision> || is_in_quanta<Interaction>;

  PENCILBOX_DEVICE_FUNCTION Sum out_of_units(Sum sum) const {
    if constexpr (wanted != Wanted::counts) {
      sum.force = out_of_force_units(interaction, sum.force);
    }
    return sum;
  }

  /// Whoever is missing is far from everybody: only who counts candidates must be told.
  PENCILBOX_DEVICE_FUNCTION static bool is_there(const Targets& targets, int t) {
    return wanted != Wanted::counts || t < targets.cluster.count;
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
