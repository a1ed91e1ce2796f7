// X-pencil: one block per pencil, a row of `length` cells along x. Targets stay in registers; the
// nine pencils of sources around them (with a ghost cell at either end) pass through shared memory
// one after the other, the own pencil first. Few particles per cell, section 5.2 and Algorithm 5.
//
// The paper's bounds are launch rules here, not limits: a pencil with more targets than threads
// takes several rounds, a source pencil larger than shared memory comes in several pieces. So no
// occupancy, however uneven, gives a wrong answer.
#include <algorithm>

#include "neighbor/backend.hpp"
#include "neighbor/launch_tuner.hpp"
#include "neighbor/target_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// How a launch cuts the grid.
struct PencilLayout {
  Index length = 1;    ///< target cells of a pencil along x
  Index per_row = 1;   ///< pencils of a row
  Index capacity = 0;  ///< source particles in shared memory
  SourceRuns runs = SourceRuns::cells;
};

/// The source pencil beside a row of targets: up to three runs of particles, contiguous in memory
/// (left ghost cell, inner cells, right ghost cell), numbered as if they were one.
struct SourcePencil {
  Index left_begin, left_count;
  Index inner_begin, inner_count;
  Index right_begin, right_count;

  PENCILBOX_DEVICE_FUNCTION Index count() const { return left_count + inner_count + right_count; }
  PENCILBOX_DEVICE_FUNCTION Index particle(Index k) const {
    if (k < left_count) return left_begin + k;
    if (k < left_count + inner_count) return inner_begin + (k - left_count);
    return right_begin + (k - left_count - inner_count);
  }
};

template <class Precision, Wanted wanted, class Interaction>
struct XPencilKernel {
  static constexpr const char* name = "x-pencil";
  static constexpr int max_threads = 1024;
  using Pair = typename Precision::Pair;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  PairSumsView<Precision> sums;
  PencilLayout layout;

  /// Shared memory that one source particle takes.
  static constexpr std::size_t bytes_per_particle =
      3 * sizeof(Pair) + (Interaction::needs_types ? sizeof(std::int32_t) : 0);

  struct Staged {
    SharedArray<Pair> x, y, z;
    SharedArray<std::int32_t> type;
  };

  /// One target in a thread's registers; `particle` is -1 where the thread has none.
  struct Target {
    Index particle = -1;
    Index x = 0;  ///< of its cell, along the row
    std::int32_t type = 0;
    Vec3<Pair> position;
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const GridView<Pair>& grid = particles.grid;
    const auto pencil = static_cast<Index>(block.index() % layout.per_row);
    const auto row = static_cast<Index>(block.index() / layout.per_row);
    const Index y = row % grid.cells.y;
    const Index z = row / grid.cells.y;
    const Index first_cell = pencil * layout.length;
    const Index last_cell = smaller(first_cell + layout.length, grid.cells.x);
    const Index begin = particles.offset[grid.linear({first_cell, y, z})];
    const Index end = particles.offset[grid.linear({last_cell - 1, y, z}) + 1];
    const Staged staged = stage_arrays(block);
    for (Index round = begin; round < end; round += block.threads()) {
      const Target target = load_target(round + block.thread(), end);
      TargetSum<Precision, wanted> sum;
      for (Index k = 0; k < 9; ++k) {
        const Index neighbour = own_pencil_first(k);
        const Index dy = neighbour % 3 - 1;
        const Index dz = neighbour / 3 - 1;
        const Index source_y = grid.wrap_y(y + dy);
        const Index source_z = grid.wrap_z(z + dz);
        if (source_y < 0 || source_z < 0) continue;
        const Index source_row = grid.linear({0, source_y, source_z});
        add_pencil(block, staged, target, sum, source_row, first_cell, last_cell, dy, dz);
      }
      if (target.particle >= 0) sum.store(sums, target.particle);
    }
  }

  PENCILBOX_DEVICE_FUNCTION static Index smaller(Index a, Index b) { return a < b ? a : b; }
  PENCILBOX_DEVICE_FUNCTION static Index larger(Index a, Index b) { return a > b ? a : b; }

  /// 4 is the own row; then 0, 1, 2, 3, 5, ...
  PENCILBOX_DEVICE_FUNCTION static Index own_pencil_first(Index k) {
    return k == 0 ? 4 : (k <= 4 ? k - 1 : k);
  }

  PENCILBOX_DEVICE_FUNCTION Staged stage_arrays(const Block& block) const {
    const auto x = block.shared<Pair>(layout.capacity);
    const auto y = block.shared<Pair>(layout.capacity);
    const auto z = block.shared<Pair>(layout.capacity);
    const auto type =
        block.shared<std::int32_t>(Interaction::needs_types ? layout.capacity : Index{0});
    return {x, y, z, type};
  }

  PENCILBOX_DEVICE_FUNCTION Target load_target(Index particle, Index end) const {
    Target target;
    if (particle >= end) return target;
    target.particle = particle;
    target.x = particles.cell[particle] % particles.grid.cells.x;
    target.position = particles.position[particle];
    if constexpr (Interaction::needs_types) target.type = particles.type[particle];
    return target;
  }

  PENCILBOX_DEVICE_FUNCTION SourcePencil source_pencil(Index row, Index first, Index last) const {
    const Index left = particles.grid.wrap_x(first - 1);
    const Index right = particles.grid.wrap_x(last);
    const Index* offset = particles.offset + row;
    SourcePencil sources{};
    if (left >= 0) {
      sources.left_begin = offset[left];
      sources.left_count = offset[left + 1] - offset[left];
    }
    sources.inner_begin = offset[first];
    sources.inner_count = offset[last] - offset[first];
    if (right >= 0) {
      sources.right_begin = offset[right];
      sources.right_count = offset[right + 1] - offset[right];
    }
    return sources;
  }

  /// All sources of the pencil at (dy, dz) for the block's targets.
  PENCILBOX_DEVICE_FUNCTION void add_pencil(const Block& block, const Staged& staged,
                                            const Target& target, TargetSum<Precision, wanted>& sum,
                                            Index row, Index first, Index last, Index dy,
                                            Index dz) const {
    const SourcePencil sources = source_pencil(row, first, last);
    const Index count = sources.count();
    for (Index piece = 0; piece < count; piece += layout.capacity) {
      const Index piece_end = smaller(piece + layout.capacity, count);
      block.barrier();  // the piece before has been used
      load_piece(block, staged, sources, piece, piece_end);
      block.barrier();
      if (target.particle < 0) continue;
      const PieceOfPencil in_memory{staged, sources, piece, piece_end};
      const NeighborRun run = run_of(sources, row, first, last, target.x, dy, dz);
      const Index skip = dy == 0 && dz == 0
                             ? target.particle - sources.inner_begin + sources.left_count
                             : Index{-1};
      if (layout.runs == SourceRuns::merged) {
        add_merged(in_memory, target, sum, run, skip);
      } else {
        add_cells(in_memory, target, sum, run, skip);
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION void load_piece(const Block& block, const Staged& staged,
                                            const SourcePencil& sources, Index begin,
                                            Index end) const {
    for (Index k = begin + block.thread(); k < end; k += block.threads()) {
      const Index source = sources.particle(k);
      const Vec3<Pair> position = particles.position[source];
      staged.x[k - begin] = position.x;
      staged.y[k - begin] = position.y;
      staged.z[k - begin] = position.z;
      if constexpr (Interaction::needs_types) staged.type[k - begin] = particles.type[source];
    }
  }

  /// The sources in the target's column and the ones beside it, which may be ghosts, by their
  /// number in the source pencil.
  PENCILBOX_DEVICE_FUNCTION NeighborRun run_of(const SourcePencil& sources, Index row, Index first,
                                               Index last, Index x, Index dy, Index dz) const {
    const Index* offset = particles.offset + row;
    const Index base = sources.left_count - sources.inner_begin;
    return {x > first ? base + offset[x - 1] : 0,
            base + offset[x],
            base + offset[x + 1],
            x + 1 < last ? base + offset[x + 2] : sources.count(),
            dy,
            dz};
  }

  /// The part of a source pencil that is in shared memory: sources [begin, end).
  struct PieceOfPencil {
    const Staged& staged;
    const SourcePencil& sources;
    Index begin, end;
  };

  /// Cell by cell, as published.
  PENCILBOX_DEVICE_FUNCTION void add_cells(const PieceOfPencil& piece, const Target& target,
                                           TargetSum<Precision, wanted>& sum,
                                           const NeighborRun& run, Index skip) const {
    const Index borders[] = {run.begin, run.middle, run.right, run.end};
    for (Index dx = -1; dx <= 1; ++dx) {
      const CellShift<Pair> shift = particles.grid.shift(dx, run.dy, run.dz);
      const Index end = smaller(borders[dx + 2], piece.end);
      const Index skip_here = dx == 0 ? skip : Index{-1};
      for (Index k = larger(borders[dx + 1], piece.begin); k < end; ++k) {
        if (k != skip_here) add_source(piece, target, sum, k, shift);
      }
    }
  }

  /// The three cells as one run.
  PENCILBOX_DEVICE_FUNCTION void add_merged(const PieceOfPencil& piece, const Target& target,
                                            TargetSum<Precision, wanted>& sum,
                                            const NeighborRun& run, Index skip) const {
    const CellShift<Pair> right = particles.grid.shift(1, run.dy, run.dz);
    const Index end = smaller(run.end, piece.end);
    for (Index k = larger(run.begin, piece.begin); k < end; ++k) {
      if (k != skip) add_source(piece, target, sum, k, run.shift(k, right));
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_source(const PieceOfPencil& piece, const Target& target,
                                            TargetSum<Precision, wanted>& sum, Index k,
                                            const CellShift<Pair>& shift) const {
    const Index at = k - piece.begin;
    const Vec3<Pair> source{piece.staged.x[at], piece.staged.y[at], piece.staged.z[at]};
    std::int32_t type = 0;
    if constexpr (Interaction::needs_types) type = piece.staged.type[at];
    const auto exact = [&] {
      return exact_separation(particles, target.particle, piece.sources.particle(k), shift);
    };
    sum.add(interaction, target.position, source, shift, exact, target.type, type);
  }
};

constexpr std::int64_t paper_shared_bytes = 48 * 1024;

template <class Precision>
class XPencil final : public Backend<Precision> {
 public:
  XPencil(const Problem& problem, const BackendOptions& options)
      : problem_(problem),
        options_(options),
        largest_cell_(problem.largest_cell),
        tuner_(lengths_to_try(), problem.device.emulates_blocks) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (const auto reason = partners_beyond_neighbor_cells(problem)) return reason;
    const Index most = most_cells(problem, options, problem.largest_cell);
    if (most < 3) {
      return "a pencil needs at least 3 cells (one of them a target) in shared memory: " +
             std::to_string(shared_bytes(problem, options)) + " bytes hold " +
             std::to_string(most) + " cells of " + std::to_string(problem.largest_cell) +
             " particles";
    }
    return {};
  }

  void prepare(const BinnedParticles<Precision>&, Stream&) override {}

  void occupancy_changed(Index largest_cell) override { largest_cell_ = largest_cell; }

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const bool tuned = options_.at("length") == "best";
    const Index length = tuned ? tuner_.begin(stream) : length_of_the_deck();
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      using Kernel = XPencilKernel<Precision, chosen(), Functor>;
      const PencilLayout layout = layout_of(std::min(length, longest_that_fits()));
      LaunchShape shape;
      shape.blocks = blocks_with(layout.length);
      shape.threads = choose_threads(layout);
      shape.shared_bytes = static_cast<std::size_t>(layout.capacity) * Kernel::bytes_per_particle;
      launch(stream, shape, Kernel{particles, functor, PairSumsView<Precision>(sums), layout});
      report_ = {shape, "pencils of " + std::to_string(layout.length) + " cells"};
    });
    if (tuned) tuner_.end(stream);
    if (tuned && !tuner_.decided()) report_.note += ", other lengths still to be tried";
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  static std::int64_t bytes_per_source(const Problem& problem) {
    return static_cast<std::int64_t>(3 * sizeof(typename Precision::Pair)) +
           (types_of(problem.potential) > 1 ? 4 : 0);
  }

  static std::int64_t shared_bytes(const Problem& problem, const BackendOptions& options) {
    return options.at("shared_memory") == "device"
               ? problem.device.shared_bytes_opt_in
               : std::min(paper_shared_bytes, problem.device.shared_bytes_opt_in);
  }

  /// LX + 2 of the paper: cells of `largest_cell` particles that fit in shared memory.
  static Index most_cells(const Problem& problem, const BackendOptions& options,
                          Index largest_cell) {
    const std::int64_t cell_bytes =
        std::max<std::int64_t>(1, largest_cell) * bytes_per_source(problem);
    return static_cast<Index>(shared_bytes(problem, options) / cell_bytes);
  }

  Index longest_that_fits() const {
    const Index fitting = std::max<Index>(1, most_cells(problem_, options_, largest_cell_) - 2);
    return std::min(problem_.grid.cells[0], fitting);
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

  Index length_of_the_deck() const {
    const std::string& option = options_.at("length");
    return option == "paper" ? length_of_the_paper() : static_cast<Index>(std::stoi(option));
  }

  /// The paper's first; then 1, 2, 3, 4, 6, 8, 12, ... up to a whole row.
  std::vector<Index> lengths_to_try() const {
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
    layout.capacity = std::min<Index>(
        std::max<Index>(1, largest_cell_) * (length + 2),
        static_cast<Index>(shared_bytes(problem_, options_) / bytes_per_source(problem_)));
    layout.runs = source_runs_of(options_);
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
        {"shared_memory",
         "paper",
         "of a block; paper: 48 KB, device: all that the device gives on request",
         {"paper", "device"}},
        {"threads",
         "paper",
         "of a block; paper: MC (length + 2), targets: one for each target of the fullest pencil",
         {"paper", "targets"}},
        source_runs_option()},
       true});
}

}  // namespace pencilbox::PENCILBOX_DEVICE
