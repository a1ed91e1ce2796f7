// Four targets that share a row of sources, and what they sum up of a source.
#pragma once

#include "core/interactions/force_units.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/walks/list_rows.hpp"
#include "neighbor/walks/shared_shifts.hpp"
#include "neighbor/walks/split_sums.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

constexpr int targets_of_a_cluster = 4;

/// Targets [first, first + count), all in one cell.
struct alignas(8) Cluster {
  Index first = 0;
  Index count = 0;  ///< at most targets_of_a_cluster
};

/// From where clusters take numbers of their own: those in the border of a rank's cells from the
/// last one down, so that each part has a range for itself.
struct ClusterNumbers {
  Index* taken = nullptr;  ///< [2] from the first one up, and down from the last
  Index most = 0;

  /// The first of so many that follow each other.
  PENCILBOX_DEVICE_FUNCTION Index take(Index wanted, bool in_border) const {
    const Index before = atomic_add(taken + (in_border ? 1 : 0), wanted);
    return in_border ? most - before - wanted : before;
  }
};

/// Clusters are numbered as warps come to their cells: those in the border of a rank's cells from
/// the last number down.
struct ClustersView {
  Cluster* cluster;  ///< [most]
  Index* count;      ///< [2] from the first one up, and down from the last
  Index most;

  PENCILBOX_DEVICE_FUNCTION ClusterNumbers numbers() const { return {count, most}; }
};

/// Those of a part of the targets, one after the other.
struct ClustersOfPart {
  Index interior, border, most;

  PENCILBOX_DEVICE_FUNCTION ClustersOfPart(const ClustersView& clusters, PartOfTargets part)
      : interior(part == PartOfTargets::border ? 0 : clusters.count[0]),
        border(part == PartOfTargets::interior ? 0 : clusters.count[1]),
        most(clusters.most) {}

  PENCILBOX_DEVICE_FUNCTION Index count() const { return interior + border; }
  /// Of number k among them.
  PENCILBOX_DEVICE_FUNCTION Index row(Index k) const {
    return k < interior ? k : most - border + (k - interior);
  }
};

/// The lanes of a row fall to its targets in equal shares: powers of two.
struct LanesOfTargets {
  Index bits;  ///< of how many each gets

  PENCILBOX_DEVICE_FUNCTION explicit LanesOfTargets(const ListRows& rows)
      : bits(rows.lane_bits - 2) {
    static_assert(targets_of_a_cluster == 1 << 2);
  }

  PENCILBOX_DEVICE_FUNCTION Index target(Index lane) const { return lane >> bits; }
  PENCILBOX_DEVICE_FUNCTION Index first_of(Index target) const { return target << bits; }
  PENCILBOX_DEVICE_FUNCTION bool is_first(Index lane) const {
    return first_of(target(lane)) == lane;
  }
};

/// What a lane knows of the cluster. Where a target is missing there is nobody, far away.
template <class Pair>
struct ClusterTargets {
  using Source = PackedPosition<Pair>;
  Cluster cluster;
  Source at[targets_of_a_cluster];

  PENCILBOX_DEVICE_FUNCTION Index particle(int t) const {
    return cluster.first + (t < cluster.count ? t : 0);
  }
  PENCILBOX_DEVICE_FUNCTION static Source nobody() { return {Pair(-1) * Source::far_away(), 0}; }
};

template <class Precision, Wanted wanted, class Interaction>
struct ClusterPairs {
  using Pair = typename Precision::Pair;
  using Source = PackedPosition<Pair>;
  using Targets = ClusterTargets<Pair>;
  using Shifts = SharedShifts<Pair>;
  using Sum = TargetSum<Precision, wanted>;

  BinnedParticles<Precision> particles;
  Interaction interaction;

  /// A source meets all targets.
  PENCILBOX_DEVICE_FUNCTION void add(const Targets& targets, const ListEntry& entry,
                                     const Source& source, const Shifts& shift_of,
                                     Sum (&sum)[targets_of_a_cluster]) const {
    if constexpr (wanted == Wanted::counts) {
      if (entry.index() == particles.count) return;  // padding is no candidate
    }
    // The shift is added once, and not for each target, where the two sides of a pair may differ by
    // half of the last digit of a coordinate.
    const Vec3<Pair> to_its_cell = shift_of[entry.code()];
    constexpr bool once = !pairs_must_cancel<Precision>;
    const Vec3<Pair> at = once ? source.position + to_its_cell : source.position;
    const CellShift<Pair> shift{once ? Vec3<Pair>{} : to_its_cell, {}};
    for (int t = 0; t < targets_of_a_cluster; ++t) {
      const auto exact = [&] {
        return exact_separation(particles, targets.particle(t), entry.index(),
                                ShiftCode::shift(particles.grid, entry.code()));
      };
      add_pair(targets, t, at, source.type, shift, exact, is_asked(targets, t), sum[t]);
    }
  }

  /// The targets among themselves: a lane below their count takes one, `source`, as a source.
  PENCILBOX_DEVICE_FUNCTION void add_own(Index lane, const Targets& targets, const Source& source,
                                         Sum (&sum)[targets_of_a_cluster]) const {
    for (int t = 0; t < targets_of_a_cluster; ++t) {
      const auto exact = [&] {
        return exact_separation(particles, targets.particle(t), targets.cluster.first + lane,
                                CellShift<Pair>{});
      };
      add_pair(targets, t, source.position, source.type, CellShift<Pair>{}, exact,
               t != lane && is_asked(targets, t), sum[t]);
    }
  }

  /// The sum of the target that falls to this lane, its force no longer in units. Every lane of the
  /// warp must call it.
  PENCILBOX_DEVICE_FUNCTION Sum whole(const Block& block, Sum (&sum)[targets_of_a_cluster],
                                      Index lanes) const {
    Sum whole = sum_over_lanes(block, sum, lanes);
    if constexpr (wanted != Wanted::counts) {
      whole.force = out_of_force_units(interaction, whole.force);
    }
    return whole;
  }

 private:
  /// Whoever is missing is far from everybody: only who counts candidates must be told.
  PENCILBOX_DEVICE_FUNCTION static bool is_asked(const Targets& targets, int t) {
    return wanted != Wanted::counts || t < targets.cluster.count;
  }

  template <class Exact>
  PENCILBOX_DEVICE_FUNCTION void add_pair(const Targets& targets, int t, const Vec3<Pair>& source,
                                          typename Source::Type source_type,
                                          const CellShift<Pair>& shift, const Exact& exact,
                                          bool is_other, Sum& sum) const {
    sum.add_in_step(interaction, targets.at[t].position, source, shift, exact,
                    static_cast<std::int32_t>(targets.at[t].type),
                    static_cast<std::int32_t>(source_type), is_other);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
