// X-pencil-reg: one block per sub-box of target cells, which may extend in y and z too. Targets are
// loaded into the registers of the threads first. Then every pencil of sources that the sub-box
// needs passes through shared memory, one after the other; sources that are themselves targets of
// the block are written there by the thread that holds them, and only the others come from device
// memory. After each pencil the threads whose target lies beside it compute, the others wait.
// Few particles per cell, section 5.3 and Figure 5.
//
// The paper gives no rule for the size of the sub-box and no results. What `sub_box: paper` names
// is ours: the paper's rule for pencils (section 5.2, 7.1) along x, then two cells in y and in z
// while every target has a thread; see size_by_pencil_rule().
//
// A sub-box with more targets than threads takes several rounds, a source pencil larger than shared
// memory comes in several pieces: no occupancy, however uneven, gives a wrong answer. Pencils pass
// in the order of z, then y, unwrapped: so a target meets the rows around it by (dz, dy), each row
// from left to right, whatever the sub-box, the rounds, the pieces. Every shape gives the same
// bits.
#include <array>

#include "neighbor/backend.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/walks/launch_tuner.hpp"
#include "neighbor/walks/shared_memory_option.hpp"
#include "neighbor/walks/source_pencil.hpp"
#include "neighbor/walks/staged_sources.hpp"
#include "neighbor/walks/target_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// How a launch cuts the grid.
struct TargetBoxLayout {
  CellCoordinates size;   ///< target cells of a sub-box in each direction
  CellCoordinates boxes;  ///< sub-boxes in each direction
  Index capacity = 0;     ///< source particles in shared memory
};

/// The target cells of a block: [first, last) in each direction.
struct TargetBox {
  CellCoordinates first, last;

  PENCILBOX_DEVICE_FUNCTION bool has_row(Index y, Index z) const {
    return first.y <= y && y < last.y && first.z <= z && z < last.z;
  }
};

template <class Precision, Wanted wanted, class Interaction>
struct XPencilRegKernel {
  static constexpr const char* name = "x-pencil-reg";
  static constexpr int max_threads = 1024;
  using Pair = typename Precision::Pair;
  using Sum = SumOf<Precision, wanted, Interaction>;
  using Staged = StagedSources<Pair, Interaction::needs_types>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  PairSumsView<Precision> sums;
  TargetBoxLayout layout;
  SourceRuns runs;

  /// One target in a thread's registers; `particle` is -1 where the thread has none.
  struct Target {
    Index particle = -1;
    CellCoordinates cell;
    std::int32_t type = 0;
    Vec3<Pair> position;

    PENCILBOX_DEVICE_FUNCTION bool is_beside_row(Index y, Index z) const {
      return particle >= 0 && y - cell.y <= 1 && cell.y - y <= 1 && z - cell.z <= 1 &&
             cell.z - z <= 1;
    }
  };

  /// A row of sources at unwrapped (y, z), and what the block holds of it in registers.
  struct SourceRow {
    Index first_cell;
    Index y, z;
    IndexRange held;
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const TargetBox box = target_box(static_cast<Index>(block.index()));
    const Index targets = targets_before(box, box.first.y, box.last.z);
    const Staged staged = Staged::allocate(block, layout.capacity);
    for (Index round = 0; round < targets; round += block.threads()) {
      const IndexRange numbers{round, round + block.threads()};
      const Target target = load_target(box, round + block.thread());
      const Sum sum = sum_over_pencils(block, staged, box, numbers, target);
      if (target.particle >= 0) sum.store(sums, target.particle);
    }
  }

  PENCILBOX_DEVICE_FUNCTION TargetBox target_box(Index block) const {
    const CellCoordinates& cells = particles.grid.cells;
    const Index row = block / layout.boxes.x;
    const CellCoordinates first{(block - row * layout.boxes.x) * layout.size.x,
                                row % layout.boxes.y * layout.size.y,
                                row / layout.boxes.y * layout.size.z};
    return {first,
            {smaller(first.x + layout.size.x, cells.x), smaller(first.y + layout.size.y, cells.y),
             smaller(first.z + layout.size.z, cells.z)}};
  }

  /// The targets of one row of the sub-box. Targets are numbered row after row, y first.
  PENCILBOX_DEVICE_FUNCTION IndexRange row_of_targets(const TargetBox& box, Index y,
                                                      Index z) const {
    const Index* offset = particles.offset + particles.grid.linear({0, y, z});
    return {offset[box.first.x], offset[box.last.x]};
  }

  /// Targets in the rows before the one at (end_y, end_z): the number of its first target. The
  /// rows are few, and walking them again costs less than a table in shared memory.
  PENCILBOX_DEVICE_FUNCTION Index targets_before(const TargetBox& box, Index end_y,
                                                 Index end_z) const {
    Index count = 0;
    for (Index z = box.first.z; z <= end_z; ++z) {
      const Index last_y = z < end_z ? box.last.y : end_y;
      for (Index y = box.first.y; y < last_y; ++y) count += row_of_targets(box, y, z).count();
    }
    return count;
  }

  PENCILBOX_DEVICE_FUNCTION Target load_target(const TargetBox& box, Index number) const {
    Target target;
    for (Index z = box.first.z; z < box.last.z; ++z) {
      for (Index y = box.first.y; y < box.last.y; ++y) {
        const IndexRange row = row_of_targets(box, y, z);
        if (number >= 0 && number < row.count()) {
          target.particle = row.begin + number;
          target.cell = {0, y, z};
        }
        number -= row.count();
      }
    }
    if (target.particle < 0) return target;
    target.cell.x = particles.cell[target.particle] - particles.grid.linear(target.cell);
    target.position = particles.position[target.particle];
    if constexpr (Interaction::needs_types) target.type = particles.type[target.particle];
    return target;
  }

  /// The particles of a source row that threads of the block hold: those with these numbers.
  PENCILBOX_DEVICE_FUNCTION IndexRange held_of_row(const TargetBox& box, Index y, Index z,
                                                   const IndexRange& numbers) const {
    if (!box.has_row(y, z)) return {};
    const IndexRange row = row_of_targets(box, y, z);
    const Index base = row.begin - targets_before(box, y, z);
    return row.within({base + numbers.begin, base + numbers.end});
  }

  /// All sources of a target, from all pencils that the block needs. `numbers`: of the targets
  /// that the block holds. y and z are unwrapped, so a row is met once for each of its images.
  PENCILBOX_DEVICE_FUNCTION Sum sum_over_pencils(const Block& block, const Staged& staged,
                                                 const TargetBox& box, const IndexRange& numbers,
                                                 const Target& target) const {
    const GridView<Pair>& grid = particles.grid;
    Sum sum;
    for (Index z = box.first.z - 1; z <= box.last.z; ++z) {
      const Index source_z = grid.wrap_z(z);
      if (source_z < 0) continue;
      for (Index y = box.first.y - 1; y <= box.last.y; ++y) {
        const Index source_y = grid.wrap_y(y);
        if (source_y < 0) continue;
        const SourceRow row{grid.linear({0, source_y, source_z}), y, z,
                            held_of_row(box, source_y, source_z, numbers)};
        add_pencil(block, staged, box, row, target, sum);
      }
    }
    return sum;
  }

  PENCILBOX_DEVICE_FUNCTION void add_pencil(const Block& block, const Staged& staged,
                                            const TargetBox& box, const SourceRow& row,
                                            const Target& target, Sum& sum) const {
    const Index count = pencil(box, row).count();
    for (Index begin = 0; begin < count; begin += layout.capacity) {
      const IndexRange piece{begin, smaller(begin + layout.capacity, count)};
      block.barrier();  // the piece before has been used
      stage(block, staged, pencil(box, row), piece, row.held, target);
      block.barrier();
      if (target.is_beside_row(row.y, row.z)) {
        add_piece(staged, pencil(box, row), piece, target, sum, row.y - target.cell.y,
                  row.z - target.cell.z);
      }
    }
  }

  /// Read again where it is used: kept across barriers it would take too many registers.
  PENCILBOX_DEVICE_FUNCTION SourcePencil pencil(const TargetBox& box, const SourceRow& row) const {
    return source_pencil(particles.grid, particles.offset, row.first_cell, box.first.x, box.last.x);
  }

  PENCILBOX_DEVICE_FUNCTION void stage(const Block& block, const Staged& staged,
                                       const SourcePencil& sources, const IndexRange& piece,
                                       const IndexRange& held, const Target& target) const {
    stage_from_registers(staged, sources, piece, target);
    stage_from_memory(block, staged, sources, piece, held);
  }

  /// Positions are relative to their cell, so one copy serves every image.
  PENCILBOX_DEVICE_FUNCTION void stage_from_registers(const Staged& staged,
                                                      const SourcePencil& sources,
                                                      const IndexRange& piece,
                                                      const Target& target) const {
    sources.for_each_number(target.particle, [&](Index number) {
      if (piece.has(number)) staged.put(number - piece.begin, target.position, target.type);
    });
  }

  PENCILBOX_DEVICE_FUNCTION void stage_from_memory(const Block& block, const Staged& staged,
                                                   const SourcePencil& sources,
                                                   const IndexRange& piece,
                                                   const IndexRange& held) const {
    for (Index number = piece.begin + block.thread(); number < piece.end;
         number += block.threads()) {
      const Index source = sources.particle(number);
      if (held.has(source)) continue;
      std::int32_t type = 0;
      if constexpr (Interaction::needs_types) type = particles.type[source];
      staged.put(number - piece.begin, particles.position[source], type);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_piece(const Staged& staged, const SourcePencil& sources,
                                           const IndexRange& piece, const Target& target, Sum& sum,
                                           Index dy, Index dz) const {
    const Index skip = dy == 0 && dz == 0 ? sources.number_in_inner(target.particle) : Index{-1};
    if (runs == SourceRuns::merged) {
      add_merged_columns(staged, sources, piece, target, sum, dy, dz, skip);
    } else {
      for (Index dx = -1; dx <= 1; ++dx) {
        const CellShift<Pair> shift = particles.grid.shift(dx, dy, dz);
        const IndexRange range = sources.column(target.cell.x + dx).within(piece);
        for (Index number = range.begin; number < range.end; ++number) {
          if (number != skip) add_source(staged, sources, piece, target, sum, number, shift);
        }
      }
    }
  }

  /// The three columns around the target are one run of numbers, ghost cells included.
  PENCILBOX_DEVICE_FUNCTION void add_merged_columns(const Staged& staged,
                                                    const SourcePencil& sources,
                                                    const IndexRange& piece, const Target& target,
                                                    Sum& sum, Index dy, Index dz,
                                                    Index skip) const {
    const IndexRange own = sources.column(target.cell.x);
    const NeighborRun run{sources.column(target.cell.x - 1).begin, own.begin, own.end,
                          sources.column(target.cell.x + 1).end,   dy,        dz};
    const CellShift<Pair> right = particles.grid.shift(1, dy, dz);
    const IndexRange range = IndexRange{run.begin, run.end}.within(piece);
    for (Index number = range.begin; number < range.end; ++number) {
      if (number == skip) continue;
      add_source(staged, sources, piece, target, sum, number, run.shift(number, right));
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_source(const Staged& staged, const SourcePencil& sources,
                                            const IndexRange& piece, const Target& target, Sum& sum,
                                            Index number, const CellShift<Pair>& shift) const {
    const auto exact = [&] {
      return exact_separation(particles, target.particle, sources.particle(number), shift);
    };
    const Index place = number - piece.begin;
    sum.add(interaction, target.position, staged.position(place), shift, exact, target.type,
            staged.type_of(place));
  }
};

/// Sub-boxes of a fixed size, for the deck and for `best` to try.
constexpr std::array<std::array<Index, 3>, 6> fixed_sub_boxes = {
    {{1, 1, 1}, {8, 1, 1}, {2, 2, 2}, {4, 2, 2}, {8, 2, 2}, {4, 4, 4}}};

std::string name_of(const std::array<Index, 3>& size) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

std::vector<std::string> sub_box_choices() {
  std::vector<std::string> choices = {"paper", "best"};
  for (const auto& size : fixed_sub_boxes) choices.push_back(name_of(size));
  return choices;
}

template <class Precision>
class XPencilReg final : public Backend<Precision> {
 public:
  using Size = std::array<Index, 3>;

  XPencilReg(const Problem& problem, const BackendOptions& options)
      : problem_(problem),
        options_(options),
        runs_(source_runs_of(options)),
        shared_limit_(shared_memory_limit(problem, options)),
        largest_cell_(problem.largest_cell),
        tuner_(choices_to_try(options.at("sub_box")), problem.device.emulates_blocks) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions&) {
    return partners_beyond_neighbor_cells(problem);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void occupancy_changed(Index largest_cell) override { largest_cell_ = largest_cell; }

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const Index choice = tuner_.begin(wanted, stream);
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      using Kernel = XPencilRegKernel<Precision, chosen(), Functor>;
      constexpr auto source_bytes = static_cast<std::int64_t>(Kernel::Staged::bytes_per_source);
      const Size size = size_of(choice, source_bytes);
      const Index capacity = sources_in_shared_memory(size, source_bytes);
      const LaunchShape shape{blocks_with(size), threads_with(size),
                              static_cast<std::size_t>(capacity * source_bytes)};
      launch(
          stream, shape,
          Kernel{particles, functor, PairSumsView<Precision>(sums), layout(size, capacity), runs_});
      report_ = {shape, [size] { return "sub-boxes of " + name_of(size) + " cells"; }};
    });
    tuner_.end(stream);
  }

  bool settled() const override { return tuner_.decided(); }

  LaunchReport launch_report() const override { return report_; }

 private:
  /// What the tuner chooses between: the rule, or one of the fixed sub-boxes.
  static constexpr Index paper_choice = -1;

  static std::vector<Index> choices_to_try(const std::string& option) {
    if (option == "paper") return {paper_choice};
    std::vector<Index> to_try;
    if (option == "best") to_try.push_back(paper_choice);
    for (std::size_t k = 0; k < fixed_sub_boxes.size(); ++k) {
      if (option == "best" || option == name_of(fixed_sub_boxes[k])) {
        to_try.push_back(static_cast<Index>(k));
      }
    }
    return to_try;
  }

  /// Never larger than the grid: else a particle would be the target of several threads.
  Size size_of(Index choice, std::int64_t source_bytes) const {
    if (choice == paper_choice) return size_by_pencil_rule(source_bytes);
    Size size = fixed_sub_boxes[static_cast<std::size_t>(choice)];
    for (std::size_t d = 0; d < 3; ++d) size[d] = std::min(size[d], problem_.grid.cells[d]);
    return size;
  }

  /// Along x the paper's rule for a pencil: with its ghost cells it fits in shared memory, and its
  /// targets in the threads of a block. Then two cells in y and in z, where their targets fit in
  /// the threads too. Smaller while there are fewer blocks than multiprocessors.
  Size size_by_pencil_rule(std::int64_t source_bytes) const {
    const Size& cells = problem_.grid.cells;
    const std::int64_t with_ghosts = shared_limit_ / (fullest_cell() * source_bytes);
    const std::int64_t with_threads = problem_.device.max_threads / fullest_cell();
    const std::int64_t length = std::min({with_ghosts - 2, with_threads, std::int64_t{cells[0]}});
    Size size = {static_cast<Index>(std::max<std::int64_t>(1, length)), 1, 1};
    for (const std::size_t d : {1U, 2U}) {
      if (cells[d] > 1 && 2 * cells_of(size) <= with_threads) size[d] = 2;
    }
    while (blocks_with(size) < problem_.device.multiprocessors && shrink(size)) {
    }
    return size;
  }

  /// Takes back what size_by_pencil_rule() added last; false where one cell is left.
  static bool shrink(Size& size) {
    for (const std::size_t d : {2U, 1U, 0U}) {
      if (size[d] == 1) continue;
      --size[d];
      return true;
    }
    return false;
  }

  std::int64_t fullest_cell() const { return std::max<Index>(1, largest_cell_); }

  static std::int64_t cells_of(const Size& size) {
    return std::int64_t{size[0]} * size[1] * size[2];
  }

  std::int64_t blocks_with(const Size& size) const {
    std::int64_t blocks = 1;
    for (std::size_t d = 0; d < 3; ++d) blocks *= divide_up(problem_.grid.cells[d], size[d]);
    return blocks;
  }

  /// Room for the fullest pencil that there can be, or what the limit leaves of it.
  Index sources_in_shared_memory(const Size& size, std::int64_t source_bytes) const {
    return static_cast<Index>(
        std::min(fullest_cell() * (size[0] + 2), shared_limit_ / source_bytes));
  }

  /// One for every target, and after the paper's rule for pencils also one for every source of a
  /// pencil; at most what a block can have.
  int threads_with(const Size& size) const {
    std::int64_t cells = cells_of(size);
    if (options_.at("threads") == "paper") cells = std::max<std::int64_t>(cells, size[0] + 2);
    const std::int64_t whole_warps = round_up(cells * fullest_cell(), problem_.device.warp_size);
    return static_cast<int>(std::min<std::int64_t>(whole_warps, problem_.device.max_threads));
  }

  TargetBoxLayout layout(const Size& size, Index capacity) const {
    const auto boxes = [&](std::size_t d) {
      return static_cast<Index>(divide_up(problem_.grid.cells[d], size[d]));
    };
    return {{size[0], size[1], size[2]}, {boxes(0), boxes(1), boxes(2)}, capacity};
  }

  Problem problem_;
  BackendOptions options_;
  SourceRuns runs_;
  std::int64_t shared_limit_;
  Index largest_cell_;
  LaunchTuner tuner_;
  LaunchReport report_;
};

}  // namespace

BackendEntry x_pencil_reg() {
  return make_entry<XPencilReg>({
      .name = "x-pencil-reg",
      .summary =
          "one block per sub-box, targets in registers, source rows pass through shared memory",
      .source = "Few particles per cell, section 5.3, Figure 5",
      .options = {{.name = "sub_box",
                   .default_value = "paper",
                   .description =
                       "target cells of a block; paper: a pencil as long as fits, twice as wide in "
                       "y and z where it fits, less while multiprocessors idle; best: the fastest, "
                       "found while running",
                   .choices = sub_box_choices()},
                  shared_memory_option(),
                  {.name = "threads",
                   .default_value = "paper",
                   .description = "of a block; paper: for all targets, and for all sources of a "
                                  "pencil; targets: for all targets",
                   .choices = {"paper", "targets"}},
                  source_runs_option()},
      .needs_blocks = true,
      .on_ranks = OnRanks::to_the_bit,
      .worth_trying = {{{"sub_box", "8x2x2"}, {"threads", "targets"}, {"runs", "merged"}},
                       {{"sub_box", "4x2x2"}, {"threads", "targets"}, {"runs", "merged"}},
                       {{"sub_box", "paper"}, {"threads", "targets"}, {"runs", "merged"}}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
