// Clusters: up to four targets of a cell that share a row of sources; how they are numbered, and
// what the lanes of a row know of them.
#pragma once

#include "neighbor/binned_particles.hpp"
#include "neighbor/walks/list_rows.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

constexpr int targets_of_a_cluster = 4;

/// Targets [first, first + count), all in one cell.
struct alignas(8) Cluster {
  Index first = 0;
  Index count = 0;  ///< at most targets_of_a_cluster

  /// Of target t; where that is missing, the first.
  PENCILBOX_DEVICE_FUNCTION Index particle(Index t) const { return first + (t < count ? t : 0); }
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

  /// The one that a lane takes as a source: the last, of lanes behind it.
  PENCILBOX_DEVICE_FUNCTION Source of_lane(Index lane) const {
    Source own = at[0];
    for (int t = 1; t < targets_of_a_cluster; ++t) {
      if (lane >= t) own = at[t];
    }
    return own;
  }
  PENCILBOX_DEVICE_FUNCTION static Source nobody() { return {Pair(-1) * Source::far_away(), 0}; }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
