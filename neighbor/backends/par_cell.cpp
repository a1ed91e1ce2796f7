// Par-Cell: one block per cell, whose threads take the cell's particles in turn and walk the 27
// cells around them in device memory. Threads beyond the last particle idle. No shared memory; all
// threads of a block read the same sources. Few particles per cell, section 4.3 and Algorithm 2.
//
// There is no barrier, so this is a plain grid of threads, cut into blocks by division.
#include "neighbor/backend.hpp"
#include "neighbor/walks/blocks_option.hpp"
#include "neighbor/walks/target_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision, Wanted wanted, class Interaction, SourceRuns runs>
struct ParCellKernel {
  static constexpr const char* name = "par-cell";

  TargetWalk<Precision, wanted, Interaction, runs> walk;
  PairSumsView<Precision> sums;
  Index cells;
  Index blocks;
  int threads;  ///< of a block

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Index block = i / threads;
    const Index thread = i % threads;
    // 64 bits: one stride beyond the last cell may lie beyond the largest Index.
    for (std::int64_t cell = block; cell < cells; cell += blocks) {
      add_cell(static_cast<Index>(cell), thread);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_cell(Index cell, Index thread) const {
    const auto& particles = walk.particles;
    const Index begin = particles.offset[cell];
    const Index count = particles.offset[cell + 1] - begin;
    if (thread >= count) return;  // spares idle threads the divisions
    const CellCoordinates home = particles.grid.coordinates(cell);
    for (Index k = thread; k < count; k += threads) {
      walk(begin + k, home).store(sums, begin + k);
    }
  }
};

constexpr const char* a_block_for_each = "cells";

template <class Precision>
class ParCell final : public Backend<Precision> {
 public:
  ParCell(const Problem&, const BackendOptions& options)
      : options_(options), runs_(source_runs_of(options)), threads_(block_of(options)) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    return refuse_cells_or_block(problem, options);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const Index cells = particles.cells();
    const LaunchShape shape = choose_shape(cells);
    const auto blocks = static_cast<Index>(shape.blocks);
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      dispatch_runs(runs_, [&](auto runs) {
        using Kernel = ParCellKernel<Precision, chosen(), Functor, runs()>;
        const Kernel kernel{
            {particles, functor}, PairSumsView<Precision>(sums), cells, blocks, threads_};
        for_each(stream, blocks * threads_, kernel, threads_);
      });
    });
    report_ = {shape, [most = divide_up(cells, blocks)] {
                 return "at most " + std::to_string(most) + " cells a block";
               }};
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  /// Of very many cells a block takes several: for_each cannot number more threads.
  LaunchShape choose_shape(Index cells) const {
    const std::int64_t blocks = blocks_of(options_, a_block_for_each, cells);
    return {std::min(blocks, most_blocks(threads_)), threads_};
  }

  BackendOptions options_;
  SourceRuns runs_;
  int threads_;
  LaunchReport report_;
};

}  // namespace

BackendEntry par_cell() {
  return make_entry<ParCell>({
      .name = "par-cell",
      .summary = "one block per cell, a thread per particle of it, 27 cells in device memory",
      .source = "Few particles per cell, section 4.3, Algorithm 2",
      .options = {blocks_option(a_block_for_each, "of the grid; cells: one for each"),
                  source_runs_option(), block_option("128")},
      .on_ranks = OnRanks::to_the_bit,
      .worth_trying = {{{"runs", "merged"}}, {{"runs", "merged"}, {"block", "32"}}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
