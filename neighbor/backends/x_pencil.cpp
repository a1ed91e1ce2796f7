// X-pencil: one block per pencil, a row of `length` cells along x. Targets stay in registers; the
// nine pencils of sources around them (with a ghost cell at either end) pass through shared memory
// one after the other, the own pencil first. Few particles per cell, section 5.2 and Algorithm 5.
//
// The paper's bounds are launch rules here, not limits: a pencil with more targets than threads
// takes several rounds, a source pencil larger than half the shared memory comes in several pieces.
// So no occupancy, however uneven, gives a wrong answer.
//
// Ours: all nine pencils are looked up at once, at the start (SurroundingPencils). The buffer has
// two halves that are used in turn: while one is read the other is filled, so one barrier a piece
// is enough where Algorithm 5 has two. And with `staged: many` a piece may be of several pencils.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/device/launch_divisor.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/launch_tuner.hpp"
#include "neighbor/shared_memory_option.hpp"
#include "neighbor/source_pencil.hpp"
#include "neighbor/staged_sources.hpp"
#include "neighbor/surrounding_pencils.hpp"
#include "neighbor/target_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// How a launch cuts the grid.
struct PencilLayout {
  Index length = 1;             ///< target cells of a pencil along x
  Index per_row = 1;            ///< pencils of a row
  LaunchDivisor by_per_row;     ///< the same
  LaunchDivisor by_rows;        ///< rows of a layer
  Index half = 0;               ///< sources that half the buffer holds
  bool across_pencils = false;  ///< whether a piece of sources may be of several pencils
  int lane_bits = 0;            ///< 2^lane_bits threads share a target, at most a warp
};

template <class Precision, Wanted wanted, class Interaction, SourceRuns runs, bool several_lanes>
struct XPencilKernel {
  static constexpr const char* name = "x-pencil";
  static constexpr int max_threads = 1024;
  static constexpr int min_blocks = wanted == Wanted::potential ? 2 : 1;
  using Pair = typename Precision::Pair;
  using Sum = TargetSum<Precision, wanted>;
  using Source = StagedSource<Pair>;
  using Staged = SharedArray<Source>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  PairSumsView<Precision> sums;
  PencilLayout layout;

  /// Forces want coordinates relative to each particle's cell, which keep all their digits. The
  /// benchmark's potentials are in float throughout, as published: there all coordinates are
  /// relative to the pencil, and the sources of a merged run need no shift each.
  static constexpr bool along_pencil = wanted == Wanted::potential && runs == SourceRuns::merged;

  /// One target in a thread's registers, or in those of several threads that share its sources;
  /// `particle` is -1 where the thread has none.
  struct Target {
    Index particle = -1;
    Index x = 0;     ///< of its cell, along the row
    Index lane = 0;  ///< of the threads that share it
    std::int32_t type = 0;
    Vec3<Pair> position;
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
    const Index row = layout.by_per_row.quotient(number);
    const Index z = layout.by_rows.quotient(row);
    const Index y = row - z * grid.cells.y;
    const Index first = (number - row * layout.per_row) * layout.length;
    const Index last = smaller(first + layout.length, grid.cells.x);
    const Index* offset = particles.offset + grid.linear({0, y, z});
    const SourcePencil sources =
        SurroundingPencils::look_up(block, grid, particles.offset, y, z, first, last);
    const IndexRange targets{offset[first], offset[last]};
    if (targets.count() == 0) return;
    const SurroundingPencils around = SurroundingPencils::allocate(block);
    const Staged staged = block.shared<Source>(2 * layout.half);
    Target target = load_target(block, targets.begin, {offset, first, last, {}, targets, {}});
    around.keep(block, sources);
    Index slot = 0;
    for (Index round = targets.begin;;) {
      Sum sum;
      add_all_pencils(block, staged, slot, around, target, sum);
      if constexpr (several_lanes) sum.add_lanes(block, 1 << layout.lane_bits);
      if (target.particle >= 0 && target.lane == 0) sum.store(sums, target.particle);
      round += block.threads() >> lane_bits();
      const SourcePencil own = around.pencil(0);
      if (round >= own.inner.end) return;
      target = load_target(block, round, own);
    }
  }

  /// A constant where a target has one thread: loops over sources then have constant strides.
  PENCILBOX_DEVICE_FUNCTION int lane_bits() const {
    if constexpr (several_lanes) {
      return layout.lane_bits;
    } else {
      return 0;
    }
  }

  /// A particle of the block's own pencil, or none beyond its end. `round` is the first thread's.
  PENCILBOX_DEVICE_FUNCTION Target load_target(const Block& block, Index round,
                                               const SourcePencil& own) const {
    Target target;
    const Index particle = round + (block.thread() >> lane_bits());
    if (particle >= own.inner.end) return target;
    target.particle = particle;
    target.lane = block.thread() & ((1 << lane_bits()) - 1);
    target.x = own.column_in_row(particles.cell[particle], particles.offset);
    target.position = particles.position[particle];
    if constexpr (along_pencil) target.position.x += along_row(target.x - own.first);
    if constexpr (Interaction::needs_types) target.type = particles.type[particle];
    return target;
  }

  /// Between centres of cells so many columns apart [sigma].
  PENCILBOX_DEVICE_FUNCTION Pair along_row(Index columns) const {
    return particles.grid.shift(columns, 0, 0).rounded.x;
  }

  /// All sources for the block's targets, piece by piece. `slot` is where the next one begins, at
  /// one half of the buffer or the other.
  PENCILBOX_DEVICE_FUNCTION void add_all_pencils(const Block& block, const Staged& staged,
                                                 Index& slot, const SurroundingPencils& around,
                                                 const Target& target, Sum& sum) const {
    Index pencil = 0;
    for (Index begin = 0; begin < around.end();) {
      while (around.begin(pencil + 1) <= begin) ++pencil;
      const Index most = layout.across_pencils ? around.end() : around.begin(pencil + 1);
      const Piece piece{{begin, smaller(begin + layout.half, most)}, slot};
      // Other threads may still read the last piece, in the other half, but none the piece before
      // it: they have all met the barrier between the two.
      load_piece(block, staged, around, pencil, piece);
      block.barrier();
      if (target.particle >= 0) {
        add_piece(staged, around, pencil, piece, target, sum);
      }
      begin = piece.numbers.end;
      slot = layout.half - slot;
    }
  }

  PENCILBOX_DEVICE_FUNCTION void load_piece(const Block& block, const Staged& staged,
                                            const SurroundingPencils& around, Index pencil,
                                            const Piece& piece) const {
    for (Index k = piece.numbers.begin + block.thread(); k < piece.numbers.end;
         k += block.threads()) {
      while (around.begin(pencil + 1) <= k) ++pencil;
      load_source(staged, around.pencil(pencil), k - around.begin(pencil), piece.slot_of(k));
    }
  }

  PENCILBOX_DEVICE_FUNCTION void load_source(const Staged& staged, const SourcePencil& sources,
                                             Index number, Index slot) const {
    const Index source = sources.particle(number);
    Source loaded{particles.position[source], 0};
    if constexpr (along_pencil) {
      const Index own_column = sources.column_in_row(particles.cell[source], particles.offset);
      loaded.position.x += along_row(sources.column_of(number, own_column) - sources.first);
    }
    if constexpr (Interaction::needs_types) loaded.type = particles.type[source];
    staged[slot] = loaded;
  }

  /// What the piece holds of each pencil, from `pencil` on.
  PENCILBOX_DEVICE_FUNCTION void add_piece(const Staged& staged, const SurroundingPencils& around,
                                           Index pencil, const Piece& piece, const Target& target,
                                           Sum& sum) const {
    for (; pencil < SurroundingPencils::count; ++pencil) {
      const Index begin = around.begin(pencil);
      if (begin >= piece.numbers.end) break;
      const Index end = smaller(around.begin(pencil + 1), piece.numbers.end);
      const Index from = larger(begin, piece.numbers.begin);
      const Piece part{{from - begin, end - begin}, piece.slot_of(from)};
      add_part(staged, around.pencil(pencil), pencil, part, target, sum);
    }
  }

  /// Sources of one pencil, by their numbers in it.
  PENCILBOX_DEVICE_FUNCTION void add_part(const Staged& staged, const SourcePencil& sources,
                                          Index pencil, const Piece& part, const Target& target,
                                          Sum& sum) const {
    const Index dy = SurroundingPencils::dy(pencil);
    const Index dz = SurroundingPencils::dz(pencil);
    const NeighborRun run = sources.run_around(target.x, dy, dz);
    const Index skip = pencil == 0 ? sources.number_in_inner(target.particle) : Index{-1};
    if constexpr (along_pencil) {
      add_along_pencil(staged, sources, part, target, sum, run, skip);
    } else if constexpr (runs == SourceRuns::merged) {
      add_merged(staged, sources, part, target, sum, run, skip);
    } else {
      add_cells(staged, sources, part, target, sum, run, skip);
    }
  }

  /// Cell by cell, as published.
  PENCILBOX_DEVICE_FUNCTION void add_cells(const Staged& staged, const SourcePencil& sources,
                                           const Piece& piece, const Target& target, Sum& sum,
                                           const NeighborRun& run, Index skip) const {
    for (Index dx = -1; dx <= 1; ++dx) {
      const CellShift<Pair> shift = particles.grid.shift(dx, run.dy, run.dz);
      const IndexRange cell = run.cell(dx).within(piece.numbers);
      for_each_but(dx == 0 ? skip : Index{-1}, cell, target,
                   [&](Index k) { add_source(staged, sources, piece, target, sum, k, shift); });
    }
  }

  /// The three cells as one run.
  PENCILBOX_DEVICE_FUNCTION void add_merged(const Staged& staged, const SourcePencil& sources,
                                            const Piece& piece, const Target& target, Sum& sum,
                                            const NeighborRun& run, Index skip) const {
    const CellShift<Pair> right = particles.grid.shift(1, run.dy, run.dz);
    const IndexRange here = IndexRange{run.begin, run.end}.within(piece.numbers);
    for_each_but(skip, here, target, [&](Index k) {
      add_source(staged, sources, piece, target, sum, k, run.shift(k, right));
    });
  }

  /// The three cells as one run, of coordinates that are relative to the pencil.
  PENCILBOX_DEVICE_FUNCTION void add_along_pencil(const Staged& staged, const SourcePencil& sources,
                                                  const Piece& piece, const Target& target,
                                                  Sum& sum, const NeighborRun& run,
                                                  Index skip) const {
    const CellShift<Pair> shift = particles.grid.shift(0, run.dy, run.dz);
    const IndexRange here = IndexRange{run.begin, run.end}.within(piece.numbers);
    for_each_but(skip, here, target,
                 [&](Index k) { add_source(staged, sources, piece, target, sum, k, shift); });
  }

  /// Those that fall to the thread. Two loops: none asks of each source whether it is the target.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each_but(Index skip, const IndexRange& sources,
                                              const Target& target, Visit&& visit) const {
    const Index itself = sources.has(skip) ? skip : sources.end;
    const Index lanes = 1 << lane_bits();
    for (Index k = sources.begin + target.lane; k < itself; k += lanes) visit(k);
    for (Index k = itself + 1 + target.lane; k < sources.end; k += lanes) visit(k);
  }

  PENCILBOX_DEVICE_FUNCTION void add_source(const Staged& staged, const SourcePencil& sources,
                                            const Piece& piece, const Target& target, Sum& sum,
                                            Index k, const CellShift<Pair>& shift) const {
    const Source source = staged[piece.slot_of(k)];
    const auto exact = [&] {
      return exact_separation(particles, target.particle, sources.particle(k), shift);
    };
    sum.add(interaction, target.position, source.position, shift, exact, target.type, source.type);
  }
};

/// How many threads a pencil gets. What is more comes in rounds.
enum class PencilThreads {
  paper,    ///< one for each source of the fullest pencil that there can be: MC (length + 2)
  targets,  ///< one for each target of it: MC length
  average,  ///< one for each target of nearly every pencil, where particles are spread evenly
};

constexpr const char* by_length = "by-length";

/// The value of an option that follows `length`: as published, or what proved best.
const std::string& resolved(const BackendOptions& options, const std::string& name) {
  static const BackendOptions published{
      {"threads", "paper"}, {"staged", "pencil"}, {"runs", "cells"}, {"threads_per_target", "1"}};
  static const BackendOptions best{
      {"threads", "best"}, {"staged", "many"}, {"runs", "merged"}, {"threads_per_target", "best"}};
  if (options.at(name) != by_length) return options.at(name);
  return (options.at("length") == "best" ? best : published).at(name);
}

/// What is tried for the best shape.
struct PencilShape {
  Index length;
  PencilThreads threads;
  int lanes;  ///< threads of a target
};

template <class Precision>
class XPencil final : public Backend<Precision> {
 public:
  XPencil(const Problem& problem, const BackendOptions& options)
      : problem_(problem),
        options_(options),
        source_bytes_(bytes_for_sources(problem, options)),
        largest_cell_(problem.largest_cell),
        runs_(resolved(options, "runs") == "merged" ? SourceRuns::merged : SourceRuns::cells),
        across_pencils_(resolved(options, "staged") == "many"),
        shapes_(shapes_to_try()),
        tuner_(numbers_below(shapes_.size()), problem.device.emulates_blocks) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (const auto reason = partners_beyond_neighbor_cells(problem)) return reason;
    const std::int64_t bytes = bytes_for_sources(problem, options);
    const std::int64_t most = cells_within(bytes, problem.largest_cell);
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
    PencilShape pencils = shapes_[static_cast<std::size_t>(tuner_.begin(wanted, stream))];
    pencils.length = std::min(pencils.length, longest_that_fits());
    const int threads = threads_of(pencils);
    const PencilLayout layout = layout_of(pencils, threads);
    const LaunchShape shape{
        blocks_with(layout.length), threads,
        SurroundingPencils::bytes + static_cast<std::size_t>(2 * layout.half) * bytes_per_source};
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      dispatch_walk(pencils.lanes, [&](auto runs, auto several_lanes) {
        using Functor = std::decay_t<decltype(functor)>;
        using Kernel = XPencilKernel<Precision, chosen(), Functor, runs(), several_lanes()>;
        launch(stream, shape, Kernel{particles, functor, PairSumsView<Precision>(sums), layout});
      });
    });
    report_ = {shape,
               "pencils of " + std::to_string(layout.length) + " cells" +
                   (pencils.lanes > 1 ? ", " + threads_per_target_in_words(pencils.lanes) : "")};
    tuner_.end(stream);
    if (!tuner_.decided()) report_.note += ", other shapes still to be tried";
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  static constexpr std::int64_t bytes_per_source = sizeof(StagedSource<typename Precision::Pair>);

  /// Calls run(runs, several_lanes), both constants.
  template <class Run>
  void dispatch_walk(int lanes, Run&& run) const {
    if (lanes > 1) {
      run(std::integral_constant<SourceRuns, SourceRuns::merged>{}, std::true_type{});
    } else {
      dispatch_runs(runs_, [&](auto runs) { run(runs, std::false_type{}); });
    }
  }

  /// What the table of pencils leaves.
  static std::int64_t bytes_for_sources(const Problem& problem, const BackendOptions& options) {
    return shared_memory_limit(problem, options) -
           static_cast<std::int64_t>(SurroundingPencils::bytes);
  }

  /// LX + 2 of the paper: cells of `largest_cell` particles in so much shared memory.
  static std::int64_t cells_within(std::int64_t bytes, Index largest_cell) {
    return bytes / (std::max<Index>(1, largest_cell) * bytes_per_source);
  }

  std::int64_t fullest_cell() const { return std::max<Index>(1, largest_cell_); }

  Index longest_that_fits() const {
    const std::int64_t fitting = cells_within(source_bytes_, largest_cell_) - 2;
    return static_cast<Index>(std::clamp<std::int64_t>(fitting, 1, problem_.grid.cells[0]));
  }

  std::int64_t blocks_with(Index length) const {
    const auto& cells = problem_.grid.cells;
    return divide_up(cells[0], length) * cells[1] * cells[2];
  }

  /// The paper's: as long as shared memory and the threads of a block allow, shorter while there
  /// are fewer blocks than multiprocessors.
  Index length_of_the_paper() const {
    const auto by_threads = static_cast<Index>(problem_.device.max_threads / fullest_cell()) - 2;
    Index length = std::max<Index>(1, std::min(longest_that_fits(), by_threads));
    while (length > 1 && blocks_with(length) < problem_.device.multiprocessors) --length;
    return length;
  }

  /// What the deck asks for.
  std::vector<Index> lengths_to_try() const {
    const std::string& option = options_.at("length");
    if (option == "paper") return {length_of_the_paper()};
    if (option != "best") return {static_cast<Index>(std::stoi(option))};
    return lengths_for_the_best();
  }

  /// The paper's, then those that cut a row into 1, 2, 3, 4, 6, 9, 13, ... pencils as even as can
  /// be, as far as shared memory holds them.
  std::vector<Index> lengths_for_the_best() const {
    std::vector<Index> lengths{length_of_the_paper()};
    const auto try_length = [&](Index length) {
      const bool known = std::find(lengths.begin(), lengths.end(), length) != lengths.end();
      if (!known && length <= longest_that_fits()) lengths.push_back(length);
    };
    const std::int64_t row = problem_.grid.cells[0];
    for (std::int64_t n = 1; n <= row; n += std::max<std::int64_t>(1, n / 2)) {
      try_length(static_cast<Index>(divide_up(row, n)));
    }
    try_length(1);
    return lengths;
  }

  std::vector<PencilThreads> threads_to_try() const {
    const std::string& option = resolved(options_, "threads");
    if (option == "paper") return {PencilThreads::paper};
    if (option == "targets") return {PencilThreads::targets};
    if (option == "average") return {PencilThreads::average};
    return {PencilThreads::targets, PencilThreads::average};
  }

  /// Several where one a target leaves the device half empty, and bits may depend on the choice.
  std::vector<int> lanes_to_try() const {
    const std::string& option = resolved(options_, "threads_per_target");
    if (option != "best") return {std::stoi(option)};
    constexpr std::int64_t threads_of_a_multiprocessor = 2048;
    const bool leaves_room =
        2 * problem_.particles < problem_.device.multiprocessors * threads_of_a_multiprocessor;
    if (problem_.deterministic || !leaves_room) return {1};
    return {1, 8};
  }

  std::vector<PencilShape> shapes_to_try() const {
    std::vector<PencilShape> shapes;
    for (const Index length : lengths_to_try()) {
      for (const PencilThreads threads : threads_to_try()) {
        for (const int lanes : lanes_to_try()) shapes.push_back({length, threads, lanes});
      }
    }
    return shapes;
  }

  int threads_of(const PencilShape& pencils) const {
    const std::int64_t whole_warps =
        round_up(std::max<std::int64_t>(1, wanted_threads(pencils) * pencils.lanes),
                 problem_.device.warp_size);
    return static_cast<int>(std::min<std::int64_t>(whole_warps, problem_.device.max_threads));
  }

  std::int64_t wanted_threads(const PencilShape& pencils) const {
    const std::int64_t fullest = fullest_cell() * pencils.length;
    if (pencils.threads == PencilThreads::paper) return fullest + 2 * fullest_cell();
    if (pencils.threads == PencilThreads::targets) return fullest;
    const double mean = static_cast<double>(problem_.particles) *
                        static_cast<double>(pencils.length) /
                        static_cast<double>(problem_.grid.count());
    // Of independent particles one pencil in a thousand has more.
    return std::min(fullest, static_cast<std::int64_t>(mean + 3.0 * std::sqrt(mean)));
  }

  /// A half holds a pencil if shared memory does. Where pieces may be of several pencils, it holds
  /// three sources a thread at least, which leaves a multiprocessor room for most of its threads.
  PencilLayout layout_of(const PencilShape& pencils, int threads) const {
    const Index length = pencils.length;
    PencilLayout layout;
    layout.length = length;
    layout.lane_bits = std::countr_zero(static_cast<unsigned>(pencils.lanes));
    layout.per_row = static_cast<Index>(divide_up(problem_.grid.cells[0], length));
    layout.by_per_row = LaunchDivisor(layout.per_row);
    layout.by_rows = LaunchDivisor(problem_.grid.cells[1]);
    layout.across_pencils = across_pencils_;
    const std::int64_t room = source_bytes_ / (2 * bytes_per_source);
    const std::int64_t pencil = fullest_cell() * (length + 2);
    const std::int64_t wanted =
        layout.across_pencils ? std::max<std::int64_t>(pencil, 3 * threads) : pencil;
    layout.half = static_cast<Index>(std::min(wanted, room));
    return layout;
  }

  Problem problem_;
  BackendOptions options_;
  std::int64_t source_bytes_;
  Index largest_cell_;
  SourceRuns runs_;
  bool across_pencils_;
  std::vector<PencilShape> shapes_;
  LaunchTuner tuner_;
  LaunchReport report_;
};

BackendOptions worth_trying(const std::string& length, const std::string& threads) {
  return {{"length", length}, {"threads", threads}, {"staged", "many"}, {"runs", "merged"}};
}

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
         by_length,
         "of a block; paper: MC (length + 2); targets: MC length; average: for the targets of "
         "nearly all pencils where particles are spread evenly; best: the faster of these two; "
         "by-length: best with length: best, else paper",
         {by_length, "paper", "targets", "average", "best"}},
        {"staged",
         by_length,
         "in shared memory at a time; pencil: a pencil of sources; many: of several, as there is "
         "room; by-length: many with length: best, else pencil",
         {by_length, "pencil", "many"}},
        {"runs",
         by_length,
         "how a row of sources is walked; cells: one by one; merged: three as one run; by-length: "
         "merged with length: best, else cells",
         {by_length, "cells", "merged"}},
        {"threads_per_target",
         by_length,
         "threads that share the sources of a target, in merged runs; best: 1 or 8; by-length: "
         "best with length: best, else 1",
         {by_length, "1", "2", "4", "8", "16", "32", "best"}}},
       /*needs_blocks=*/true,
       /*all_pairs=*/false,
       {worth_trying("8", "average"), worth_trying("4", "average"), worth_trying("16", "average"),
        worth_trying("paper", "targets")}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE
