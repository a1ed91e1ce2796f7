// Rows-In-Lanes: lanes share a target, one or three for each of the nine rows of three cells around
// it. A lane looks its row up by itself and goes along it, so that until sums come together no lane
// asks another for anything, and there is little code: in a kernel of two microseconds a warp waits
// for its instructions as much as for memory. For systems that have fewer targets than a device has
// lanes, or one particle a cell. Ours.
#include <algorithm>

#include "neighbor/walks/backend_with_sinks.hpp"
#include "neighbor/walks/cell_walk.hpp"
#include "neighbor/walks/particles_around.hpp"
#include "neighbor/walks/quick_potential.hpp"
#include "neighbor/walks/team.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr Index rows_of_target = 9;

/// Of a team of 32 lanes 27 have work.
template <class Precision, Wanted wanted, class Interaction, class Sink, int lanes_of_row>
struct SumOverRows {
  static constexpr const char* name = "rows-in-lanes";
  static constexpr int max_threads = 128;
  static constexpr Index lanes_of_target = rows_of_target * lanes_of_row;
  static constexpr Index targets_of_team = Team::lanes / lanes_of_target;
  using Pair = typename Precision::Pair;
  using Sum = QuickSumOf<Precision, wanted, Interaction>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  Sink sink;

  struct Target {
    Index particle;
    CellCoordinates home;
    Vec3<Pair> position;
    std::int32_t type;
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Index lane = Team::lane(block);
    const Index in_team = lane / lanes_of_target, in_target = lane - in_team * lanes_of_target;
    const Index team = static_cast<Index>(block.index()) * Team::count(block) + Team::number(block);
    const Index number = team * targets_of_team + in_team;
    const bool is_there = in_team < targets_of_team && number < particles.count;
    Sum sum;
    if (is_there) add_row(sum, fetch(number), in_target);
    add_lanes(block, sum);
    if (is_there && in_target == 0) sum.store(sink, number);
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Target fetch(Index number) const {
    const Index cell = particles.cell[number];
    return {number, particles.grid.coordinates(cell), particles.position[number],
            type_if_needed<Interaction>(particles.type, number)};
  }

  PENCILBOX_DEVICE_FUNCTION void add_row(Sum& sum, const Target& target, Index in_target) const {
    const Index number = in_target / lanes_of_row, first = in_target - number * lanes_of_row;
    const auto& grid = particles.grid;
    const Index dy = number % 3 - 1, dz = number / 3 - 1;
    const Index y = target.home.y + dy, z = target.home.z + dz;
    const Index in_y = wrapped(y, grid.cells.y), in_z = wrapped(z, grid.cells.z);
    if ((!grid.periodic.y && in_y != y) || (!grid.periodic.z && in_z != z)) return;
    for_each_run_of_row(grid, particles.offset + grid.linear({0, in_y, in_z}), target.home.x, dy,
                        dz, [&](const NeighborRun& run) { add(sum, target, first, run); });
  }

  /// Four sources at a time, all on their way before the first is taken.
  PENCILBOX_DEVICE_FUNCTION void add(Sum& sum, const Target& target, Index first,
                                     const NeighborRun& run) const {
    constexpr int at_once = 4;
    const bool holds_target = run.dy == 0 && run.dz == 0 && run.dx(target.particle) == 0;
    const Index itself = holds_target ? target.particle : -1;
    for (Index source = run.begin + first; source < run.end; source += at_once * lanes_of_row) {
      Vec3<Pair> position[at_once];
      for (int s = 0; s < at_once; ++s) {
        const Index number = source + s * lanes_of_row;
        position[s] =
            number < run.end ? particles.position[number] : PackedPosition<Pair>::far_away();
      }
      for (int s = 0; s < at_once; ++s) {
        const Index number = source + s * lanes_of_row;
        add_source(sum, target, run, number, position[s], number < run.end && number != itself);
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_source(Sum& sum, const Target& target, const NeighborRun& run,
                                            Index source, const Vec3<Pair>& position,
                                            bool counts) const {
    const CellShift<Pair> shift = run.shift(source, particles.grid.shift(1, run.dy, run.dz));
    const auto exact = [&] { return exact_separation(particles, target.particle, source, shift); };
    const std::int32_t type =
        counts ? type_if_needed<Interaction>(particles.type, source) : std::int32_t{0};
    sum.add_in_step(interaction, target.position, position, shift, exact, target.type, type,
                    counts);
  }

  /// Those of a target, in a fixed order; its first lane gets it.
  PENCILBOX_DEVICE_FUNCTION static void add_lanes(const Block& block, Sum& sum) {
    if constexpr (targets_of_team == 1) {
      sum.add_lanes(block, Team::lanes);  // the five that are left have nothing
    } else {
      for (const int distance : {3, 1}) {
        sum = Sum::of_both(sum, sum, [&](auto mine, auto) {
          const auto next = block.shuffle_down(mine, distance);
          const auto last = block.shuffle_down(mine, 2 * distance);
          return mine + (next + last);
        });
      }
    }
  }
};

template <class Precision>
class RowsInLanes final : public BackendWithSinks<Precision, RowsInLanes<Precision>> {
 public:
  static constexpr bool needs_cutoff = false;
  static constexpr bool stays_resident = false;

  RowsInLanes(const Problem& problem, const BackendOptions& options)
      : lanes_(lanes_of_row(problem, options)), threads_(block(problem, options, lanes_)) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (auto reason = partners_beyond_neighbor_cells(problem)) return reason;
    if (options.at("block") == "auto") return {};
    return block_below_warp(problem, options);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  /// Launches the kernel: see BackendWithSinks.
  template <Wanted wanted, class Functor, class Sink>
  void run(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
           Stream& stream) {
    if (lanes_ == 1) {
      run_with<wanted, 1>(particles, functor, sink, stream);
    } else {
      run_with<wanted, 3>(particles, functor, sink, stream);
    }
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  template <Wanted wanted, int lanes, class Functor, class Sink>
  void run_with(const BinnedParticles<Precision>& particles, const Functor& functor,
                const Sink& sink, Stream& stream) {
    const auto quick = without_root(functor);
    using Kernel = SumOverRows<Precision, wanted, std::decay_t<decltype(quick)>, Sink, lanes>;
    const Index of_block = Kernel::targets_of_team * (threads_ / Team::lanes);
    const LaunchShape launched{divide_up(particles.count, of_block), threads_};
    launch(stream, launched, Kernel{particles, quick, sink});
    report_ = {launched, [] {
                 return std::to_string(lanes) + (lanes == 1 ? " lane a row" : " lanes a row");
               }};
  }

  /// Three where a row has enough for them, and a device lanes to spare. (By rule and not by
  /// trying: what takes two microseconds cannot be told apart between two events.)
  static int lanes_of_row(const Problem& problem, const BackendOptions& options) {
    const std::string& asked = options.at("lanes");
    if (asked != "auto") return std::stoi(asked);
    const double in_a_row = 3.0 * problem.particles / static_cast<double>(problem.grid.count());
    constexpr double fewest_for_three = 6.0;
    constexpr Index most_targets = 64;  // of a multiprocessor
    const bool has_lanes = problem.particles <= most_targets * problem.device.multiprocessors;
    return in_a_row >= fewest_for_three && has_lanes ? 3 : 1;
  }

  /// Small ones where they are fewer than multiprocessors.
  static int block(const Problem& problem, const BackendOptions& options, int lanes_of_row) {
    const std::string& asked = options.at("block");
    if (asked != "auto") return std::stoi(asked);
    constexpr int large = 128;
    const std::int64_t lanes = std::int64_t{problem.particles} * rows_of_target * lanes_of_row;
    const bool has_many = lanes > std::int64_t{large} * problem.device.multiprocessors;
    return has_many ? large : std::max(Team::lanes, problem.device.warp_size);
  }

  int lanes_;
  int threads_;
  LaunchReport report_;
};

}  // namespace

BackendEntry rows_in_lanes() {
  return make_entry<RowsInLanes>({
      .name = "rows-in-lanes",
      .summary = "a lane or three for each of nine rows of cells around a target",
      .source = "ours",
      .options =
          {{"lanes", "auto", "lanes that share a row of a target's sources", {"auto", "1", "3"}},
           {"block", "auto", "threads of a block", {"auto", "32", "64", "128"}}},
      .needs_blocks = true,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
