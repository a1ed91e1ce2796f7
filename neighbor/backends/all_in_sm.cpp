// All-in-SM: one block per sub-box of cells; the whole sub-box, with the ghost cells around it,
// lies in shared memory before a target is looked at.
// Few particles per cell, section 5.1 and Algorithm 4; launch rules from section 7.1.
//
// The four shared arrays of the paper: global offsets, local offsets, the particle of each slot,
// and the values. Local offsets are made as in its Figure 3: the particles left out between one run
// of the sub-box and the next (before the first: the offset of the corner), summed by the prefix
// sum of section 6, are what a run's global offsets exceed its local ones by. Where the grid closes
// a run may lie before the one before it; then what is left out is negative, and the sum as right.
//
// Values have room for MC particles in every cell, MC as the host last saw it. A sub-box that
// exceeds its room in between is not loaded: its targets read the same sources in the same order
// from device memory.
//
// Algorithm 4 gives each group of MC threads a cell. MC B is mostly more than the 512 threads of a
// block, so here a thread takes every `threads`-th of the slots (cell, k-th of MC).
#include <algorithm>

#include "neighbor/backend.hpp"
#include "neighbor/block_scan.hpp"
#include "neighbor/launch_tuner.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/shared_memory_option.hpp"
#include "neighbor/staged_sources.hpp"
#include "neighbor/sub_box.hpp"
#include "neighbor/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// How threads find their targets.
enum class TargetOrder {
  slots,  ///< MC slots for each target cell, as published; most are empty
  packed  ///< target by target: a second prefix sum, over the rows of targets
};

/// How a launch cuts the grid.
struct SubBoxLayout {
  CellCoordinates targets;  ///< target cells of a sub-box
  Index slots = 1;          ///< MC
  Index capacity = 0;       ///< particles in shared memory
  TargetOrder order = TargetOrder::slots;

  PENCILBOX_DEVICE_FUNCTION Index cells() const {
    return (targets.x + 2) * (targets.y + 2) * (targets.z + 2);
  }
  /// No more than `cells`, as a row has at least three cells and at most three runs.
  PENCILBOX_DEVICE_FUNCTION Index runs() const { return 3 * (targets.y + 2) * (targets.z + 2); }
  PENCILBOX_DEVICE_FUNCTION Index target_rows() const {
    return order == TargetOrder::packed ? targets.y * targets.z + 1 : 0;
  }
  /// Numbers in the arrays that describe the cells.
  PENCILBOX_DEVICE_FUNCTION Index offsets() const {
    return cells() + (cells() + 1) + runs() + target_rows();
  }
};

/// Shared memory of `offsets()`, at most: 16 bytes for a cell, and 4.
constexpr std::int64_t offset_bytes_per_cell = 16;
constexpr std::int64_t offset_bytes = 4;

/// A source, and which particle it is.
template <class Pair>
constexpr std::int64_t bytes_per_particle(bool with_types) {
  return static_cast<std::int64_t>(staged_bytes<Pair>(with_types) + sizeof(Index));
}

template <class Precision, Wanted wanted, class Interaction>
struct AllInSmKernel {
  static constexpr const char* name = "all-in-sm";
  static constexpr int max_threads = 512;
  using Pair = typename Precision::Pair;
  using Sum = TargetSum<Precision, wanted>;
  using Box = SubBox<Pair>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  PairSumsView<Precision> sums;
  SubBoxLayout layout;

  struct Staged {
    StagedSources<Pair, Interaction::needs_types> sources;  ///< [capacity]
    SharedArray<Index> particle;        ///< [capacity] from shared to global index
    SharedArray<Index> global;          ///< [cells] first particle of a cell
    SharedArray<Index> local;           ///< [cells + 1] the same, in the arrays above
    SharedArray<Index> left_out;        ///< [runs] global minus local
    SharedArray<Index> targets_before;  ///< [rows of targets + 1] where targets are packed
  };

  /// What one turn of a thread works on: targets `first`, `first + step`, ... below `end` of a
  /// cell.
  struct Turn {
    Index first, end, step;
    Index cell;
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Box box(particles.grid, layout.targets, static_cast<Index>(block.index()));
    if (!has_targets(box)) return;  // no thread of the block meets a barrier
    const Staged staged = stage_arrays(block);
    build_offsets(block, box, staged);
    const bool fits = staged.local[box.cells()] <= layout.capacity;
    if (fits) load_values(block, box, staged);
    if (layout.order == TargetOrder::packed) pack_targets(block, box, staged);
    block.barrier();
    const Index turns = layout.order == TargetOrder::packed
                            ? Index{staged.targets_before[box.target_rows()]}
                            : box.targets() * layout.slots;
    for (Index k = block.thread(); k < turns; k += block.threads()) {
      const Turn turn = layout.order == TargetOrder::packed ? packed_turn(box, staged, k)
                                                            : slot_turn(box, staged, k);
      for (Index target = turn.first; target < turn.end; target += turn.step) {
        const Sum sum = fits ? sum_over_sources<true>(box, staged, target, turn.cell)
                             : sum_over_sources<false>(box, staged, target, turn.cell);
        sum.store(sums, target + (staged.global[turn.cell] - staged.local[turn.cell]));
      }
    }
  }

  /// Every thread finds the same; in a system that is not mostly empty the first row tells.
  PENCILBOX_DEVICE_FUNCTION bool has_targets(const Box& box) const {
    for (Index row = 0; row < box.target_rows(); ++row) {
      const Index* offset = particles.offset + box.grid_cell(box.first_target(row));
      if (offset[box.sides.x - 2] > offset[0]) return true;
    }
    return false;
  }

  PENCILBOX_DEVICE_FUNCTION Staged stage_arrays(const Block& block) const {
    const auto sources =
        StagedSources<Pair, Interaction::needs_types>::allocate(block, layout.capacity);
    const auto particle = block.shared<Index>(layout.capacity);
    const auto global = block.shared<Index>(layout.cells());
    const auto local = block.shared<Index>(layout.cells() + 1);
    const auto left_out = block.shared<Index>(layout.runs());
    const auto targets_before = block.shared<Index>(layout.target_rows());
    return {sources, particle, global, local, left_out, targets_before};
  }

  PENCILBOX_DEVICE_FUNCTION void build_offsets(const Block& block, const Box& box,
                                               const Staged& staged) const {
    const Index* offset = particles.offset;
    const Index cells = box.cells();
    const Index runs = box.runs();
    for (Index cell = block.thread(); cell < cells; cell += block.threads()) {
      const Index there = box.grid_cell(box.place(cell));
      staged.global[cell] = there < 0 ? 0 : offset[there];
    }
    for (Index run = block.thread(); run < runs; run += block.threads()) {
      const Index before = run == 0 ? 0 : box.particles_of_run(offset, run - 1).end;
      staged.left_out[run] = box.particles_of_run(offset, run).begin - before;
    }
    block_inclusive_scan(block, staged.left_out, runs);
    for (Index cell = block.thread(); cell < cells; cell += block.threads()) {
      staged.local[cell] = staged.global[cell] - staged.left_out[box.run_of(box.place(cell))];
    }
    if (block.thread() == 0) {
      staged.local[cells] = box.particles_of_run(offset, runs - 1).end - staged.left_out[runs - 1];
    }
    block.barrier();
  }

  /// A warp for each run: neighbouring lanes read neighbouring particles.
  PENCILBOX_DEVICE_FUNCTION void load_values(const Block& block, const Box& box,
                                             const Staged& staged) const {
    const Index lanes = block.warp_size();
    for (Index run = block.warp(); run < box.runs(); run += warps_of(block)) {
      const IndexRange range = box.particles_of_run(particles.offset, run);
      const Index left_out = staged.left_out[run];
      for (Index particle = range.begin + block.lane(); particle < range.end; particle += lanes) {
        const Index k = particle - left_out;
        std::int32_t type = 0;
        if constexpr (Interaction::needs_types) type = particles.type[particle];
        staged.sources.put(k, particles.position[particle], type);
        staged.particle[k] = particle;
      }
    }
  }

  /// How many targets lie in the rows before each row of target cells.
  PENCILBOX_DEVICE_FUNCTION void pack_targets(const Block& block, const Box& box,
                                              const Staged& staged) const {
    if (block.thread() == 0) staged.targets_before[0] = 0;
    for (Index row = block.thread(); row < box.target_rows(); row += block.threads()) {
      const Index cell = box.number(box.first_target(row));
      staged.targets_before[row + 1] = staged.local[cell + box.sides.x - 2] - staged.local[cell];
    }
    block_inclusive_scan(block, staged.targets_before, box.target_rows() + 1);
  }

  /// The k-th of all slots. A cell that holds more than MC takes several turns of its slots.
  PENCILBOX_DEVICE_FUNCTION Turn slot_turn(const Box& box, const Staged& staged, Index k) const {
    const Index number = k / layout.slots;
    const Index cell = box.number(box.target(number));
    return {staged.local[cell] + (k - number * layout.slots), staged.local[cell + 1], layout.slots,
            cell};
  }

  /// The k-th of all targets: its row by bisection, then its cell.
  PENCILBOX_DEVICE_FUNCTION Turn packed_turn(const Box& box, const Staged& staged, Index k) const {
    Index row = 0;
    for (Index beyond = box.target_rows(); beyond - row > 1;) {
      const Index middle = (row + beyond) / 2;
      const bool is_before = staged.targets_before[middle] <= k;
      row = is_before ? middle : row;
      beyond = is_before ? beyond : middle;
    }
    Index cell = box.number(box.first_target(row));
    const Index target = staged.local[cell] + (k - staged.targets_before[row]);
    while (staged.local[cell + 1] <= target) ++cell;
    return {target, target + 1, 1, cell};
  }

  /// The sum of target `target` of the sub-box, in cell `home`, over the 27 cells around it.
  template <bool from_shared>
  PENCILBOX_DEVICE_FUNCTION Sum sum_over_sources(const Box& box, const Staged& staged, Index target,
                                                 Index home) const {
    const Index particle = target + (staged.global[home] - staged.local[home]);
    const Source self = source<from_shared>(staged, target, particle);
    Sum sum;
    for (Index dz = -1; dz <= 1; ++dz) {
      for (Index dy = -1; dy <= 1; ++dy) {
        for (Index dx = -1; dx <= 1; ++dx) {
          const Index cell = home + (dz * box.sides.y + dy) * box.sides.x + dx;
          const CellShift<Pair> shift = box.grid.shift(dx, dy, dz);
          const Index end = staged.local[cell + 1];
          const Index left_out = from_shared ? 0 : staged.global[cell] - staged.local[cell];
          for (Index k = staged.local[cell]; k < end; ++k) {
            if (k == target) continue;  // its images are other entries
            const Source other = source<from_shared>(staged, k, k + left_out);
            const auto exact = [&] {
              const Index there = from_shared ? Index{staged.particle[k]} : k + left_out;
              return exact_separation(particles, particle, there, shift);
            };
            sum.add(interaction, self.position, other.position, shift, exact, self.type,
                    other.type);
          }
        }
      }
    }
    return sum;
  }

  struct Source {
    Vec3<Pair> position;
    std::int32_t type = 0;
  };

  /// Entry k of the shared arrays, or the same particle from device memory.
  template <bool from_shared>
  PENCILBOX_DEVICE_FUNCTION Source source(const Staged& staged, Index k, Index particle) const {
    Source result;
    if constexpr (from_shared) {
      result.position = staged.sources.position(k);
      result.type = staged.sources.type_of(k);
    } else {
      result.position = particles.position[particle];
      if constexpr (Interaction::needs_types) result.type = particles.type[particle];
    }
    return result;
  }
};

constexpr int most_threads = 512;

/// The launch rules, for one problem and any MC.
template <class Pair>
class LaunchRules {
 public:
  LaunchRules(const Problem& problem, const BackendOptions& options)
      : problem_(problem),
        shared_bytes_(shared_memory_limit(problem, options)),
        particle_bytes_(bytes_per_particle<Pair>(types_of(problem.potential) > 1)),
        order_(options.at("threads") == "paper" ? TargetOrder::slots : TargetOrder::packed) {}

  std::int64_t shared_bytes() const { return shared_bytes_; }

  /// The paper's SM / (MC * bytes of a particle), what describes a cell counted in.
  std::int64_t cells_that_fit(Index largest_cell) const {
    const std::int64_t cell = slots(largest_cell) * particle_bytes_ + offset_bytes_per_cell;
    return (shared_bytes_ - offset_bytes) / cell;
  }

  /// The paper's target cells. Below 27 cells, which is refused before a run but may come about
  /// within it, one target cell is left.
  SubBoxSides paper_targets(Index largest_cell) const {
    const SubBoxSides sides =
        paper_sub_box(std::max(cells_that_fit(largest_cell), fewest_cells_with_ghosts)).value();
    const SubBoxSides grid = problem_.grid.cells;
    return shrink_for(problem_.device.multiprocessors, grid,
                      cut_to_grid(without_ghosts(sides), grid));
  }

  bool fits(const SubBoxSides& targets, Index largest_cell) const {
    return cells_of(with_ghosts(targets)) <= cells_that_fit(largest_cell);
  }

  std::vector<SubBoxSides> targets_to_try(Index largest_cell) const {
    return sub_boxes_to_try(paper_targets(largest_cell), problem_.grid.cells,
                            cells_that_fit(largest_cell));
  }

  /// MC places for every cell, or as many as there are.
  SubBoxLayout layout(const SubBoxSides& targets, Index largest_cell) const {
    SubBoxLayout layout;
    layout.targets = {targets[0], targets[1], targets[2]};
    layout.slots = static_cast<Index>(slots(largest_cell));
    layout.order = order_;
    const std::int64_t left = shared_bytes_ - std::int64_t{4} * layout.offsets();
    layout.capacity = static_cast<Index>(
        std::min(cells_of(with_ghosts(targets)) * slots(largest_cell), left / particle_bytes_));
    return layout;
  }

  /// The paper: a thread for every source. Ours: for every target.
  int threads(const SubBoxSides& targets, Index largest_cell) const {
    const std::int64_t cells =
        order_ == TargetOrder::slots ? cells_of(with_ghosts(targets)) : cells_of(targets);
    const std::int64_t whole_warps =
        round_up(cells * slots(largest_cell), problem_.device.warp_size);
    return static_cast<int>(
        std::min<std::int64_t>({whole_warps, most_threads, problem_.device.max_threads}));
  }

 private:
  static std::int64_t slots(Index largest_cell) { return std::max<Index>(1, largest_cell); }

  Problem problem_;
  std::int64_t shared_bytes_;
  std::int64_t particle_bytes_;
  TargetOrder order_;
};

template <class Precision>
class AllInSm final : public Backend<Precision> {
  using Pair = typename Precision::Pair;

 public:
  AllInSm(const Problem& problem, const BackendOptions& options)
      : rules_(problem, options),
        grid_(problem.grid.cells),
        largest_cell_(problem.largest_cell),
        tries_shapes_(options.at("sub_box") == "best"),
        tried_(rules_.targets_to_try(largest_cell_)),
        tuner_(numbers_below(tries_shapes_ ? tried_.size() : 1), problem.device.emulates_blocks) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (const auto reason = partners_beyond_neighbor_cells(problem)) return reason;
    const LaunchRules<Pair> rules(problem, options);
    const std::int64_t most = rules.cells_that_fit(problem.largest_cell);
    if (most < fewest_cells_with_ghosts) {
      return "a sub-box needs at least 27 cells (a target cell and those around it) in shared "
             "memory: " +
             std::to_string(rules.shared_bytes()) + " bytes hold " + std::to_string(most) +
             " cells of " + std::to_string(problem.largest_cell) + " particles";
    }
    return {};
  }

  void prepare(const BinnedParticles<Precision>&, Stream&) override {}

  void occupancy_changed(Index largest_cell) override { largest_cell_ = largest_cell; }

  void compute(const BinnedParticles<Precision>& particles, const Interaction<Pair>& interaction,
               Wanted wanted, PairSums<Precision>& sums, Stream& stream) override {
    const SubBoxSides targets = targets_now(static_cast<std::size_t>(tuner_.begin(wanted, stream)));
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      using Kernel = AllInSmKernel<Precision, chosen(), Functor>;
      const SubBoxLayout layout = rules_.layout(targets, largest_cell_);
      LaunchShape shape;
      shape.blocks = sub_boxes_in(grid_, targets);
      shape.threads = rules_.threads(targets, largest_cell_);
      shape.shared_bytes = static_cast<std::size_t>(
          layout.capacity * bytes_per_particle<Pair>(Functor::needs_types) +
          std::int64_t{4} * layout.offsets());
      launch(stream, shape, Kernel{particles, functor, PairSumsView<Precision>(sums), layout});
      report_ = {shape, note(targets)};
    });
    tuner_.end(stream);
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  /// What no longer fits, because cells have filled, gives way to the rule.
  SubBoxSides targets_now(std::size_t choice) const {
    const bool takes_tried = tries_shapes_ && rules_.fits(tried_[choice], largest_cell_);
    return takes_tried ? tried_[choice] : rules_.paper_targets(largest_cell_);
  }

  static std::string note(const SubBoxSides& targets) {
    const std::int64_t count = cells_of(targets);
    return "sub-boxes of " + in_words(with_ghosts(targets)) + " cells with ghosts, " +
           in_words(targets) + " = " + std::to_string(count) +
           (count == 1 ? " target cell" : " target cells");
  }

  LaunchRules<Pair> rules_;
  SubBoxSides grid_;
  Index largest_cell_;
  bool tries_shapes_;
  std::vector<SubBoxSides> tried_;
  LaunchTuner tuner_;
  LaunchReport report_;
};

}  // namespace

BackendEntry all_in_sm() {
  return make_entry<AllInSm>({
      .name = "all-in-sm",
      .summary =
          "one block per 3-D sub-box of cells, all of it and its ghost cells in shared memory",
      .source = "Few particles per cell, section 5.1, Algorithm 4",
      .options = {{.name = "sub_box",
                   .default_value = "paper",
                   .description =
                       "of a block; paper: nearly a cube, as large as fits, smaller while "
                       "multiprocessors idle; best: the fastest of several, found while "
                       "running",
                   .choices = {"paper", "best"}},
                  shared_memory_option(),
                  {.name = "threads",
                   .default_value = "paper",
                   .description = "of a block, at most 512; paper: MC for each cell and ghost, MC "
                                  "slots a target cell; targets: MC for each target cell, targets "
                                  "packed without gaps",
                   .choices = {"paper", "targets"}}},
      .needs_blocks = true,
      .worth_trying = {{{"threads", "targets"}},
                       {{"threads", "targets"}, {"shared_memory", "device"}}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
