// Par-Part-NoLoop: one thread per particle, which walks the 27 cells around its own in device
// memory, cell by cell (z, then y, then x). No shared memory; the yardstick of the paper.
// Few particles per cell, section 4.1 and Algorithm 1.
//
// Ours, as options: runs of three cells, another block size, and several threads a target, which
// share the sources of a run and add their sums by shuffles: for systems too small to fill a GPU.
#include "neighbor/backend.hpp"
#include "neighbor/target_walk.hpp"

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

  TargetWalk<Precision, wanted, Interaction, SourceRuns::merged> walk;
  PairSumsView<Precision> sums;
  int lanes;  ///< a power of two, at most a warp

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto& particles = walk.particles;
    const std::int64_t thread = block.index() * block.threads() + block.thread();
    const auto target = static_cast<Index>(thread / lanes);
    const auto lane = static_cast<Index>(thread % lanes);
    TargetSum<Precision, wanted> sum;
    if (target < particles.count) {
      sum = walk(target, particles.grid.coordinates(particles.cell[target]), lane, lanes);
    }
    sum.add_lanes(block, lanes);
    if (target < particles.count && lane == 0) sum.store(sums, target);
  }
};

template <class Precision>
class ParPartNoLoop final : public Backend<Precision> {
 public:
  ParPartNoLoop(const Problem&, const BackendOptions& options)
      : runs_(source_runs_of(options)),
        threads_(block_of(options)),
        lanes_(threads_per_target_of(options)) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    return refuse_cells_or_block(problem, options);
  }

  void prepare(const BinnedParticles<Precision>&, Stream&) override {}

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const LaunchShape shape{divide_up(std::int64_t{particles.count} * lanes_, threads_), threads_};
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      const PairSumsView<Precision> view(sums);
      if (lanes_ > 1) {
        using Kernel = SeveralThreadsATarget<Precision, chosen(), Functor>;
        launch(stream, shape, Kernel{{particles, functor}, view, lanes_});
        return;
      }
      dispatch_runs(runs_, [&](auto runs) {
        using Kernel = OneThreadATarget<Precision, chosen(), Functor, runs()>;
        for_each(stream, particles.count, Kernel{{particles, functor}, view}, threads_);
      });
    });
    report_ = {shape, threads_per_target_in_words(lanes_)};
  }

  LaunchReport launch_report() const override { return report_; }

 private:
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
                      "threads that share the sources of a target, in merged runs")},
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
