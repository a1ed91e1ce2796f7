// Par-Part-NoLoop: one thread per particle, which walks the 27 cells around its own in device
// memory, cell by cell (z, then y, then x). No shared memory; the yardstick of the paper.
// Few particles per cell, section 4.1 and Algorithm 1.
//
// Ours, as options: runs of three cells, another block size, and several threads a target, which
// share its sources, all 27 cells laid end to end, and add their sums by shuffles: for systems too
// small to fill a GPU.
#include "neighbor/backend.hpp"
#include "neighbor/backends/par_part_no_loop/flat_neighborhood.hpp"
#include "neighbor/walks/target_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision, Wanted wanted, class Interaction, SourceRuns runs>
struct OneThreadATarget {
  static constexpr const char* name = "par-part-no-loop";

  TargetWalk<Precision, wanted, Interaction, runs> walk;
  PairSumsView<Precision> sums;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    const auto& particles = walk.particles;
    walk(target, particles.grid.coordinates(particles.cell[target])).store(sums, target);
  }
};

template <class Precision, Wanted wanted, class Interaction>
struct SeveralThreadsATarget {
  static constexpr const char* name = "par-part-no-loop: several threads a target";
  static constexpr int max_threads = 512;
  using Pair = typename Precision::Pair;
  using Around = FlatNeighborhood<Pair>;
  using Sum = SumOf<Precision, wanted, Interaction>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  PairSumsView<Precision> sums;
  int lanes;  ///< a power of two, at most a warp

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const std::int64_t thread = block.index() * block.threads() + block.thread();
    const bool is_there = thread / lanes < particles.count;
    const Index target = is_there ? static_cast<Index>(thread / lanes) : 0;
    const auto lane = static_cast<Index>(thread % lanes);
    Around around(block, particles.grid, particles.offset,
                  particles.grid.coordinates(particles.cell[target]), block.thread() / lanes,
                  block.threads() / lanes, lane, lanes, is_there);
    Sum sum = walk(around, target, lane);
    sum.add_lanes(block, lanes);
    if (is_there && lane == 0) sum.store(sums, target);
  }

  /// Several sources are fetched before the first is used.
  PENCILBOX_DEVICE_FUNCTION Sum walk(Around& around, Index target, Index lane) const {
    constexpr int ahead = 4;
    const Vec3<Pair> position = particles.position[target];
    const std::int32_t type = type_if_needed<Interaction>(particles.type, target);
    Sum sum;
    for (Index number = lane; number < around.total(); number += ahead * lanes) {
      typename Around::Candidate candidates[ahead];
      Vec3<Pair> sources[ahead];
      for (int a = 0; a < ahead; ++a) candidates[a] = around.candidate(number + a * lanes);
      for (int a = 0; a < ahead; ++a) {
        sources[a] = particles.position[larger(candidates[a].source, 0)];
      }
      for (int a = 0; a < ahead; ++a) {
        const auto [source, code] = candidates[a];
        if (source < 0 || (source == target && code == ShiftCode::none)) continue;
        add(sum, around, target, position, type, source, code, sources[a]);
      }
    }
    return sum;
  }

  PENCILBOX_DEVICE_FUNCTION void add(Sum& sum, const Around& around, Index target,
                                     const Vec3<Pair>& position, std::int32_t type, Index source,
                                     Index code, const Vec3<Pair>& source_position) const {
    const CellShift<Pair> shift{around.shift(code), {}};
    const auto exact = [&] {
      return exact_separation(particles, target, source, ShiftCode::shift(particles.grid, code));
    };
    sum.add(interaction, position, source_position, shift, exact, type,
            type_if_needed<Interaction>(particles.type, source));
  }
};

template <class Precision>
class ParPartNoLoop final : public Backend<Precision> {
 public:
  using EvaluatesTables = std::true_type;

  ParPartNoLoop(const Problem&, const BackendOptions& options)
      : runs_(source_runs_of(options)),
        threads_(block_of(options)),
        lanes_(threads_per_target_of(options)) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (auto reason = refuse_cells_or_block(problem, options)) return reason;
    const int lanes = threads_per_target_of(options);
    const auto bytes = static_cast<std::int64_t>(shared_bytes(block_of(options), lanes));
    if (lanes == 1 || bytes <= problem.device.shared_bytes_opt_in) return {};
    return "a block of " + options.at("block") + " threads, " + threads_per_target_in_words(lanes) +
           ", needs " + std::to_string(bytes) + " bytes of shared memory, and the device has " +
           std::to_string(problem.device.shared_bytes_opt_in);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const LaunchShape shape{divide_up(std::int64_t{particles.count} * lanes_, threads_), threads_};
    const auto run = [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      const PairSumsView<Precision> view(sums);
      if (lanes_ > 1) {
        using Kernel = SeveralThreadsATarget<Precision, chosen(), Functor>;
        LaunchShape with_shared = shape;
        with_shared.shared_bytes = shared_bytes(threads_, lanes_);
        launch(stream, with_shared, Kernel{particles, functor, view, lanes_});
        return;
      }
      dispatch_runs(runs_, [&](auto runs) {
        using Kernel = OneThreadATarget<Precision, chosen(), Functor, runs()>;
        for_each(stream, particles.count, Kernel{{particles, functor}, view}, threads_);
      });
    };
    if (!dispatch_tabulated(interaction, wanted, run)) {
      dispatch<Precision>(interaction, wanted, run);
    }
    report_ = {shape, [this] { return threads_per_target_in_words(lanes_); }};
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  static std::size_t shared_bytes(int threads, int lanes) {
    return FlatNeighborhood<typename Precision::Pair>::bytes(threads / lanes);
  }

  SourceRuns runs_;
  int threads_;
  int lanes_;
  LaunchReport report_;
};

}  // namespace

BackendEntry par_part_no_loop() {
  return make_entry<ParPartNoLoop>({
      .name = "par-part-no-loop",
      .summary = "one thread per particle, 27 cells in device memory",
      .source = "Few particles per cell, section 4.1",
      .options = {source_runs_option(), block_option("128"),
                  threads_per_target_option(
                      "threads that share the sources of a target, its 27 cells end to end")},
      .on_ranks = OnRanks::to_the_bit,
      .worth_trying = {{{"runs", "merged"}},
                       {{"threads_per_target", "4"}},
                       {{"threads_per_target", "8"}},
                       {{"threads_per_target", "32"}},
                       {{"runs", "merged"}, {"block", "64"}},
                       {{"runs", "merged"}, {"block", "256"}},
                       {{"runs", "cells"}}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
