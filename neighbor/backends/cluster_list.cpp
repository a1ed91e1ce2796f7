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
#include "core/cell_parts.hpp"
#include "core/device/read_ahead.hpp"
#include "neighbor/backends/cluster_list/build_clusters.hpp"
#include "neighbor/backends/cluster_list/resident_clusters.hpp"
#include "neighbor/walks/backend_with_sinks.hpp"
#include "neighbor/walks/list_rows.hpp"
#include "neighbor/walks/reach.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// What a build begins with, in kernels because copies and fills pass no gate.
template <class Pair>
struct BeginClusters {
  static constexpr const char* name = "cluster-list: begin";
  FillShifts<Pair> fill_shifts;
  Index* count;  ///< [2]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index code) const {
    fill_shifts(code);
    if (code < 2) count[code] = 0;
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
  using Pairs = ClusterPairs<Precision, wanted, Interaction>;
  using Sum = typename Pairs::Sum;
  using Source = typename Pairs::Source;
  using Targets = typename Pairs::Targets;
  using Shifts = typename Pairs::Shifts;

  Pairs pairs;
  ListRows rows;
  ClustersView clusters;
  const RoundedShift<Pair>* shifts;  ///< [27]
  Sink sink;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Shifts shift_of(block, shifts);
    const std::int64_t thread = block.index() * block.threads() + block.thread();
    const Index number = rows.row_of(thread), lane = rows.lane_of(thread);
    const ClustersOfPart part(clusters, pairs.particles.part);
    block.barrier();
    if (rows.row_of(thread - block.lane()) >= part.count()) return;  // the whole warp
    const bool is_there = number < part.count();
    const Index row = part.row(number);
    Targets targets;
    if (is_there) targets.cluster = clusters.cluster[row];
    for (int t = 0; t < targets_of_a_cluster; ++t) {
      targets.at[t] = t < targets.cluster.count ? pairs.particles.packed[targets.cluster.first + t]
                                                : Targets::nobody();
    }
    Sum sum[targets_of_a_cluster];
    if constexpr (requires { sink.fetch_ahead(Index{0}); }) {
      if (lane < targets.cluster.count) sink.fetch_ahead(targets.cluster.first + lane);
    }
    if (is_there) {
      walk(row, lane, targets, shift_of, sum);
      if (lane < targets.cluster.count) {
        pairs.add_own(lane, targets, pairs.particles.packed[targets.cluster.first + lane], sum);
      }
    }
    const Sum whole = pairs.whole(block, sum, rows.lanes);
    const LanesOfTargets lanes(rows);
    const Index t = lanes.target(lane);
    if (lanes.is_first(lane) && t < targets.cluster.count) {
      whole.store(sink, targets.cluster.first + t);
    }
  }

  /// Two sources and the next four entries are on their way while a source meets the targets; the
  /// entries behind these are already nearer than memory, so that they come in that time. In
  /// float two fours take turns, so that none is copied; in double that costs more registers than
  /// copies cost.
  PENCILBOX_DEVICE_FUNCTION void walk(Index row, Index lane, const Targets& targets,
                                      const Shifts& shift_of,
                                      Sum (&sum)[targets_of_a_cluster]) const {
    constexpr bool take_turns = sizeof(Pair) == sizeof(float);
    const FourEntries* fours = rows.fours(row, lane);
    Index left = rows.length[row];
    FourEntries now = *fours, next;
    Source odd = packed(now.first), even = packed(now.second);
    const auto meet = [&](const FourEntries& these, FourEntries& those) {
      if (left > 2 * rows.chunk()) fetch_ahead(fours + 2 * rows.stride());  // from memory
      if (left > rows.chunk()) fours += rows.stride();
      those = read_ahead(fours);
      pairs.add(targets, these.first, odd, shift_of, sum);
      odd = packed(these.third);
      pairs.add(targets, these.second, even, shift_of, sum);
      even = packed(these.fourth);
      pairs.add(targets, these.third, odd, shift_of, sum);
      odd = packed(those.first);
      pairs.add(targets, these.fourth, even, shift_of, sum);
      even = packed(those.second);
      left -= rows.chunk();
    };
    while (left > 0) {
      meet(now, next);
      if constexpr (take_turns) {
        if (left <= 0) break;
        meet(next, now);
      } else {
        now = next;
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION Source packed(const ListEntry& entry) const {
    return read_ahead(pairs.particles.packed + entry.index());
  }
};

template <class Precision>
class ClusterList final : public BackendWithSinks<Precision, ClusterList<Precision>> {
  using Pair = typename Precision::Pair;

 public:
  static constexpr bool needs_cutoff = true;
  static constexpr bool stays_resident = true;

  ClusterList(const Problem& problem, const BackendOptions& options)
      : device_(problem.device),
        radius_(list_radius(problem)),
        lanes_(lanes_for(problem, options)),
        threads_(block_of(options)),
        shares_(ClusterShares::for_problem(problem)),
        memory_(lanes_, expected_sources_of_four(problem)) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (auto reason = refuse_list_or_block(problem, options)) return reason;
    return too_many_parts(problem, CellParts::of_a_curve);
  }

  static std::int64_t own_bytes(const Problem& problem, const BackendOptions& options) {
    const std::int64_t clusters = most_rows_of_four(problem.particles, problem.grid.count());
    return ListMemory::bytes(clusters, lanes_for(problem, options),
                             expected_sources_of_four(problem)) +
           clusters * std::int64_t{sizeof(Cluster)};
  }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    shifts_.resize(ShiftCode::count);
    count_.resize(2);
    const std::int64_t most = most_rows_of_four(particles.count, particles.cells());
    clusters_.resize(most);
    for_each(stream, ShiftCode::count,
             BeginClusters<Pair>{{particles.grid, shifts_.data()}, count_.data()});
    using Build = BuildClusters<Precision>;
    const ListBuild<Precision> list{particles, memory_.rows(most),
                                    static_cast<Pair>(radius_ * radius_)};
    launch(stream, Build::launch_shape(particles.cells(), shares_),
           Build{list, clusters(most), shifts_.data(), shares_, reach_squared_of<Pair>(radius_)});
  }

  /// Launches the kernel: see BackendWithSinks.
  template <Wanted wanted, class Functor, class Sink>
  void run(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
           Stream& stream) {
    const std::int64_t most = most_rows_of_four(particles.count, particles.cells());
    const bool is_border = particles.part == PartOfTargets::border;
    const std::int64_t of_part =
        is_border ? most_rows_of_four(particles.most_in_border, particles.cells()) : most;
    using Kernel = WalkClusters<Precision, wanted, InForceUnits<Functor>, Sink>;
    shape_ = {divide_up(of_part * lanes_, threads_), threads_, Kernel::Shifts::bytes};
    launch(stream, shape_,
           Kernel{{particles, in_force_units(functor)},
                  memory_.rows(most),
                  clusters(most),
                  shifts_.data(),
                  sink});
  }

  /// Launches the kernel of a cycle: see BackendWithSinks.
  template <class Functor>
  bool stay_resident(const BinnedParticles<Precision>& particles, const Functor& functor,
                     const KickAndDrift<Precision>& move, const UnitsOfCycle<Precision>& units,
                     Stream& stream) {
    using Kernel = ResidentClusters<Precision, InForceUnits<Functor>>;
    const std::int64_t most = most_rows_of_four(particles.count, particles.cells());
    const ListRows rows = memory_.rows(most);
    const LaunchShape shape =
        resident_shape(rows, Kernel::Shifts::bytes, Kernel::max_threads, device_);
    if (!launch_resident(stream, shape,
                         Kernel{{particles, in_force_units(functor)},
                                rows,
                                clusters(most),
                                shifts_.data(),
                                move,
                                units})) {
      return false;
    }
    shape_ = shape;
    return true;
  }

  bool takes_parts() const override { return true; }

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
  ClustersView clusters(std::int64_t most) {
    return {clusters_.data(), count_.data(), static_cast<Index>(most)};
  }

  /// As many as a GPU runs all at once; each at least one target to store (measured on an H200).
  static int lanes_for(const Problem& problem, const BackendOptions& options) {
    const std::string& given = options.at("threads_per_cluster");
    if (given != "auto") return std::stoi(given);
    const std::int64_t at_once =
        std::int64_t{most_resident_threads<Precision>} * problem.device.multiprocessors;
    const std::int64_t clusters = most_rows_of_four(problem.particles, problem.grid.count());
    int lanes = targets_of_a_cluster;
    while (lanes < 32 && clusters * 2 * lanes <= at_once) lanes *= 2;
    return lanes;
  }

  DeviceProperties device_;
  double radius_;
  int lanes_;
  int threads_;
  ClusterShares shares_;
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
      .on_ranks = OnRanks::not_to_the_bit,
      .order = ParticleOrder::curves_in_cells,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
