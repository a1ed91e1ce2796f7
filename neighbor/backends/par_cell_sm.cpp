// Par-Cell-SM: one block per cell. Targets stay in registers; the 27 cells of sources pass through
// a buffer in shared memory one after the other. Few particles per cell, section 4.4 and
// Algorithm 3.
//
// A cell with more particles than the block has threads takes several rounds, sources that exceed
// the buffer come in several pieces. Every thread meets every barrier, also one without a target:
// whatever decides over a barrier is the same for the whole block. The buffer has two halves that
// are used in turn: while one is read the other is filled, so one barrier a piece is enough.
//
// Ours, as an option: the cells of a row staged together, a third of the barriers.
#include "neighbor/backend.hpp"
#include "neighbor/walks/blocks_option.hpp"
#include "neighbor/walks/staged_sources.hpp"
#include "neighbor/walks/target_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// `runs` is known to the compiler: a kernel with both walks would spill registers.
template <class Precision, Wanted wanted, class Interaction, SourceRuns runs>
struct ParCellSmKernel {
  static constexpr const char* name = "par-cell-sm";
  using Pair = typename Precision::Pair;
  using Sum = SumOf<Precision, wanted, Interaction>;
  using Staged = StagedSources<Pair, Interaction::needs_types>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  PairSumsView<Precision> sums;
  Index cells;
  Index capacity;  ///< particles that the buffer holds

  /// The buffer, and the slot where the next piece begins: that of one half or the other.
  struct Staging {
    Staged sources;
    Index next = 0;
  };

  /// Sources [begin, end) in the buffer, the first of them in `slot`.
  struct Piece {
    Index begin, end, slot;
  };

  /// One target in a thread's registers; `particle` is -1 where the thread has none.
  struct Target {
    Index particle = -1;
    std::int32_t type = 0;
    Vec3<Pair> position;
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    Staging staging{Staged::allocate(block, capacity)};
    // Unsigned: the last cell and one stride are each below 2^31. 64 bits would spill registers.
    const auto count = static_cast<std::uint32_t>(cells);
    const auto stride = static_cast<std::uint32_t>(block.blocks());
    for (auto cell = static_cast<std::uint32_t>(block.index()); cell < count; cell += stride) {
      const Index* offset = particles.offset + cell;
      const CellCoordinates home = particles.grid.coordinates(static_cast<Index>(cell));
      for (Index round = offset[0]; round < offset[1]; round += block.threads()) {
        const Target target = load_target(round + block.thread(), offset[1]);
        const Sum sum = sum_of(block, staging, target, home);
        if (target.particle >= 0) sum.store(sums, target.particle);
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION Target load_target(Index particle, Index end) const {
    Target target;
    if (particle >= end) return target;
    target.particle = particle;
    target.position = particles.position[particle];
    if constexpr (Interaction::needs_types) target.type = particles.type[particle];
    return target;
  }

  PENCILBOX_DEVICE_FUNCTION Sum sum_of(const Block& block, Staging& staging, const Target& target,
                                       const CellCoordinates& home) const {
    Sum sum;
    if constexpr (runs == SourceRuns::merged) {
      for_each_neighbor_run(particles.grid, particles.offset, home, [&](const NeighborRun& run) {
        for_each_piece(block, staging, run.begin, run.end, [&](const Piece& piece) {
          if (target.particle >= 0) add_run(staging, target, sum, piece, run);
        });
      });
    } else {
      for_each_neighbor_cell(particles.grid, home, [&](Index cell, Index dx, Index dy, Index dz) {
        const Index* offset = particles.offset + cell;
        for_each_piece(block, staging, offset[0], offset[1], [&](const Piece& piece) {
          if (target.particle >= 0) add_piece(staging, target, sum, piece, dx, dy, dz);
        });
      });
    }
    return sum;
  }

  /// Stages the sources [begin, end), piece by piece, and calls use(piece) for each. Other threads
  /// may still read the last piece, in the other half, but none the piece before it: they have all
  /// met the barrier between the two.
  template <class Use>
  PENCILBOX_DEVICE_FUNCTION void for_each_piece(const Block& block, Staging& staging, Index begin,
                                                Index end, const Use& use) const {
    const Index half = capacity / 2;
    for (Index first = begin; first < end; first += half) {
      const Piece piece{first, smaller(first + half, end), staging.next};
      staging.next = half - staging.next;
      load(block, staging, piece);
      block.barrier();
      use(piece);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void load(const Block& block, const Staging& staging,
                                      const Piece& piece) const {
    for (Index k = block.thread(); k < piece.end - piece.begin; k += block.threads()) {
      const Index source = piece.begin + k;
      std::int32_t type = 0;
      if constexpr (Interaction::needs_types) type = particles.type[source];
      staging.sources.put(piece.slot + k, particles.position[source], type);
    }
  }

  /// What of a run is in the piece, one cell after the other.
  PENCILBOX_DEVICE_FUNCTION void add_run(const Staging& staging, const Target& target, Sum& sum,
                                         const Piece& piece, const NeighborRun& run) const {
    const IndexRange staged{piece.begin, piece.end};
    for (Index dx = -1; dx <= 1; ++dx) {
      const IndexRange part = run.cell(dx).within(staged);
      add_piece(staging, target, sum,
                {part.begin, part.end, piece.slot + (part.begin - piece.begin)}, dx, run.dy,
                run.dz);
    }
  }

  /// Sources of one cell, at this offset from the target's.
  PENCILBOX_DEVICE_FUNCTION void add_piece(const Staging& staging, const Target& target, Sum& sum,
                                           const Piece& piece, Index dx, Index dy, Index dz) const {
    const CellShift<Pair> shift = particles.grid.shift(dx, dy, dz);
    const bool own_cell = dx == 0 && dy == 0 && dz == 0;
    const Index skip = own_cell ? target.particle : Index{-1};
    const Index to_slot = piece.slot - piece.begin;
    for (Index source = piece.begin; source < piece.end; ++source) {
      if (source == skip) continue;
      const Index slot = source + to_slot;
      const auto exact = [&] {
        return exact_separation(particles, target.particle, source, shift);
      };
      sum.add(interaction, target.position, staging.sources.position(slot), shift, exact,
              target.type, staging.sources.type_of(slot));
    }
  }
};

constexpr const char* a_block_for_each = "cells";

template <class Precision>
class ParCellSm final : public Backend<Precision> {
  using Pair = typename Precision::Pair;

 public:
  ParCellSm(const Problem&, const BackendOptions& options)
      : options_(options),
        runs_(source_runs_of(options)),
        threads_(block_of(options)),
        capacity_(std::stoi(options.at("staged"))) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (const auto reason = refuse_cells_or_block(problem, options)) return reason;
    const bool with_types = types_of(problem.potential) > 1;
    const std::int64_t bytes = std::stoll(options.at("staged")) * staged_bytes<Pair>(with_types);
    if (bytes <= problem.device.shared_bytes_opt_in) return {};
    return options.at("staged") + " staged particles take " + std::to_string(bytes) +
           " bytes of shared memory, and a block of this device has at most " +
           std::to_string(problem.device.shared_bytes_opt_in);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void compute(const BinnedParticles<Precision>& particles, const Interaction<Pair>& interaction,
               Wanted wanted, PairSums<Precision>& sums, Stream& stream) override {
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      dispatch_runs(runs_, [&](auto runs) {
        using Kernel = ParCellSmKernel<Precision, chosen(), Functor, runs()>;
        start(stream, Kernel{particles, functor, PairSumsView<Precision>(sums), particles.cells(),
                             capacity_});
      });
    });
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  template <class Kernel>
  void start(Stream& stream, const Kernel& kernel) {
    LaunchShape shape;
    shape.blocks = blocks_of(options_, a_block_for_each, kernel.cells);
    shape.threads = threads_;
    shape.shared_bytes = static_cast<std::size_t>(capacity_) * Kernel::Staged::bytes_per_source;
    launch(stream, shape, kernel);
    report_ = {shape, [this] {
                 return "sources staged in pieces of at most " + std::to_string(capacity_ / 2);
               }};
  }

  BackendOptions options_;
  SourceRuns runs_;
  int threads_;
  Index capacity_;
  LaunchReport report_;
};

}  // namespace

BackendEntry par_cell_sm() {
  return make_entry<ParCellSm>({
      .name = "par-cell-sm",
      .summary = "one block per cell, the 27 source cells pass through shared memory",
      .source = "Few particles per cell, section 4.4, Algorithm 3",
      .options = {{.name = "staged",
                   .default_value = "512",
                   .description = "particles that shared memory holds",
                   .minimum = 32,
                   .maximum = 4096},
                  blocks_option(a_block_for_each, "of the grid; cells: one for each"),
                  source_runs_option(),
                  block_option("128")},
      .needs_blocks = true,
      .on_ranks = OnRanks::to_the_bit,
      .worth_trying = {{{"runs", "merged"}}, {{"runs", "merged"}, {"block", "32"}}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
