// X-pencil: one block per pencil, a row of `length` cells along x. Targets stay in registers; the
// nine pencils of sources around them (with a ghost cell at either end) pass through shared memory
// one after the other, the own pencil first. Few particles per cell, section 5.2 and Algorithm 5.
//
// The paper's bounds are launch rules here, not limits: a pencil with more targets than threads
// takes several rounds, a source pencil larger than half the shared memory comes in several pieces.
// So no occupancy, however uneven, gives a wrong answer.
//
// Ours: the buffer has two halves that are used in turn. While one is read the other is filled, so
// one barrier a pencil is enough where Algorithm 5 has two.
#include <algorithm>

#include "neighbor/backend.hpp"
#include "neighbor/launch_tuner.hpp"
#include "neighbor/shared_memory_option.hpp"
#include "neighbor/source_pencil.hpp"
#include "neighbor/staged_sources.hpp"
#include "neighbor/target_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// How a launch cuts the grid.
struct PencilLayout {
  Index length = 1;   ///< target cells of a pencil along x
  Index per_row = 1;  ///< pencils of a row
  Index half = 0;     ///< source particles that half the shared memory holds
};

template <class Precision, Wanted wanted, class Interaction, SourceRuns runs>
struct XPencilKernel {
  static constexpr const char* name = "x-pencil";
  static constexpr int max_threads = 1024;
  static constexpr int min_blocks = wanted == Wanted::potential ? 2 : 1;
  using Pair = typename Precision::Pair;
  using Sum = TargetSum<Precision, wanted>;
  using Staged = StagedSources<Pair, Interaction::needs_types>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  PairSumsView<Precision> sums;
  PencilLayout layout;

  /// Forces want coordinates relative to each particle's cell, which keep all their digits. The
  /// benchmark's potentials are in float throughout, as published: there all coordinates are
  /// relative to the pencil, and the sources of a merged run need no shift each.
  static constexpr bool along_pencil = wanted == Wanted::potential && runs == SourceRuns::merged;

  /// One target in a thread's registers; `particle` is -1 where the thread has none.
  struct Target {
    Index particle = -1;
    Index x = 0;  ///< of its cell, along the row
    std::int32_t type = 0;
    Vec3<Pair> position;
  };

  /// The buffer, and where in it the next piece begins: at one half or the other.
  struct Staging {
    Staged sources;
    Index next = 0;
  };

  /// Sources with these numbers, the first of them in `slot` of the buffer.
  struct Piece {
    IndexRange numbers;
    Index slot;

    PENCILBOX_DEVICE_FUNCTION Index slot_of(Index number) const {
      return slot + (number - numbers.begin);
    }
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const GridView<Pair>& grid = particles.grid;
    const auto number = static_cast<Index>(block.index());
    const Index row = number / layout.per_row;
    const Index y = row % grid.cells.y;
    const Index z = row / grid.cells.y;
    const Index first = (number - row * layout.per_row) * layout.length;
    const Index last = smaller(first + layout.length, grid.cells.x);
    const Index* offset = particles.offset + grid.linear({0, y, z});
    const Index end = offset[last];
    Staging staging{Staged::allocate(block, 2 * layout.half)};
    for (Index round = offset[first]; round < end; round += block.threads()) {
      const Target target = load_target(round + block.thread(), end, row, first);
      Sum sum;
      for (Index k = 0; k < 9; ++k) {
        const Index neighbor = own_pencil_first(k);
        const Index dy = neighbor % 3 - 1;
        const Index dz = neighbor / 3 - 1;
        const Index source_y = grid.wrap_y(y + dy);
        const Index source_z = grid.wrap_z(z + dz);
        if (source_y < 0 || source_z < 0) continue;
        const Index source_row = grid.linear({0, source_y, source_z});
        add_pencil(block, staging, target, sum,
                   source_pencil(grid, particles.offset, source_row, first, last), dy, dz);
      }
      if (target.particle >= 0) sum.store(sums, target.particle);
    }
  }

  /// 4 is the own row; then 0, 1, 2, 3, 5, ...
  PENCILBOX_DEVICE_FUNCTION static Index own_pencil_first(Index k) {
    return k == 0 ? 4 : (k <= 4 ? k - 1 : k);
  }

  PENCILBOX_DEVICE_FUNCTION Target load_target(Index particle, Index end, Index row,
                                               Index first) const {
    Target target;
    if (particle >= end) return target;
    target.particle = particle;
    target.x = particles.cell[particle] - row * particles.grid.cells.x;
    target.position = particles.position[particle];
    if constexpr (along_pencil) target.position.x += along_row(target.x - first);
    if constexpr (Interaction::needs_types) target.type = particles.type[particle];
    return target;
  }

  /// Between centres of cells so many columns apart [sigma].
  PENCILBOX_DEVICE_FUNCTION Pair along_row(Index columns) const {
    return particles.grid.shift(columns, 0, 0).rounded.x;
  }

  /// All sources of the pencil at (dy, dz) for the block's targets.
  PENCILBOX_DEVICE_FUNCTION void add_pencil(const Block& block, Staging& staging,
                                            const Target& target, Sum& sum,
                                            const SourcePencil& sources, Index dy, Index dz) const {
    const Index count = sources.count();
    const bool has_target = target.particle >= 0;
    const bool own_row = has_target && dy == 0 && dz == 0;
    // Before the barrier, so that these loads and those of the sources are under way together.
    const NeighborRun run =
        has_target ? sources.run_around(target.x, dy, dz) : NeighborRun{0, 0, 0, 0, dy, dz};
    const Index skip = own_row ? sources.number_in_inner(target.particle) : Index{-1};
    for (Index begin = 0; begin < count; begin += layout.half) {
      const Piece piece{{begin, smaller(begin + layout.half, count)}, staging.next};
      staging.next = layout.half - staging.next;
      // Other threads may still read the last piece, in the other half, but none the piece before
      // it: they have all met the barrier between the two.
      load_piece(block, staging.sources, sources, piece);
      block.barrier();
      if (!has_target) continue;
      if constexpr (along_pencil) {
        add_along_pencil(staging.sources, sources, piece, target, sum, run, skip);
      } else if constexpr (runs == SourceRuns::merged) {
        add_merged(staging.sources, sources, piece, target, sum, run, skip);
      } else {
        add_cells(staging.sources, sources, piece, target, sum, run, skip);
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION void load_piece(const Block& block, const Staged& staged,
                                            const SourcePencil& sources, const Piece& piece) const {
    for (Index k = piece.numbers.begin + block.thread(); k < piece.numbers.end;
         k += block.threads()) {
      const Index source = sources.particle(k);
      Vec3<Pair> position = particles.position[source];
      if constexpr (along_pencil) {
        const auto row = static_cast<Index>(sources.offset - particles.offset);
        const Index column = sources.column_of(k, particles.cell[source] - row);
        position.x += along_row(column - sources.first);
      }
      std::int32_t type = 0;
      if constexpr (Interaction::needs_types) type = particles.type[source];
      staged.put(piece.slot_of(k), position, type);
    }
  }

  /// Cell by cell, as published.
  PENCILBOX_DEVICE_FUNCTION void add_cells(const Staged& staged, const SourcePencil& sources,
                                           const Piece& piece, const Target& target, Sum& sum,
                                           const NeighborRun& run, Index skip) const {
    for (Index dx = -1; dx <= 1; ++dx) {
      const CellShift<Pair> shift = particles.grid.shift(dx, run.dy, run.dz);
      const IndexRange cell = run.cell(dx).within(piece.numbers);
      const Index skip_here = dx == 0 ? skip : Index{-1};
      for (Index k = cell.begin; k < cell.end; ++k) {
        if (k != skip_here) add_source(staged, sources, piece, target, sum, k, shift);
      }
    }
  }

  /// The three cells as one run.
  PENCILBOX_DEVICE_FUNCTION void add_merged(const Staged& staged, const SourcePencil& sources,
                                            const Piece& piece, const Target& target, Sum& sum,
                                            const NeighborRun& run, Index skip) const {
    const CellShift<Pair> right = particles.grid.shift(1, run.dy, run.dz);
    const IndexRange here = IndexRange{run.begin, run.end}.within(piece.numbers);
    for (Index k = here.begin; k < here.end; ++k) {
      if (k == skip) continue;
      add_source(staged, sources, piece, target, sum, k, run.shift(k, right));
    }
  }

  /// The three cells as one run, of coordinates that are relative to the pencil. What comes before
  /// the target and what comes after it are two loops: neither asks for each source whether it is
  /// the target.
  PENCILBOX_DEVICE_FUNCTION void add_along_pencil(const Staged& staged, const SourcePencil& sources,
                                                  const Piece& piece, const Target& target,
                                                  Sum& sum, const NeighborRun& run,
                                                  Index skip) const {
    const CellShift<Pair> shift = particles.grid.shift(0, run.dy, run.dz);
    const IndexRange here = IndexRange{run.begin, run.end}.within(piece.numbers);
    const Index itself = here.has(skip) ? skip : here.end;
    for (Index k = here.begin; k < itself; ++k) {
      add_source(staged, sources, piece, target, sum, k, shift);
    }
    for (Index k = itself + 1; k < here.end; ++k) {
      add_source(staged, sources, piece, target, sum, k, shift);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_source(const Staged& staged, const SourcePencil& sources,
                                            const Piece& piece, const Target& target, Sum& sum,
                                            Index k, const CellShift<Pair>& shift) const {
    const Index slot = piece.slot_of(k);
    const auto exact = [&] {
      return exact_separation(particles, target.particle, sources.particle(k), shift);
    };
    sum.add(interaction, target.position, staged.position(slot), shift, exact, target.type,
            staged.type_of(slot));
  }
};

template <class Precision>
class XPencil final : public Backend<Precision> {
 public:
  XPencil(const Problem& problem, const BackendOptions& options)
      : problem_(problem),
        options_(options),
        shared_bytes_(shared_memory_limit(problem, options)),
        largest_cell_(problem.largest_cell),
        tuner_(lengths_of(options.at("length")), problem.device.emulates_blocks) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (const auto reason = partners_beyond_neighbor_cells(problem)) return reason;
    const std::int64_t bytes = shared_memory_limit(problem, options);
    const std::int64_t most = cells_within(bytes, problem, problem.largest_cell);
    if (most < 3) {
      return "a pencil needs at least 3 cells (one of them a target) in shared memory: " +
             std::to_string(bytes) + " bytes hold " + std::to_string(most) + " cells of " +
             std::to_string(problem.largest_cell) + " particles";
    }
    return {};
  }

  void prepare(const BinnedParticles<Precision>&, Stream&) override {}

  void occupancy_changed(Index largest_cell) override { largest_cell_ = largest_cell; }

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const Index length = tuner_.begin(wanted, stream);
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      dispatch_runs(source_runs_of(options_), [&](auto runs) {
        using Functor = std::decay_t<decltype(functor)>;
        using Kernel = XPencilKernel<Precision, chosen(), Functor, runs()>;
        const PencilLayout layout = layout_of(std::min(length, longest_that_fits()));
        const LaunchShape shape{
            blocks_with(layout.length), choose_threads(layout),
            static_cast<std::size_t>(2 * layout.half) * Kernel::Staged::bytes_per_source};
        launch(stream, shape, Kernel{particles, functor, PairSumsView<Precision>(sums), layout});
        report_ = {shape, "pencils of " + std::to_string(layout.length) + " cells"};
      });
    });
    tuner_.end(stream);
    if (!tuner_.decided()) report_.note += ", other lengths still to be tried";
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  static std::int64_t bytes_per_source(const Problem& problem) {
    return staged_bytes<typename Precision::Pair>(types_of(problem.potential) > 1);
  }

  /// LX + 2 of the paper: cells of `largest_cell` particles in so much shared memory.
  static std::int64_t cells_within(std::int64_t bytes, const Problem& problem, Index largest_cell) {
    return bytes / (std::max<Index>(1, largest_cell) * bytes_per_source(problem));
  }

  Index longest_that_fits() const {
    const std::int64_t fitting = cells_within(shared_bytes_, problem_, largest_cell_) - 2;
    return static_cast<Index>(std::clamp<std::int64_t>(fitting, 1, problem_.grid.cells[0]));
  }

  std::int64_t blocks_with(Index length) const {
    const auto& cells = problem_.grid.cells;
    return divide_up(cells[0], length) * cells[1] * cells[2];
  }

  /// The paper's: as long as shared memory and the threads of a block allow, shorter while there
  /// are fewer blocks than multiprocessors.
  Index length_of_the_paper() const {
    const auto by_threads =
        static_cast<Index>(problem_.device.max_threads) / std::max<Index>(1, largest_cell_) - 2;
    Index length = std::max<Index>(1, std::min(longest_that_fits(), by_threads));
    while (length > 1 && blocks_with(length) < problem_.device.multiprocessors) --length;
    return length;
  }

  /// What the deck asks for. To be tried for the best: the paper's, then 1, 2, 3, 4, 6, 9, 13, ...
  /// up to a whole row.
  std::vector<Index> lengths_of(const std::string& option) const {
    if (option == "paper") return {length_of_the_paper()};
    if (option != "best") return {static_cast<Index>(std::stoi(option))};
    const Index longest = longest_that_fits();
    std::vector<Index> lengths{length_of_the_paper()};
    for (Index length = 1; length < longest; length += std::max<Index>(1, length / 2)) {
      if (length != lengths.front()) lengths.push_back(length);
    }
    if (longest != lengths.front()) lengths.push_back(longest);
    return lengths;
  }

  PencilLayout layout_of(Index length) const {
    PencilLayout layout;
    layout.length = length;
    layout.per_row = static_cast<Index>(divide_up(problem_.grid.cells[0], length));
    layout.half =
        std::min<Index>(std::max<Index>(1, largest_cell_) * (length + 2),
                        static_cast<Index>(shared_bytes_ / (2 * bytes_per_source(problem_))));
    return layout;
  }

  /// The paper: a thread for every source of the longest pencil. Ours: one for every target.
  int choose_threads(const PencilLayout& layout) const {
    const std::int64_t cells =
        options_.at("threads") == "paper" ? layout.length + 2 : layout.length;
    const std::int64_t wanted = cells * std::max<Index>(1, largest_cell_);
    const std::int64_t whole_warps = round_up(wanted, problem_.device.warp_size);
    return static_cast<int>(std::min<std::int64_t>(whole_warps, problem_.device.max_threads));
  }

  Problem problem_;
  BackendOptions options_;
  std::int64_t shared_bytes_;
  Index largest_cell_;
  LaunchTuner tuner_;
  LaunchReport report_;
};

}  // namespace

BackendEntry x_pencil() {
  return make_entry<XPencil>(
      {"x-pencil",
       "one block per row of cells, the nine source rows pass through shared memory",
       "Few particles per cell, section 5.2, Algorithm 5",
       {{"length",
         "paper",
         "target cells of a pencil; paper: as many as fit, fewer while multiprocessors idle; best: "
         "the fastest of several, found by trying them in the first steps",
         {"paper", "best"},
         1,
         1024},
        shared_memory_option(),
        {"threads",
         "paper",
         "of a block; paper: MC (length + 2), targets: one for each target of the fullest pencil",
         {"paper", "targets"}},
        source_runs_option()},
       /*needs_blocks=*/true,
       /*all_pairs=*/false,
       {{{"length", "8"}, {"threads", "targets"}, {"runs", "merged"}},
        {{"length", "4"}, {"threads", "targets"}, {"runs", "merged"}},
        {{"length", "16"}, {"threads", "targets"}, {"runs", "merged"}},
        {{"length", "paper"}, {"threads", "targets"}, {"runs", "merged"}}}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE
