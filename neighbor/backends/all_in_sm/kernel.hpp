// The kernel of `all-in-sm`. Few particles per cell, section 5.1 and Algorithm 4.
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
#pragma once

#include "neighbor/backend.hpp"
#include "neighbor/backends/all_in_sm/block_scan.hpp"
#include "neighbor/backends/all_in_sm/layout.hpp"
#include "neighbor/backends/all_in_sm/sub_box.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/walks/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision, Wanted wanted, class Interaction>
struct AllInSmKernel {
  static constexpr const char* name = "all-in-sm";
  static constexpr int max_threads = 512;
  using Pair = typename Precision::Pair;
  using Sum = SumOf<Precision, wanted, Interaction>;
  using Box = SubBoxWithGhosts<Pair>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  PairSumsView<Precision> sums;
  AllInSmLayout layout;

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

}  // namespace pencilbox::PENCILBOX_DEVICE
