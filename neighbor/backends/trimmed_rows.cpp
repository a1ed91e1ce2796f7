// Trimmed-Rows: a thread a target, which walks the nine rows of cells around it in device memory,
// each as far as the sphere of the cutoff goes through it: cells are sorted in slices across x, and
// a row is begun and ended at a slice. Of what 27 cells hold a sixth are partners, of these a
// third. Ours; Few particles per cell, 4.1, walks whole cells. Several threads share a target where
// particles are too few to fill a GPU.
//
// In mixed precision forces of a liquid are summed in whole quanta, which add up exactly:
// docs/decisions/0047-whole-quanta-on-a-gpu.md.
#include "neighbor/backends/trimmed_rows/trimmed_walk.hpp"
#include "neighbor/walks/backend_with_sinks.hpp"
#include "neighbor/walks/reach.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr int most_threads_in_quanta = 128;

template <class Walk, class Sink>
struct OneThreadATarget {
  static constexpr const char* name = "trimmed-rows";

  Walk walk;
  Sink sink;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index number) const {
    if (!walk.particles.is_target(number)) return;
    auto sum = walk.sum_of(walk.fetch(number));
    walk.store(sum, sink, number);
  }
};

/// Of forces in quanta: 64 registers are enough. Where a thread goes through its sources once more,
/// which is seldom, some spill.
template <class Walk, class Sink>
struct OneThreadATargetInQuanta {
  static constexpr const char* name = OneThreadATarget<Walk, Sink>::name;
  static constexpr int max_threads = most_threads_in_quanta;
  static constexpr int min_blocks = 8;
  static constexpr bool moves = requires(const Sink& sink) { sink.fetch_ahead(Index{}); };
  using Constants = typename Walk::Constants;
  static constexpr std::size_t shared_bytes = sizeof(Constants);

  Walk walk;
  Sink sink;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto constants = block.shared<Constants>(1);
    if (block.thread() == 0) constants[0] = walk.constants();
    block.barrier();
    const std::int64_t number = block.index() * block.threads() + block.thread();
    if (number >= walk.particles.count) return;
    if constexpr (moves) sink.fetch_ahead(static_cast<Index>(number));
    const OneThreadATarget<Walk, Sink> target{walk.with(constants[0]), sink};
    target(static_cast<Index>(number));
  }
};

template <class Walk, class Sink>
struct SeveralThreadsATarget {
  static constexpr const char* name = "trimmed-rows: several threads a target";
  static constexpr int max_threads = Walk::forces_in_quanta ? most_threads_in_quanta : 512;
  static constexpr int min_blocks = Walk::forces_in_quanta ? 8 : 1;

  Walk walk;
  Sink sink;
  int lanes;  ///< a power of two, at most a warp

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const std::int64_t thread = block.index() * block.threads() + block.thread();
    const auto number = static_cast<Index>(thread / lanes);
    const auto lane = static_cast<Index>(thread % lanes);
    const bool is_there = number < walk.particles.count && walk.particles.is_target(number);
    typename Walk::Sum sum;
    if (is_there) sum = walk.sum_of(walk.fetch(number, lane, lanes));
    sum.add_lanes(block, lanes);
    if (is_there && lane == 0) walk.store(sum, sink, number);
  }
};

template <class Precision>
class TrimmedRows final : public BackendWithSinks<Precision, TrimmedRows<Precision>> {
 public:
  using Pair = typename Precision::Pair;
  static constexpr bool needs_cutoff = true;
  static constexpr bool stays_resident = false;

  TrimmedRows(const Problem& problem, const BackendOptions& options)
      : cutoff_(cutoff_of(problem.potential)),
        threads_(block_of(options)),
        lanes_(lanes_for(problem, options)) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (auto reason = cells_for_a_cutoff(problem, "leaves out what is beyond one")) return reason;
    if (auto reason = partners_beyond_neighbor_cells(problem)) return reason;
    if (auto reason = too_many_parts(problem, CellParts::of_slices)) return reason;
    if (lanes_for(problem, options) == 1) return {};
    if (!problem.box.periodic[0]) return "several threads share a target where x is periodic alone";
    return block_below_warp(problem, options);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  /// Launches the kernel: see BackendWithSinks.
  template <Wanted wanted, class Functor, class Sink>
  void run(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
           Stream& stream) {
    if (particles.grid.periodic.x) {
      run_with<wanted>(particles, RowsOnRing<Pair>{particles.on_ring}, functor, sink, stream);
    } else {
      const RowsOfCells<Pair> rows{particles.position, particles.type, particles.rows - 1};
      run_with<wanted>(particles, rows, functor, sink, stream);
    }
  }

  LaunchReport launch_report() const override {
    return {shape_, [lanes = lanes_] { return threads_per_target_in_words(lanes); }};
  }

 private:
  template <Wanted wanted, class Rows, class Functor, class Sink>
  void run_with(const BinnedParticles<Precision>& particles, const Rows& rows,
                const Functor& functor, const Sink& sink, Stream& stream) {
    if constexpr (pairs_must_cancel<Precision> && has_force_quanta<Functor> &&
                  wanted != Wanted::counts) {
      if (particles.on_lattice()) {
        return run_in_units<wanted>(particles, rows, in_force_quanta(functor), sink, stream);
      }
    }
    run_in_units<wanted>(particles, rows, in_force_units(functor), sink, stream);
  }

  /// `interaction`: forces in the units that a kernel sums.
  template <Wanted wanted, class Rows, class Interaction, class Sink>
  void run_in_units(const BinnedParticles<Precision>& particles, const Rows& rows,
                    const Interaction& interaction, const Sink& sink, Stream& stream) {
    using Walk = TrimmedWalk<Precision, wanted, Interaction, Rows>;
    const double side = particles.grid.exact_side.x;
    const Walk walk{particles,
                    rows,
                    interaction,
                    reach_squared_of<Pair>(cutoff_),
                    static_cast<Pair>(CellParts::of_slices / side),
                    RingPosition<Pair>::unit(side)};
    shape_ = {divide_up(std::int64_t{particles.count} * lanes_, threads_), threads_};
    if constexpr (!Rows::has_runs_of_cells) {
      if (lanes_ > 1) {
        return launch(stream, shape_, SeveralThreadsATarget<Walk, Sink>{walk, sink, lanes_});
      }
    }
    if constexpr (Walk::forces_in_quanta) {
      using Kernel = OneThreadATargetInQuanta<Walk, Sink>;
      shape_.shared_bytes = Kernel::shared_bytes;
      launch(stream, shape_, Kernel{walk, sink});
    } else {
      for_each(stream, particles.count, OneThreadATarget<Walk, Sink>{walk, sink}, threads_);
    }
  }

  /// By how often over a GPU could run a thread for each at once: where that is not three times, it
  /// idles towards the end. A second thread of a target has nothing to read where a row is short,
  /// as in a gas (measured on an H200).
  static int lanes_for(const Problem& problem, const BackendOptions& options) {
    if (options.at("threads_per_target") != "auto") return threads_per_target_of(options);
    if (problem.device.emulates_blocks || !problem.box.periodic[0]) return 1;
    constexpr double threads_of_a_multiprocessor = 1280.0;
    const double rounds =
        problem.particles / (threads_of_a_multiprocessor * problem.device.multiprocessors);
    if (rounds < 0.1) return 8;
    if (rounds < 0.4) return 4;
    return rounds < 2.5 && sources_of_a_row(problem) > 2 * sources_at_once ? 2 : 1;
  }

  static double sources_of_a_row(const Problem& problem) {
    constexpr double mean_chord = 1.5;  // of the cutoff
    const Double3& side = problem.grid.side;
    const double of_a_row = side[1] * side[2] * mean_chord * cutoff_of(problem.potential);
    return of_a_row * problem.particles / volume_of(problem);
  }

  double cutoff_;
  int threads_;
  int lanes_;
  LaunchShape shape_;
};

OptionInfo block_of_quanta() {
  OptionInfo option = block_option("128");
  std::erase_if(option.choices, [](const std::string& threads) {
    return std::stoi(threads) > most_threads_in_quanta;
  });
  return option;
}

OptionInfo threads_option() {
  OptionInfo option = threads_per_target_option(
      "threads that share the sources of a target; auto: the more, the fewer particles");
  option.default_value = "auto";
  option.choices = {"auto", "1", "2", "4", "8"};
  option.choices_without_blocks = {"auto", "1"};
  return option;
}

}  // namespace

BackendEntry trimmed_rows() {
  return make_entry<TrimmedRows>({
      .name = "trimmed-rows",
      .summary =
          "one thread per particle, nine rows of cells as far as the cutoff goes through them",
      .source = "ours",
      .options = {threads_option(), block_of_quanta(), sums_option()},
      .crowd = 6.0,
      .on_ranks = OnRanks::not_to_the_bit,
      .order = ParticleOrder::slices_in_cells,
      .sums_quanta = true,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
