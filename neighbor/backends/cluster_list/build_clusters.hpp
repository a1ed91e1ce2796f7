// The rows of clusters: each warp takes a few clusters of a cell, and looks for their sources by
// itself.
#pragma once

#include <algorithm>
#include <limits>

#include "neighbor/backends/cluster_list/cluster_pairs.hpp"
#include "neighbor/walks/list_rows.hpp"
#include "neighbor/walks/warp_neighborhood.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// How a launch divides the clusters of all cells among warps.
struct ClusterShares {
  static constexpr Index most_at_once = Team::lanes / targets_of_a_cluster;  ///< a target a lane

  Index cells_of_a_warp = 1;
  Index warps_of_a_cell = 1;
  Index at_once = most_at_once;  ///< clusters that a warp takes

  PENCILBOX_DEVICE_FUNCTION Index count(Index cells) const {
    return (cells + cells_of_a_warp - 1) / cells_of_a_warp * warps_of_a_cell;
  }

  /// All of a cell at once, so that its sources are looked at once; fewer, where that leaves a
  /// device warps to spare. Where most cells are empty a warp has several.
  static ClusterShares for_problem(const Problem& problem) {
    const Index cells = problem.grid.count();
    const auto particles = static_cast<Index>(problem.particles);
    const std::int64_t wanted = std::int64_t{16} * problem.device.multiprocessors;
    const auto clusters = static_cast<Index>(
        divide_up(divide_up(particles, std::max(cells, Index{1})), targets_of_a_cluster) + 1);
    ClusterShares shares;
    shares.cells_of_a_warp = std::max(Index{1}, cells / std::max(particles, Index{1}));
    while (shares.at_once > 1 && std::int64_t{cells} * shares.warps_of_a_cell < wanted) {
      shares.at_once /= 2;
      shares.warps_of_a_cell = static_cast<Index>(divide_up(clusters, shares.at_once));
    }
    return shares;
  }
};

/// Targets of a warp's clusters in shared memory, as a source meets them.
template <class Pair>
class ClustersInReach {
  /// -2 times its place, and its square: a source at s is within r of it where
  /// |c|^2 - 2 c s < r^2 - |s|^2. Nobody's square is above all.
  struct alignas(4 * sizeof(Pair)) Target {
    Vec3<Pair> minus_twice;
    Pair square = std::numeric_limits<Pair>::max();
  };

 public:
  static constexpr std::size_t bytes(int threads) {
    return alignof(Target) + static_cast<std::size_t>(threads) * sizeof(Target);
  }

  PENCILBOX_DEVICE_FUNCTION explicit ClustersInReach(const Block& block)
      : block_(block), targets_(block.shared<Target>(block.threads())) {}

  /// `place`: of this lane's target, relative to the same as all sources.
  PENCILBOX_DEVICE_FUNCTION void set(const Vec3<Pair>& place, bool is_there) const {
    Target target;
    if (is_there) target = {Pair(-2) * place, dot(place, place)};
    targets_[block_.thread()] = target;
  }

  /// The four of a cluster in registers.
  struct Four {
    Target at[targets_of_a_cluster];

    PENCILBOX_DEVICE_FUNCTION bool are_near(const Vec3<Pair>& source, Pair margin) const {
      bool is_near = false;
      for (const auto& [c, square] : at) {
        const Pair left =
            times_plus(c.x, source.x, times_plus(c.y, source.y, times_plus(c.z, source.z, square)));
        is_near = left < margin || is_near;
      }
      return is_near;
    }
  };

  PENCILBOX_DEVICE_FUNCTION Four four(Index cluster) const {
    Four four;
    const Index first = block_.thread() - block_.lane() + cluster * targets_of_a_cluster;
    for (int t = 0; t < targets_of_a_cluster; ++t) four.at[t] = targets_[first + t];
    return four;
  }

  /// r^2, and what rounding may cost of what is compared with it: of some eight roundings each is
  /// half an epsilon of (2 extent + r)^2 at most. Nobody that is near is left out.
  PENCILBOX_DEVICE_FUNCTION static Pair limit(const TargetBox<Pair>& box, Pair radius_squared) {
    constexpr Pair rounding = Pair(48) * std::numeric_limits<Pair>::epsilon();
    return times_plus(rounding, dot(box.half, box.half) + radius_squared, radius_squared);
  }

 private:
  const Block& block_;
  SharedArray<Target> targets_;
};

template <class Precision>
struct BuildClusters {
  static constexpr const char* name = "cluster-list: build";
  using Pair = typename Precision::Pair;
  static constexpr int max_threads = 128;
  /// In float at most 64 registers.
  static constexpr int min_blocks = sizeof(Pair) == sizeof(float) ? 8 : 1;
  using Around = WarpNeighborhood<Precision>;
  using Targets = ClustersInReach<Pair>;

  ListBuild<Precision> list;
  ClustersView clusters;
  ClusterShares shares;
  Pair reach_squared;

  static LaunchShape launch_shape(Index cells, const ClusterShares& shares) {
    return {divide_up(shares.count(cells), max_threads / Team::lanes), max_threads,
            Around::bytes(max_threads) + Targets::bytes(max_threads)};
  }

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    Around around(block, list.particles);
    const Targets targets(block);
    block.barrier();
    const auto warps = static_cast<Index>(block.blocks() * warps_of(block));
    const Index all = shares.count(list.particles.cells());
    // More than one where warps are wider than a team.
    for (auto share = static_cast<Index>(block.index() * warps_of(block) + block.warp());
         share < all; share += warps) {
      const Index begin = share / shares.warps_of_a_cell * shares.cells_of_a_warp;
      const Index end = smaller(begin + shares.cells_of_a_warp, list.particles.cells());
      if (list.particles.offset[begin] == list.particles.offset[end]) continue;
      for (Index cell = begin; cell < end; ++cell) {
        build(block, cell, share % shares.warps_of_a_cell, around, targets);
      }
    }
  }

 private:
  /// Of the cell's clusters the share of one of its warps.
  PENCILBOX_DEVICE_FUNCTION void build(const Block& block, Index cell, Index warp_of_cell,
                                       Around& around, const Targets& targets) const {
    const IndexRange particles = list.particles.particles_of(cell);
    const Index width = shares.at_once * targets_of_a_cluster;
    const Index begin = particles.begin + warp_of_cell * width;
    if (begin >= particles.end || !list.particles.has_targets_in(cell)) return;
    const Index stride = shares.warps_of_a_cell * width;
    for (Index first = begin; first < particles.end; first += stride) {
      const IndexRange of_clusters{first, smaller(first + width, particles.end)};
      const Index last = of_clusters.end - 1;
      const Vec3<Pair> at = list.particles.packed[smaller(first + block.lane(), last)].position;
      const Index numbers = take_numbers(block, cell, clusters_of(of_clusters));
      if (first == begin) around.go_to(cell);
      build(block, of_clusters, at, block.shuffle(numbers, 0), around, targets);
    }
  }

  PENCILBOX_DEVICE_FUNCTION static Index clusters_of(const IndexRange& particles) {
    return (particles.count() + targets_of_a_cluster - 1) / targets_of_a_cluster;
  }

  /// The first of them, in the first lane.
  PENCILBOX_DEVICE_FUNCTION Index take_numbers(const Block& block, Index cell, Index count) const {
    if (block.lane() > 0) return 0;
    return clusters.numbers().take(count, list.particles.is_in_border(cell));
  }

  /// The rows of these targets, in clusters of four, with `numbers` and what follow. `at`: where
  /// the lane's own is.
  PENCILBOX_DEVICE_FUNCTION void build(const Block& block, const IndexRange& of_clusters,
                                       const Vec3<Pair>& at, Index numbers, const Around& around,
                                       const Targets& targets) const {
    const auto box = TargetBox<Pair>::around(block, at);
    targets.set(at - box.centre, of_clusters.begin + block.lane() < of_clusters.end);
    const Index count = clusters_of(of_clusters);
    block.warp_barrier();
    Index length_of_lane = 0;  // of the row with the lane's number
    const auto row_of = [&](Index k) {
      GrowingRow row = list.rows.begin(numbers + k);
      row.length = block.shuffle(length_of_lane, k);
      return row;
    };
    const Pair limit = Targets::limit(box, list.radius_squared);
    around.for_each_piece(box, reach_squared, limit, [&](Index sources) {
      for (Index k = 0; k < count; ++k) {
        const typename Targets::Four four = targets.four(k);
        const std::uint32_t own =
            ShiftedIndex::of(of_clusters.begin + k * targets_of_a_cluster, ShiftCode::none).word;
        GrowingRow row = row_of(k);
        for (Index first = 0; first < sources; first += block.warp_size()) {
          const Index s = first + block.lane();
          const typename Around::Source source = around.source(s);
          const bool is_near = four.are_near(source.position, around.margin(s));
          const bool is_itself =
              source.place.word - own < static_cast<std::uint32_t>(targets_of_a_cluster);
          list.append_by_warp(block, row, source.place, is_near && !is_itself);
        }
        if (block.lane() == k) length_of_lane = row.length;
      }
    });
    pad(block, numbers, count, length_of_lane);
    if (block.lane() < count) {
      const Index first = of_clusters.begin + block.lane() * targets_of_a_cluster;
      clusters.cluster[numbers + block.lane()] = {
          first, smaller(of_clusters.end - first, targets_of_a_cluster)};
      list.note_length(numbers + block.lane(), length_of_lane);
    }
    block.warp_barrier();
  }

  /// All rows at a time, a few lanes each.
  PENCILBOX_DEVICE_FUNCTION void pad(const Block& block, Index numbers, Index count,
                                     Index length_of_lane) const {
    const Index lanes = block.warp_size() / ClusterShares::most_at_once;
    const Index k = block.lane() / lanes;
    GrowingRow row = list.rows.begin(numbers + k);
    row.length = block.shuffle(length_of_lane, k);
    if (k < count) list.pad(row, block.lane() % lanes, lanes);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
