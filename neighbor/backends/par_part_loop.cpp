// Par-Part-Loop: Par-Part-NoLoop with a loop over particles in each thread, so that any number of
// threads will do. By default there are as many as particles, the paper's configuration, and the
// loop is passed through once. Few particles per cell, sections 4.2 and 7.
#include "neighbor/backend.hpp"
#include "neighbor/walks/blocks_option.hpp"
#include "neighbor/walks/target_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision, Wanted wanted, class Interaction, SourceRuns runs>
struct ParPartLoopKernel {
  static constexpr const char* name = "par-part-loop";

  TargetWalk<Precision, wanted, Interaction, runs> walk;
  PairSumsView<Precision> sums;
  Index threads;  ///< of the whole grid

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    const auto& particles = walk.particles;
    // 64 bits: one stride beyond the last particle may lie beyond the largest Index.
    for (std::int64_t next = thread; next < particles.count; next += threads) {
      const auto target = static_cast<Index>(next);
      walk(target, particles.grid.coordinates(particles.cell[target])).store(sums, target);
    }
  }
};

constexpr const char* a_thread_for_each = "particles";

template <class Precision>
class ParPartLoop final : public Backend<Precision> {
 public:
  ParPartLoop(const Problem&, const BackendOptions& options)
      : options_(options), runs_(source_runs_of(options)), threads_(block_of(options)) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    return refuse_cells_or_block(problem, options);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const LaunchShape shape = choose_shape(particles.count);
    const auto threads = static_cast<Index>(shape.blocks * shape.threads);
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      dispatch_runs(runs_, [&](auto runs) {
        using Kernel = ParPartLoopKernel<Precision, chosen(), Functor, runs()>;
        for_each(stream, threads,
                 Kernel{{particles, functor}, PairSumsView<Precision>(sums), threads}, threads_);
      });
    });
    report_ = {shape, [most = divide_up(particles.count, std::max<Index>(1, threads))] {
                 return "at most " + std::to_string(most) + " targets a thread";
               }};
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  LaunchShape choose_shape(Index particles) const {
    const std::int64_t blocks =
        blocks_of(options_, a_thread_for_each, divide_up(particles, threads_));
    return {std::min(blocks, most_blocks(threads_)), threads_};
  }

  BackendOptions options_;
  SourceRuns runs_;
  int threads_;
  LaunchReport report_;
};

}  // namespace

BackendEntry par_part_loop() {
  return make_entry<ParPartLoop>({
      .name = "par-part-loop",
      .summary = "one thread per particle, or per several, 27 cells in device memory",
      .source = "Few particles per cell, section 4.2",
      .options = {blocks_option(a_thread_for_each, "of the grid; particles: a thread for each"),
                  source_runs_option(), block_option("128")},
      .on_ranks = OnRanks::to_the_bit,
      .worth_trying = {{{"runs", "merged"}},
                       {{"runs", "cells"}},
                       {{"runs", "merged"}, {"block", "256"}}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
