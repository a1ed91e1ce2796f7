// Verlet-List: each particle keeps a row of all sources within cutoff plus skin, found when the
// list is built and used until a particle is half the skin off its place. L. Verlet, Phys. Rev.
// 159, 98 (1967); the criterion: Allen and Tildesley, Computer Simulation of Liquids,
// section 5.3.1.
//
// An entry of a row is a source and the image shift by which it was met, so boxes of one or two
// cells, where a pair meets through several images, need no special case. Rows stand side by side:
// what neighbouring threads read at a time is contiguous. Several threads may share a row: with few
// particles one a target leaves most of a GPU idle.
//
// The list is full (each pair in both rows): every target's sum is its own, no atomics.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "neighbor/backends/verlet_list/resident_rows.hpp"
#include "neighbor/walks/backend_with_sinks.hpp"
#include "neighbor/walks/cell_neighborhood.hpp"
#include "neighbor/walks/cell_walk.hpp"
#include "neighbor/walks/list_rows.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// One thread builds a row, and stores four entries at a time: one by one, the rows of neighbouring
/// threads, which fill at different pace, would be written in scraps.
template <class Precision>
struct BuildByThreads {
  static constexpr const char* name = "verlet-list: build";
  using Pair = typename Precision::Pair;
  ListBuild<Precision> list;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    const BinnedParticles<Precision>& particles = list.particles;
    const Vec3<Pair> position = particles.packed[target].position;
    if (!particles.is_target(target)) return;
    const CellCoordinates home = particles.grid.coordinates(particles.cell[target]);
    Row row{list.rows.fours(target, 0), {}, 0};
    for_each_neighbor_run(particles.grid, particles.offset, home, [&](const NeighborRun& run) {
      const CellShift<Pair> to_right = particles.grid.shift(1, run.dy, run.dz);
      const bool own_row = run.dy == 0 && run.dz == 0;
      for (Index source = run.begin; source < run.end; ++source) {
        const Vec3<Pair> shift = run.shift(source, to_right).rounded;
        if (!list.is_near(position, particles.packed[source].position + shift)) continue;
        const Index dx = run.dx(source);
        if (own_row && source == target && dx == 0) continue;
        append(row, ListEntry::of(source, ShiftCode::of(dx, run.dy, run.dz)));
      }
    });
    const Index length = row.length;
    list.note_length(target, length);
    while (row.length < list.rows.padded(length)) append(row, list.padding());
  }

  struct Row {
    FourEntries* next;
    FourEntries latest;
    Index length;
  };

  PENCILBOX_DEVICE_FUNCTION void append(Row& row, ListEntry entry) const {
    row.latest = {row.latest.second, row.latest.third, row.latest.fourth, entry};
    ++row.length;
    if (row.length % 4 != 0 || row.length > list.rows.capacity) return;
    *row.next = row.latest;
    row.next += list.rows.stride();
  }
};

/// 32 lanes build the rows of a few targets of a cell at a time, a source a lane. The lanes agree
/// by a vote on who stores where.
template <class Precision, int targets_of_a_team>
struct BuildByCells {
  static constexpr const char* name = "verlet-list: build, cell by cell";
  static constexpr int max_threads = 512;
  using Pair = typename Precision::Pair;
  static constexpr int min_blocks = sizeof(Pair) == sizeof(float) ? 2 : 1;
  using Around = CellNeighborhood<Precision>;
  using Group = TargetGroup<Pair, targets_of_a_team>;

  ListBuild<Precision> list;
  NeighborhoodShape shape;
  Pair reach_squared;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    Around around(block, list.particles, shape.room, reach_squared);
    for_each_target_group<targets_of_a_team>(
        block, around, list.particles, shape, [&](const IndexRange&, const Group& group) {
          GrowingRow row[targets_of_a_team];
          for (int t = 0; t < targets_of_a_team; ++t) row[t] = list.rows.begin(group.first + t);
          around.for_each_source(group.warp_is_idle, [&](const typename Around::Source& source) {
            for (int t = 0; t < targets_of_a_team; ++t) {
              const bool is_partner = list.is_near(group.position[t], source.position) &&
                                      !group.is_itself(t, source.place);
              list.append(block, row[t], source.place, is_partner);
            }
          });
          for (int t = 0; t < targets_of_a_team && t < group.count; ++t) {
            list.finish(block, group.first + t, row[t]);
          }
        });
  }
};

/// One thread a row: partners and others mix in a warp, but what waits for memory has time for a
/// branch. Several threads a row: all evaluate in step.
enum class ThreadsARow { one, several };

template <class Precision, Wanted wanted, class Interaction, ThreadsARow threads>
struct WalkRow {
  using Pair = typename Precision::Pair;
  using Sum = TargetSum<Precision, wanted>;
  using Source = PackedPosition<Pair>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  ListRows rows;
  const RoundedShift<Pair>* shifts;  ///< [27]

  /// Of the row the fours of this lane. The first come whatever the length is, so that nobody waits
  /// for it. Of the last chunk several lanes look at what is no padding only.
  PENCILBOX_DEVICE_FUNCTION Sum operator()(Index target, Index lane) const {
    const FourEntries* fours = rows.fours(target, lane);
    FourEntries now = *fours;
    const Source at = particles.packed[target];
    const Index lanes = threads == ThreadsARow::one ? 1 : rows.lanes;
    Sum sum;
    for (Index left = rows.length[target]; left > 0;) {
      const Source first = particles.packed[now.first.index()];
      const Source second = particles.packed[now.second.index()];
      const Source third = particles.packed[now.third.index()];
      const Source fourth = particles.packed[now.fourth.index()];
      const bool whole = threads == ThreadsARow::one;
      add(sum, target, at, now.first, first);
      if (whole || left > lanes) add(sum, target, at, now.second, second);
      if (whole || left > 2 * lanes) add(sum, target, at, now.third, third);
      if (whole || left > 3 * lanes) add(sum, target, at, now.fourth, fourth);
      left -= 4 * lanes;
      if (left <= 0) break;
      fours += rows.stride();
      now = *fours;
    }
    return sum;
  }

  PENCILBOX_DEVICE_FUNCTION void add(Sum& sum, Index target, const Source& at,
                                     const ListEntry& entry, const Source& source) const {
    if constexpr (wanted == Wanted::counts) {
      if (entry.index() == particles.count) return;  // padding is no candidate
    }
    const CellShift<Pair> shift{shifts[entry.code()].rounded, {}};
    const auto exact = [&] {
      return exact_separation(particles, target, entry.index(),
                              ShiftCode::shift(particles.grid, entry.code()));
    };
    if constexpr (threads == ThreadsARow::one) {
      sum.add_packed(interaction, at, source, shift, exact);
    } else {
      sum.add_in_step(interaction, at.position, source.position, shift, exact,
                      static_cast<std::int32_t>(at.type), static_cast<std::int32_t>(source.type),
                      true);
    }
  }
};

/// `Sink`: where sums go.
template <class Precision, Wanted wanted, class Interaction, class Sink>
struct OneThreadARow {
  static constexpr const char* name = "verlet-list";
  WalkRow<Precision, wanted, Interaction, ThreadsARow::one> walk;
  Sink sink;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    if (walk.particles.is_target(target)) walk(target, 0).store(sink, target);
  }
};

template <class Precision, Wanted wanted, class Interaction, class Sink>
struct SeveralThreadsARow {
  static constexpr const char* name = "verlet-list: several threads a target";
  static constexpr int max_threads = 512;
  WalkRow<Precision, wanted, Interaction, ThreadsARow::several> walk;
  Sink sink;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const std::int64_t thread = block.index() * block.threads() + block.thread();
    const Index target = walk.rows.row_of(thread), lane = walk.rows.lane_of(thread);
    TargetSum<Precision, wanted> sum;
    const bool is_there = target < walk.particles.count && walk.particles.is_target(target);
    if (is_there) sum = walk(target, lane);
    sum.add_lanes(block, walk.rows.lanes);
    if (is_there && lane == 0) sum.store(sink, target);
  }
};

template <class Precision>
class VerletList final : public BackendWithSinks<Precision, VerletList<Precision>> {
  using Pair = typename Precision::Pair;

 public:
  static constexpr bool needs_cutoff = true;
  static constexpr bool stays_resident = true;
  using EvaluatesTables = std::true_type;

  VerletList(const Problem& problem, const BackendOptions& options)
      : device_(problem.device),
        radius_(list_radius(problem)),
        lanes_(lanes_for(problem, options)),
        threads_build_(lanes_ == 1 && (problem.device.emulates_blocks || is_sparse(problem))),
        threads_(block_of(options)),
        neighborhood_(NeighborhoodShape::for_problem(problem)),
        memory_(lanes_, expected_row(problem)),
        is_tabulated_(std::holds_alternative<TabulatedModel>(problem.potential)) {}

  /// Not in the kernels for tables, which give energies too.
  bool moves_targets() const override { return !is_tabulated_; }
  bool takes_parts() const override { return true; }

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    return refuse_list_or_block(problem, options);
  }

  static std::int64_t own_bytes(const Problem& problem, const BackendOptions& options) {
    return ListMemory::bytes(problem.particles, lanes_for(problem, options), expected_row(problem));
  }

  void box_changed(const Problem&) override { has_shifts_ = false; }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    fill_shifts(particles.grid, stream);
    const ListBuild<Precision> list{particles, memory_.rows(particles.count),
                                    static_cast<Pair>(radius_ * radius_)};
    if (threads_build_) {
      return for_each(stream, particles.count, BuildByThreads<Precision>{list});
    }
    const LaunchShape shape =
        neighborhood_.template launch_shape<Pair>(particles.cells(), neighborhood_.threads);
    const auto reach_squared = reach_squared_of<Pair>(radius_);
    if (shape.threads > 128) {  // few cells: more warps, each with less to do
      return launch(stream, shape, BuildByCells<Precision, 2>{list, neighborhood_, reach_squared});
    }
    launch(stream, shape, BuildByCells<Precision, 4>{list, neighborhood_, reach_squared});
  }

  /// Launches the kernel: see BackendWithSinks.
  template <Wanted wanted, class Functor, class Sink>
  void run(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
           Stream& stream) {
    const ListRows rows = memory_.rows(particles.count);
    shape_ = {divide_up(std::int64_t{particles.count} * lanes_, threads_), threads_};
    if (lanes_ > 1) {
      using Kernel = SeveralThreadsARow<Precision, wanted, Functor, Sink>;
      launch(stream, shape_, Kernel{{particles, functor, rows, shifts_.data()}, sink});
    } else {
      using Kernel = OneThreadARow<Precision, wanted, Functor, Sink>;
      for_each(stream, particles.count, Kernel{{particles, functor, rows, shifts_.data()}, sink},
               threads_);
    }
  }

  /// Launches the kernel of a cycle: see BackendWithSinks.
  template <class Functor>
  bool stay_resident(const BinnedParticles<Precision>& particles, const Functor& functor,
                     const KickAndDrift<Precision>& move, const UnitsOfCycle<Precision>& units,
                     Stream& stream) {
    if (lanes_ == 1) return false;
    using Kernel = ResidentRows<Precision, Functor>;
    const ListRows rows = memory_.rows(particles.count);
    const LaunchShape shape =
        resident_shape(rows, Kernel::Shifts::bytes, Kernel::max_threads, device_);
    if (!launch_resident(stream, shape, Kernel{particles, functor, rows, move, units})) {
      return false;
    }
    shape_ = shape;
    return true;
  }

  Index row_capacity() const override { return memory_.capacity(); }
  void grow_rows(Index wanted) override { memory_.grow(wanted); }

  LaunchReport launch_report() const override {
    return {shape_, [this] {
              return threads_per_target_in_words(lanes_) + ", rows of at most " +
                     std::to_string(memory_.capacity()) + " sources";
            }};
  }

 private:
  /// So few around a cell that a warp's lanes would find little to do.
  static bool is_sparse(const Problem& problem) {
    return problem.particles < 2 * problem.grid.count();
  }

  /// More threads hide how long memory takes, and cost their sums' way to each other: the power of
  /// two next to the root of what is missing with one a target (measured on an H200, where 2,048
  /// threads a multiprocessor fill the device).
  static int lanes_for(const Problem& problem, const BackendOptions& options) {
    const std::string& given = options.at("threads_per_target");
    if (given != "auto") return std::stoi(given);
    if (problem.device.emulates_blocks) return 1;
    const double missing =
        2048.0 * problem.device.multiprocessors / targets_that_set_lanes(problem);
    int lanes = 1;
    while (lanes < 32 && lanes * lanes <= missing) lanes *= 2;
    return lanes;
  }

  /// Bits depend on it: what has the same on any number of ranks looks at the particles of all.
  static Index targets_that_set_lanes(const Problem& problem) {
    const bool has_others = problem.deterministic && problem.particles_of_all_ranks > 0;
    return has_others ? problem.particles_of_all_ranks : problem.particles;
  }

  /// And half as many again.
  static std::int64_t expected_row(const Problem& problem) {
    return expected_sources(problem, list_radius(problem), 1.5);
  }

  void fill_shifts(const GridView<Pair>& grid, Stream& stream) {
    if (std::exchange(has_shifts_, true)) return;
    shifts_.resize(ShiftCode::count);
    for_each(stream, ShiftCode::count, FillShifts<Pair>{grid, shifts_.data()});
  }

  DeviceProperties device_;
  double radius_;
  int lanes_;
  bool threads_build_;
  int threads_;
  NeighborhoodShape neighborhood_;
  ListMemory memory_;
  bool is_tabulated_;
  Buffer<RoundedShift<Pair>> shifts_;
  bool has_shifts_ = false;
  LaunchShape shape_;
};

}  // namespace

BackendEntry verlet_list() {
  BackendInfo info;
  info.name = "verlet-list";
  info.summary =
      "a list of all partners within cutoff plus skin, used until a particle has moved far";
  info.source = "Verlet 1967; Allen and Tildesley, section 5.3.1";
  OptionInfo threads =
      threads_per_target_option("threads that share a row; auto: the more, the fewer particles");
  threads.default_value = "auto";
  threads.choices.insert(threads.choices.begin(), "auto");
  threads.choices_without_blocks.emplace_back("auto");
  info.options = {block_option("256"), std::move(threads)};
  info.rebuild = Rebuild::on_displacement;
  info.on_ranks = OnRanks::to_the_bit;
  info.worth_trying = {{}};
  return make_entry<VerletList>(std::move(info));
}

}  // namespace pencilbox::PENCILBOX_DEVICE
