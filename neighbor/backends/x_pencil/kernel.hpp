// The kernel of `x-pencil`: targets stay in registers, and the nine pencils of sources around them
// pass through shared memory one after the other, the own pencil first. Few particles per cell,
// section 5.2 and Algorithm 5.
//
// Ours: all nine pencils are looked up at once, at the start (SurroundingPencils). The buffer has
// two halves that are used in turn: while one is read the other is filled, so one barrier a piece
// is enough where Algorithm 5 has two. And with `staged: many` a piece may be of several pencils.
#pragma once

#include "neighbor/backend.hpp"
#include "neighbor/backends/x_pencil/pencil_layout.hpp"
#include "neighbor/backends/x_pencil/surrounding_pencils.hpp"
#include "neighbor/walks/source_pencil.hpp"
#include "neighbor/walks/staged_sources.hpp"
#include "neighbor/walks/target_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Launched with PencilLayout; whole warps; shared memory for SurroundingPencils and two halves.
template <class Precision, Wanted wanted, class Interaction, SourceRuns runs, bool several_lanes>
struct XPencilKernel {
  static constexpr const char* name = "x-pencil";
  static constexpr int max_threads = 1024;
  static constexpr int min_blocks = is_candidate_kernel<Interaction> ? 2 : 1;
  using Pair = typename Precision::Pair;
  using Sum = SumOf<Precision, wanted, Interaction>;
  using Source = StagedSource<Pair>;
  using Staged = SharedArray<Source>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  PairSumsView<Precision> sums;
  PencilLayout layout;

  /// Forces want coordinates relative to each particle's cell, which keep all their digits. A
  /// potential without forces is in float throughout, as published: there all coordinates are
  /// relative to the pencil, and the sources of a merged run need no shift each.
  static constexpr bool along_pencil =
      is_candidate_kernel<Interaction> && runs == SourceRuns::merged;

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

}  // namespace pencilbox::PENCILBOX_DEVICE
