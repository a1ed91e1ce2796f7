// From one rebuild of the list to the next in one kernel, for what is small enough that all rows
// are on the device at once. Each lane of a row has the four targets in registers and moves one of
// them; of a step only the positions of others come from memory.
#pragma once

#include "core/device/opaque.hpp"
#include "neighbor/backends/cluster_list/cluster_pairs.hpp"
#include "neighbor/walks/resident_list.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Of a multiprocessor: more would leave a thread too few registers.
constexpr int most_resident_threads(bool sums_are_words) { return sums_are_words ? 640 : 512; }

template <class Precision, class Interaction>
struct ResidentClusters {
  static constexpr const char* name = "cluster-list: a cycle in one kernel";
  using Pair = typename Precision::Pair;
  using State = typename Precision::State;
  static constexpr int max_threads = most_resident_threads(sums_in_words<Precision, Interaction>);
  using Pairs = ClusterPairs<Precision, Wanted::forces, Interaction, SharedWholeShifts>;
  using Source = typename Pairs::Source;
  using Shifts = typename Pairs::Shifts;
  using Sums = typename Pairs::Sums;
  using Sum = typename Pairs::Sum;

  Pairs pairs;
  ListRows rows;
  ClustersView clusters;
  KickAndDrift<Precision> move;
  UnitsOfCycle<Precision> units;

  /// A row as a lane of it sees it; lanes behind the last cluster have none.
  struct Row {
    Cluster cluster;
    Index length = 0;
    Index lane = 0;
    LanesOfTargets lanes;  ///< they get its sum, and all move it

    PENCILBOX_DEVICE_FUNCTION Index target() const { return lanes.target(lane); }
    PENCILBOX_DEVICE_FUNCTION bool has_target() const { return target() < cluster.count; }
    PENCILBOX_DEVICE_FUNCTION Index particle() const { return cluster.first + target(); }
    PENCILBOX_DEVICE_FUNCTION bool shows() const { return has_target() && lanes.is_first(lane); }
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Shifts shift_of(block, pairs.particles.grid);
    ResidentEntries entries(block, rows);
    const std::int64_t thread = block.index() * block.threads() + block.thread();
    const Index number = rows.row_of(thread);
    Row row{{}, 0, rows.lane_of(thread), LanesOfTargets(rows)};
    if (number < clusters.count[0]) {
      row.cluster = clusters.cluster[number];
      row.length = rows.length[number];
    }
    entries.fetch(rows, number, row.lane, row.length);
    block.barrier();
    stay(block, row, shift_of, entries);
  }

  PENCILBOX_DEVICE_FUNCTION void stay(const Block& block, const Row& row, const Shifts& shift_of,
                                      const ResidentEntries& entries) const {
    MovingParticle<Precision> self{};
    Source reference{};
    if (row.has_target()) {
      self = move.particle(row.particle());
      reference = move.arrival.under_watch.read(row.particle());
    }
    const std::int32_t first_wanting_kicks = move.arrival.under_watch.first_wanting_kicks();
    for_each_unit(block, units, [&](std::int32_t k) {
      const Sum sum = sum_of(block, row, targets_of(block, row, self, reference), shift_of, entries,
                             units.read_by(k));
      self.kick_and_drift(sum.force, static_cast<State>(move.timestep));
      if (row.shows()) {
        if (k + 1 >= first_wanting_kicks) {
          move.arrival.under_watch.note_kick(row.particle(), self.half_kick(sum.force).twice());
        }
        move.arrival.under_watch.in(units.read_by(k + 1))
            .show(row.particle(), self.position, reference, k + 1);
      }
    });
    if (row.shows()) move.store(row.particle(), self);
  }

  /// Lanes tell each other where the targets are that they have moved.
  PENCILBOX_DEVICE_FUNCTION ClusterTargets<Pair> targets_of(const Block& block, const Row& row,
                                                            const MovingParticle<Precision>& self,
                                                            const Source& reference) const {
    const Vec3<Pair> mine = move.arrival.under_watch.coordinates(self.position);
    const int first_lane = block.lane() - row.lane;
    ClusterTargets<Pair> targets;
    targets.cluster = row.cluster;
    for (int t = 0; t < targets_of_a_cluster; ++t) {
      const int from = first_lane + row.lanes.first_of(t);
      const Vec3<Pair> its{block.shuffle(mine.x, from), block.shuffle(mine.y, from),
                           block.shuffle(mine.z, from)};
      std::int32_t its_type = 0;
      if constexpr (Interaction::needs_types) {
        its_type = block.shuffle(static_cast<std::int32_t>(reference.type), from);
      }
      targets.at[t] = t < row.cluster.count
                          ? Source{its, static_cast<typename Source::Type>(its_type)}
                          : ClusterTargets<Pair>::nobody();
    }
    return targets;
  }

  /// Of the target that this lane moves.
  PENCILBOX_DEVICE_FUNCTION Sum sum_of(const Block& block, const Row& row,
                                       const ClusterTargets<Pair>& targets, const Shifts& shift_of,
                                       const ResidentEntries& entries, const Source* mirror) const {
    Sums sums;
    const Source own = targets.of_lane(row.lane);
    for (Index chunk = 0; chunk * rows.chunk() < row.length; ++chunk) {
      const FourEntries now = entries[chunk];
      const Source first = mirror[opaque(now.first.index())];
      const Source second = mirror[opaque(now.second.index())];
      const Source third = mirror[opaque(now.third.index())];
      const Source fourth = mirror[opaque(now.fourth.index())];
      pairs.add(targets, now.first, first, shift_of, sums);
      pairs.add(targets, now.second, second, shift_of, sums);
      pairs.add(targets, now.third, third, shift_of, sums);
      pairs.add(targets, now.fourth, fourth, shift_of, sums);
    }
    if (row.lane < row.cluster.count) pairs.add_own(row.lane, targets, own, sums);
    const int sources = rows.sources_of_a_lane(row.length) + (row.lane < row.cluster.count ? 1 : 0);
    return pairs.whole(block, sums, rows, sources, [&](auto& exact) {
      for (Index chunk = 0; chunk * rows.chunk() < row.length; ++chunk) {
        const FourEntries now = entries[chunk];
        for (const ListEntry& entry : {now.first, now.second, now.third, now.fourth}) {
          pairs.correct(targets, entry, mirror[entry.index()], shift_of, sums, exact);
        }
      }
      if (row.lane < row.cluster.count) pairs.correct_own(row.lane, targets, own, sums, exact);
    });
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
