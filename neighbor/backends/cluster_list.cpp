// Cluster-List: four targets of a cell that lie near each other share one row of sources: all that
// are within cutoff plus skin of any of them, single ones, each with the shift by which its cell
// was met. Lanes share a row as well; each has the four targets in its registers, so a source that
// was gathered once meets four of them. That costs pairs that are out of range (of 16 some 7 are in
// it, in a liquid) and saves most of what a list waits for: its own entries, and coordinates.
//
// S. Pall and B. Hess, Comput. Phys. Commun. 184, 2641 (2013), have clusters on both sides; with
// single sources there are fewer pairs in vain.
//
// In mixed precision forces of a liquid are summed in whole quanta, which add up exactly:
// docs/decisions/0047-whole-quanta-on-a-gpu.md.
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

/// What a build begins with, in a kernel because fills pass no gate.
struct BeginClusters {
  static constexpr const char* name = "cluster-list: begin";
  Index* count;  ///< [2]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index part) const { count[part] = 0; }
};

template <class Precision, Wanted wanted, class Interaction, class Sink>
struct WalkClusters {
  static constexpr const char* name = "cluster-list";
  using Pair = typename Precision::Pair;
  static constexpr int max_threads = 128;
  /// Few registers and many warps where sums are floats. More warps hide nothing more than 28 do:
  /// they only end later, when others of the device have nothing left to do. In quanta the forces
  /// of two sources are kept until they are added together, which takes as many as in double.
  static constexpr bool in_floats =
      wanted == Wanted::forces && std::is_same_v<typename Precision::Accumulator, float>;
  static constexpr int min_blocks = in_floats ? 7 : 4;
  using Pairs = ClusterPairs<Precision, wanted, Interaction>;
  using Sums = typename Pairs::Sums;
  using Source = typename Pairs::Source;
  using Targets = typename Pairs::Targets;
  using Shifts = typename Pairs::Shifts;

  Pairs pairs;
  ListRows rows;
  ClustersView clusters;
  Sink sink;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Shifts shift_of(block, pairs.particles.grid);
    const std::int64_t thread = block.index() * block.threads() + block.thread();
    const Index number = rows.row_of(thread), lane = rows.lane_of(thread);
    const ClustersOfPart part(clusters, pairs.particles.part);
    block.barrier();
    if (rows.row_of(thread - block.lane()) >= part.count()) return;  // the whole warp
    // A lane without a row reads somebody's: at a branch the others would wait for what they read.
    const bool is_there = number < part.count();
    const Index row = part.row(is_there ? number : 0);
    Start start = begin(row, lane);
    const LanesOfTargets lanes(rows);
    const Index t = lanes.target(lane);
    const Index mine = start.cluster.particle(t);
    if constexpr (moves) sink.fetch_ahead(mine);
    if (!is_there) start.length = start.cluster.count = 0;
    const Targets targets = targets_of(start.cluster);
    Sums sums;
    walk(row, lane, start, targets, shift_of, sums);
    const auto read = read_of_move(mine);
    const bool is_source = lane < targets.cluster.count;
    if (is_source) pairs.add_own(lane, targets, targets.of_lane(lane), sums);
    const int sources = rows.sources_of_a_lane(start.length) + (is_source ? 1 : 0);
    const auto whole = pairs.whole(block, sums, rows, sources, [&](auto& exact) {
      correct(row, lane, start.length, targets, shift_of, sums, exact);
    });
    if (!lanes.is_first(lane) || t >= targets.cluster.count) return;
    if constexpr (moves) {
      sink(mine, whole.force, read);
    } else {
      whole.store(sink, mine);
    }
  }

 private:
  static constexpr bool moves = std::is_same_v<Sink, KickAndDrift<Precision>>;

  /// What a lane reads before it adds anything, all of it at once but for what it has to look up.
  struct Start {
    FourEntries entries;
    Index length;
    Cluster cluster;
    Source odd, even;
  };
  PENCILBOX_DEVICE_FUNCTION Start begin(Index row, Index lane) const {
    Start start;
    start.entries = entries_at(rows.fours(row, lane));
    start.length = rows.length[row];
    start.cluster = clusters.cluster[row];
    start.odd = packed(start.entries.first);
    start.even = packed(start.entries.second);
    return start;
  }

  PENCILBOX_DEVICE_FUNCTION Targets targets_of(const Cluster& cluster) const {
    Targets targets;
    targets.cluster = cluster;
    for (int t = 0; t < targets_of_a_cluster; ++t) {
      targets.at[t] =
          t < cluster.count ? pairs.particles.packed[cluster.first + t] : Targets::nobody();
    }
    return targets;
  }

  /// What moving a particle will need, while its force is still summed up.
  PENCILBOX_DEVICE_FUNCTION auto read_of_move(Index i) const {
    if constexpr (moves) {
      return sink.read(i);
    } else {
      return 0;
    }
  }

  /// Two sources and the next four entries are on their way while a source meets the targets; the
  /// entries behind these are already nearer than memory, so that they come in that time. In
  /// float two fours take turns, so that none is copied; in double that costs more registers than
  /// copies cost.
  PENCILBOX_DEVICE_FUNCTION void walk(Index row, Index lane, const Start& start,
                                      const Targets& targets, const Shifts& shift_of,
                                      Sums& sums) const {
    constexpr bool take_turns = sizeof(Pair) == sizeof(float);
    const FourEntries* fours = rows.fours(row, lane);
    Index left = start.length;
    FourEntries now = start.entries, next;
    Source odd = start.odd, even = start.even;
    const auto meet = [&](const FourEntries& these, FourEntries& those) {
      if (left > 2 * rows.chunk()) fetch_ahead(fours + 2 * rows.stride());  // from memory
      if (left > rows.chunk()) fours += rows.stride();
      those = entries_at(fours);
      pairs.add(targets, these.first, odd, shift_of, sums);
      odd = packed(these.third);
      pairs.add(targets, these.second, even, shift_of, sums);
      even = packed(these.fourth);
      pairs.add(targets, these.third, odd, shift_of, sums);
      odd = packed(those.first);
      pairs.add(targets, these.fourth, even, shift_of, sums);
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

  /// The lane's sources once more: see ClusterSums.
  PENCILBOX_DEVICE_FUNCTION void correct(Index row, Index lane, Index length,
                                         const Targets& targets, const Shifts& shift_of, Sums& sums,
                                         typename Pairs::Corrections& exact) const {
    const FourEntries* fours = rows.fours(row, lane);
    for (Index left = length; left > 0; left -= rows.chunk(), fours += rows.stride()) {
      for (const ListEntry& entry : {fours->first, fours->second, fours->third, fours->fourth}) {
        pairs.correct(targets, entry, packed(entry), shift_of, sums, exact);
      }
    }
    if (lane >= targets.cluster.count) return;
    pairs.correct_own(lane, targets, targets.of_lane(lane), sums, exact);
  }

  /// Where warps are many, entries that nobody reads again would push positions out of the cache.
  PENCILBOX_DEVICE_FUNCTION static FourEntries entries_at(const FourEntries* fours) {
    return in_floats ? read_once(fours) : read_ahead(fours);
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
    count_.resize(2);
    const std::int64_t most = most_rows_of_four(particles.count, particles.cells());
    clusters_.resize(most);
    for_each(stream, 2, BeginClusters{count_.data()});
    using Build = BuildClusters<Precision>;
    const ListBuild<Precision> list{particles, memory_.rows(most),
                                    static_cast<Pair>(radius_ * radius_)};
    launch(stream, Build::launch_shape(particles.cells(), shares_),
           Build{list, clusters(most), shares_, reach_squared_of<Pair>(radius_)});
  }

  /// Launches the kernel: see BackendWithSinks.
  template <Wanted wanted, class Functor, class Sink>
  void run(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
           Stream& stream) {
    with_units(particles, functor, [&](const auto& in_units) {
      using Kernel = WalkClusters<Precision, wanted, std::decay_t<decltype(in_units)>, Sink>;
      const std::int64_t most = most_rows_of_four(particles.count, particles.cells());
      const bool is_border = particles.part == PartOfTargets::border;
      const std::int64_t of_part =
          is_border ? most_rows_of_four(particles.most_in_border, particles.cells()) : most;
      shape_ = {divide_up(of_part * lanes_, threads_), threads_, Kernel::Shifts::bytes};
      launch(stream, shape_,
             Kernel{{particles, in_units}, memory_.rows(most), clusters(most), sink});
    });
  }

  /// Launches the kernel of a cycle: see BackendWithSinks.
  template <class Functor>
  bool stay_resident(const BinnedParticles<Precision>& particles, const Functor& functor,
                     const KickAndDrift<Precision>& move, const UnitsOfCycle<Precision>& units,
                     Stream& stream) {
    bool all_at_once = false;
    with_units(particles, functor, [&](const auto& in_units) {
      using Kernel = ResidentClusters<Precision, std::decay_t<decltype(in_units)>>;
      const std::int64_t most = most_rows_of_four(particles.count, particles.cells());
      const ListRows rows = memory_.rows(most);
      const LaunchShape shape =
          resident_shape(rows, Kernel::Shifts::bytes, Kernel::max_threads, device_);
      all_at_once = launch_resident(
          stream, shape, Kernel{{particles, in_units}, rows, clusters(most), move, units});
      if (all_at_once) shape_ = shape;
    });
    return all_at_once;
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
  /// Calls visit(interaction) with forces in the units that a kernel sums. Rows of two thousand
  /// sources and more are too long for quanta; on ranks that differ there, forces of a pair cancel
  /// to a quantum.
  template <class Functor, class Visit>
  void with_units(const BinnedParticles<Precision>& particles, const Functor& functor,
                  const Visit& visit) const {
    if constexpr (pairs_must_cancel<Precision> && has_force_quanta<Functor>) {
      const auto in_quanta = in_force_quanta(functor);
      const Index sources_of_a_lane = memory_.capacity() / lanes_ + 1;
      if (particles.on_lattice() && sources_of_a_lane <= in_quanta.most_forces) {
        return visit(in_quanta);
      }
    }
    visit(in_force_units(functor));
  }

  ClustersView clusters(std::int64_t most) {
    return {clusters_.data(), count_.data(), static_cast<Index>(most)};
  }

  /// As many as a GPU runs all at once; each at least one target to store (measured on an H200).
  static int lanes_for(const Problem& problem, const BackendOptions& options) {
    const std::string& given = options.at("threads_per_cluster");
    if (given != "auto") return std::stoi(given);
    const std::int64_t at_once =
        std::int64_t{most_resident_threads(
            sizeof(typename Precision::Accumulator) == sizeof(float) || problem.in_quanta)} *
        problem.device.multiprocessors;
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
  LaunchShape shape_;
};

}  // namespace

BackendEntry cluster_list() {
  return make_entry<ClusterList>({
      .name = "cluster-list",
      .summary = "four targets a row of sources, a list used until a particle has moved far",
      .source = "ours, after Pall and Hess 2013",
      .options = {{.name = "block",
                   .default_value = "128",
                   .description = "threads of a block",
                   .choices = {"32", "64", "128"}},
                  {.name = "threads_per_cluster",
                   .default_value = "auto",
                   .description = "threads that share a row; auto: the more, the fewer particles",
                   .choices = {"auto", "4", "8", "16", "32"}},
                  sums_option()},
      .needs_blocks = true,
      .has_clusters = true,
      .rebuild = Rebuild::on_displacement,
      .on_ranks = OnRanks::not_to_the_bit,
      .order = ParticleOrder::curves_in_cells,
      .sums_quanta = true,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
