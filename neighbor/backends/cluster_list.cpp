// Cluster-List: four targets of a cell that lie near each other share one row of sources: all that
// are within cutoff plus skin of any of them, single ones, each with the shift by which its cell
// was met. Lanes share a row as well; each has the four targets in its registers, so a source that
// was gathered once meets four of them. That costs pairs that are out of range (of 16 some 7 are in
// it, in a liquid) and saves most of what a list waits for: its own entries, and coordinates.
//
// S. Pall and B. Hess, Comput. Phys. Commun. 184, 2641 (2013), have clusters on both sides; with
// single sources there are fewer pairs in vain.
//
// Rows are full (each pair in the rows of both): every target's sum is its own, no atomics.
#include "neighbor/walks/backend_with_sinks.hpp"
#include "neighbor/walks/cell_neighborhood.hpp"
#include "neighbor/walks/list_rows.hpp"
#include "neighbor/walks/shared_shifts.hpp"
#include "neighbor/walks/split_sums.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr int targets_of_a_cluster = 4;

/// Targets [first, first + count), all in one cell.
struct alignas(8) Cluster {
  Index first = 0;
  Index count = 0;  ///< at most targets_of_a_cluster
};

/// Clusters are numbered as blocks come to their cells.
struct ClustersView {
  Cluster* cluster;
  Index* count;
};

/// What a build begins with, in kernels because copies and fills pass no gate.
template <class Pair>
struct BeginClusters {
  static constexpr const char* name = "cluster-list: begin";
  FillShifts<Pair> fill_shifts;
  Index* count;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index code) const {
    fill_shifts(code);
    if (code == 0) *count = 0;
  }
};

template <class Precision>
struct BuildClusters {
  static constexpr const char* name = "cluster-list: build";
  static constexpr int max_threads = 512;
  using Pair = typename Precision::Pair;
  static constexpr int min_blocks = sizeof(Pair) == sizeof(float) ? 2 : 1;
  using Around = CellNeighborhood<Precision>;
  using Group = TargetGroup<Pair, targets_of_a_cluster>;

  ListBuild<Precision> list;
  ClustersView clusters;
  NeighborhoodShape shape;
  Pair reach_squared;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    for_each_target_group<targets_of_a_cluster>(
        block, list.particles, shape, reach_squared, clusters.count,
        [&](Around& around, const IndexRange&, const Group& group) {
          GrowingRow row = list.rows.begin(group.number);
          around.for_each_source(group.warp_is_idle, [&](const typename Around::Source& source) {
            const bool is_partner =
                is_near_any(group, source.position) && !group.holds(source.place);
            list.append(block, row, source.place, is_partner);
          });
          if (group.count < 1) return;
          list.finish(block, group.number, row);
          if (Team::lane(block) == 0) clusters.cluster[group.number] = {group.first, group.count};
        });
  }

  PENCILBOX_DEVICE_FUNCTION bool is_near_any(const Group& group, const Vec3<Pair>& source) const {
    bool is_near = false;
    for (int t = 0; t < targets_of_a_cluster; ++t) {
      is_near = list.is_near(group.position[t], source) || is_near;
    }
    return is_near;
  }
};

template <class Precision, Wanted wanted, class Interaction, class Sink>
struct WalkClusters {
  static constexpr const char* name = "cluster-list";
  using Pair = typename Precision::Pair;
  static constexpr int max_threads = 512;
  /// Forces in float: at most 64 registers.
  static constexpr int min_blocks =
      wanted == Wanted::forces && std::is_same_v<typename Precision::Accumulator, float> ? 2 : 1;
  using Sum = TargetSum<Precision, wanted>;
  using Source = PackedPosition<Pair>;

  /// What a lane knows of the cluster. Where a target is missing there is nobody, far away.
  struct Targets {
    Cluster cluster;
    Source at[targets_of_a_cluster];

    PENCILBOX_DEVICE_FUNCTION Index particle(int t) const {
      return cluster.first + (t < cluster.count ? t : 0);
    }
  };

  using Shifts = SharedShifts<Pair>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  ListRows rows;
  ClustersView clusters;
  const RoundedShift<Pair>* shifts;  ///< [27]
  Sink sink;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Shifts shift_of(block, shifts);
    const std::int64_t thread = block.index() * block.threads() + block.thread();
    const auto row = static_cast<Index>(thread / rows.lanes);
    const auto lane = static_cast<Index>(thread % rows.lanes);
    const Index count = *clusters.count;
    block.barrier();
    if ((thread - block.lane()) / rows.lanes >= count) return;  // the whole warp
    const bool is_there = row < count;
    Targets targets;
    if (is_there) targets.cluster = clusters.cluster[row];
    for (int t = 0; t < targets_of_a_cluster; ++t) {
      targets.at[t] = t < targets.cluster.count ? particles.packed[targets.cluster.first + t]
                                                : Source{Pair(-1) * Source::far_away(), 0};
    }
    Sum sum[targets_of_a_cluster];
    if (is_there) {
      walk(row, lane, targets, shift_of, sum);
      add_own(lane, targets, sum);
    }
    const Sum whole = sum_over_lanes(block, sum, rows.lanes);
    const Index lanes = rows.lanes / targets_of_a_cluster;
    const Index t = lane / lanes;
    if (lane % lanes == 0 && t < targets.cluster.count) {
      whole.store(sink, targets.cluster.first + t);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void walk(Index row, Index lane, const Targets& targets,
                                      const Shifts& shift_of,
                                      Sum (&sum)[targets_of_a_cluster]) const {
    const FourEntries* fours = rows.fours(row, lane);
    FourEntries now = *fours;
    for (Index left = rows.length[row]; left > 0;) {
      const Source first = particles.packed[now.first.index()];
      const Source second = particles.packed[now.second.index()];
      const Source third = particles.packed[now.third.index()];
      const Source fourth = particles.packed[now.fourth.index()];
      const FourEntries entries = now;
      left -= rows.chunk();
      if (left > 0) {
        fours += rows.stride();
        now = *fours;
      }
      add(targets, entries.first, first, shift_of, sum);
      add(targets, entries.second, second, shift_of, sum);
      add(targets, entries.third, third, shift_of, sum);
      add(targets, entries.fourth, fourth, shift_of, sum);
    }
  }

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

  /// The targets among themselves: a lane takes one as a source.
  PENCILBOX_DEVICE_FUNCTION void add_own(Index lane, const Targets& targets,
                                         Sum (&sum)[targets_of_a_cluster]) const {
    if (lane >= targets.cluster.count) return;
    const Index particle = targets.cluster.first + lane;
    const Source source = particles.packed[particle];
    for (int t = 0; t < targets_of_a_cluster; ++t) {
      const auto exact = [&] {
        return exact_separation(particles, targets.particle(t), particle, CellShift<Pair>{});
      };
      add_pair(targets, t, source.position, source.type, CellShift<Pair>{}, exact,
               t != lane && is_asked(targets, t), sum[t]);
    }
  }

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

template <class Precision>
class ClusterList final : public BackendWithSinks<Precision, ClusterList<Precision>> {
  using Pair = typename Precision::Pair;

 public:
  static constexpr bool needs_cutoff = true;

  ClusterList(const Problem& problem, const BackendOptions& options)
      : radius_(list_radius(problem)),
        lanes_(lanes_for(problem, options)),
        threads_(block_of(options)),
        neighborhood_(NeighborhoodShape::for_problem(problem)),
        memory_(lanes_, expected_sources_of_four(problem)) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    return refuse_list_or_block(problem, options);
  }

  static std::int64_t own_bytes(const Problem& problem, const BackendOptions& options) {
    const std::int64_t clusters = most_rows_of_four(problem.particles, problem.grid.count());
    return ListMemory::bytes(clusters, lanes_for(problem, options),
                             expected_sources_of_four(problem)) +
           clusters * std::int64_t{sizeof(Cluster)};
  }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    shifts_.resize(ShiftCode::count);
    count_.resize(1);
    const std::int64_t most = most_rows_of_four(particles.count, particles.cells());
    clusters_.resize(most);
    for_each(stream, ShiftCode::count,
             BeginClusters<Pair>{{particles.grid, shifts_.data()}, count_.data()});
    const LaunchShape shape =
        neighborhood_.template launch_shape<Pair>(particles.cells(), neighborhood_.threads);
    const ListBuild<Precision> list{particles, memory_.rows(most),
                                    static_cast<Pair>(radius_ * radius_)};
    launch(
        stream, shape,
        BuildClusters<Precision>{list, clusters(), neighborhood_, reach_squared_of<Pair>(radius_)});
  }

  /// Launches the kernel: see BackendWithSinks.
  template <Wanted wanted, class Functor, class Sink>
  void run(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
           Stream& stream) {
    const std::int64_t most = most_rows_of_four(particles.count, particles.cells());
    using Kernel = WalkClusters<Precision, wanted, Functor, Sink>;
    shape_ = {divide_up(most * lanes_, threads_), threads_, Kernel::Shifts::bytes};
    launch(stream, shape_,
           Kernel{particles, functor, memory_.rows(most), clusters(), shifts_.data(), sink});
  }

  Index row_capacity() const override { return memory_.capacity(); }
  void grow_rows(Index wanted) override { memory_.grow(wanted); }

  LaunchReport launch_report() const override {
    return {shape_, [this] {
              return std::to_string(targets_of_a_cluster) + " targets a cluster, " +
                     std::to_string(lanes_) + " threads each, rows of at most " +
                     std::to_string(memory_.capacity()) + " sources";
            }};
  }

 private:
  ClustersView clusters() { return {clusters_.data(), count_.data()}; }

  /// As many as keep a GPU busy; each at least one target to store (measured on an H200).
  static int lanes_for(const Problem& problem, const BackendOptions& options) {
    const std::string& given = options.at("threads_per_cluster");
    if (given != "auto") return std::stoi(given);
    const std::int64_t enough = std::int64_t{496} * problem.device.multiprocessors;
    int lanes = targets_of_a_cluster;
    while (lanes < 32 && std::int64_t{problem.particles} * lanes / 4 < enough) lanes *= 2;
    return lanes;
  }

  double radius_;
  int lanes_;
  int threads_;
  NeighborhoodShape neighborhood_;
  ListMemory memory_;
  Buffer<Cluster> clusters_;
  Buffer<Index> count_;
  Buffer<RoundedShift<Pair>> shifts_;
  LaunchShape shape_;
};

}  // namespace

BackendEntry cluster_list() {
  return make_entry<ClusterList>({
      .name = "cluster-list",
      .summary = "four targets a row of sources, a list used until a particle has moved far",
      .source = "ours, after Pall and Hess 2013",
      .options = {block_option("128"),
                  {.name = "threads_per_cluster",
                   .default_value = "auto",
                   .description = "threads that share a row; auto: the more, the fewer particles",
                   .choices = {"auto", "4", "8", "16", "32"}}},
      .needs_blocks = true,
      .rebuild = Rebuild::on_displacement,
      .order = ParticleOrder::curves_in_cells,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
