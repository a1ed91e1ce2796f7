// All sources around a cell in a block's shared memory, and the way over them: each warp takes a
// few targets of the cell into registers, its lanes take a source each, so that a source that was
// read once meets several targets, and no lane idles because a cell holds fewer particles than a
// warp has lanes.
#pragma once

#include <algorithm>
#include <limits>

#include "core/device/device.hpp"
#include "neighbor/binned_particles.hpp"
#include "neighbor/problem.hpp"
#include "neighbor/shift_code.hpp"
#include "neighbor/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Where a neighbour stands: in which of the 27 cells, and which of that cell's particles it is.
struct NeighborPlace {
  static constexpr int bits_of_index = 27;

  std::uint32_t word = 0;

  PENCILBOX_DEVICE_FUNCTION static NeighborPlace of(Index code, Index index) {
    return {static_cast<std::uint32_t>(index) | static_cast<std::uint32_t>(code) << bits_of_index};
  }
  /// Of padding, which is nobody: the code is one that may be looked up.
  PENCILBOX_DEVICE_FUNCTION static NeighborPlace of_nobody() {
    return of(ShiftCode::none, (Index{1} << bits_of_index) - 1);
  }
  PENCILBOX_DEVICE_FUNCTION Index code() const { return static_cast<Index>(word >> bits_of_index); }
  PENCILBOX_DEVICE_FUNCTION Index index() const {
    return static_cast<Index>(word & ((1U << bits_of_index) - 1U));
  }
  PENCILBOX_DEVICE_FUNCTION bool operator==(const NeighborPlace& other) const {
    return word == other.word;
  }
};

/// As it is staged: one read of 16 bytes, 32 in double.
template <class Pair>
struct alignas(4 * sizeof(Pair)) StagedNeighbor {
  Vec3<Pair> position;  ///< relative to the centre of its own cell
  NeighborPlace place;
};

/// How a launch divides the cells, and what a block takes.
struct NeighborhoodShape {
  /// Sources that are staged at a time: whole warps. Where a cell has more around it they come in
  /// several pieces.
  Index room = 0;
  Index cells_of_a_block = 1;

  /// Room for all that lie around most cells, if that leaves a multiprocessor enough blocks. Where
  /// most cells are empty a block takes several.
  static NeighborhoodShape for_problem(const Problem& problem) {
    const double cells = static_cast<double>(problem.grid.count());
    const double around_mean = 27.0 * problem.particles / cells;
    const double around = std::max(1.2 * around_mean, 0.6 * 27.0 * problem.largest_cell);
    const auto wanted = static_cast<std::int64_t>(std::min(around, 1024.0));
    NeighborhoodShape shape;
    shape.room = static_cast<Index>(round_up(std::max<std::int64_t>(wanted, 192), 64));
    shape.cells_of_a_block =
        std::max(Index{1}, problem.grid.count() / std::max(problem.particles, Index{1}));
    return shape;
  }

  /// Of a block's shared memory.
  template <class Pair>
  std::size_t bytes() const {
    return static_cast<std::size_t>(room) * sizeof(StagedNeighbor<Pair>) +
           ShiftCode::count * (sizeof(RoundedShift<Pair>) + 2 * sizeof(Index)) + sizeof(Index);
  }

  std::int64_t blocks(Index cells) const { return divide_up(cells, cells_of_a_block); }
};

template <class Precision>
class CellNeighborhood {
 public:
  using Pair = typename Precision::Pair;
  using Source = StagedNeighbor<Pair>;

  /// Every thread of the block must call it, before it asks for other shared memory.
  PENCILBOX_DEVICE_FUNCTION CellNeighborhood(const Block& block,
                                             const BinnedParticles<Precision>& particles,
                                             Index room)
      : block_(block),
        particles_(particles),
        room_(room),
        staged_(block.shared<Source>(room)),
        shifts_(block.shared<RoundedShift<Pair>>(ShiftCode::count)),
        first_(block.shared<Index>(ShiftCode::count)),
        number_(block.shared<Index>(ShiftCode::count + 1)) {
    for (Index code = block.thread(); code < ShiftCode::count; code += block.threads()) {
      shifts_[code] = RoundedShift<Pair>{ShiftCode::shift(particles.grid, code).rounded};
    }
  }

  /// Goes to the cells around this one. Every thread of the block must call it.
  PENCILBOX_DEVICE_FUNCTION void go_to(Index cell) {
    block_.barrier();  // whoever still reads what was around the last
    if (block_.warp() == 0) {
      const Index code = block_.lane();
      IndexRange particles{};
      if (code < ShiftCode::count) {
        particles = ShiftCode::particles(particles_.grid, particles_.offset,
                                         particles_.grid.coordinates(cell), code);
      }
      const Index end = warp_inclusive_sum(block_, particles.count());
      if (code < ShiftCode::count) {
        first_[code] = particles.begin;
        number_[code] = end - particles.count();
      }
      if (code == ShiftCode::count) number_[code] = end;
    }
    block_.barrier();
    total_ = number_[ShiftCode::count];
    staged_from_ = -1;
  }

  /// Calls visit(source) for each around the cell, a lane's share in this lane; always in the same
  /// order. All lanes of a warp come together, with padding (whose position is no number) where
  /// there is no source. Every thread of the block must call it; a warp that is `idle` helps others
  /// to their sources only.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each_source(bool idle, Visit&& visit) {
    for (Index begin = 0; begin < total_; begin += room_) {
      const Index count = whole_warps(smaller(room_, total_ - begin));
      stage(begin, count);
      if (idle) continue;
      for (Index k = block_.lane(); k < count; k += block_.warp_size()) {
        const Source source = staged_[k];
        visit(source);
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION Vec3<Pair> shift(const Source& source) const {
    const RoundedShift<Pair> shift = shifts_[source.place.code()];
    return shift.rounded;
  }

  /// Which particle it is.
  PENCILBOX_DEVICE_FUNCTION Index particle(const Source& source) const {
    return Index{first_[source.place.code()]} + source.place.index();
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Index whole_warps(Index count) const {
    const Index width = block_.warp_size();
    return (count + width - 1) / width * width;
  }

  /// Sources [begin, begin + count) by number, unless they are staged already.
  PENCILBOX_DEVICE_FUNCTION void stage(Index begin, Index count) {
    if (staged_from_ == begin) return;
    block_.barrier();
    for (Index k = block_.thread(); k < count; k += block_.threads()) {
      staged_[k] = begin + k < total_ ? find(begin + k) : padding();
    }
    block_.barrier();
    staged_from_ = begin;
  }

  PENCILBOX_DEVICE_FUNCTION Source find(Index number) const {
    Index code = 0;
    for (Index step = 16; step > 0; step /= 2) {
      const Index further = code + step;
      if (further < ShiftCode::count && Index{number_[further]} <= number) code = further;
    }
    const Index index = number - Index{number_[code]};
    return {particles_.pair_position(Index{first_[code]} + index), NeighborPlace::of(code, index)};
  }

  PENCILBOX_DEVICE_FUNCTION static Source padding() {
    constexpr Pair none = std::numeric_limits<Pair>::quiet_NaN();
    return {{none, none, none}, NeighborPlace::of_nobody()};
  }

  const Block& block_;
  const BinnedParticles<Precision>& particles_;
  Index room_;
  SharedArray<Source> staged_;
  SharedArray<RoundedShift<Pair>> shifts_;
  SharedArray<Index> first_;   // [27] particle of each cell
  SharedArray<Index> number_;  // [28] of that particle among the sources
  Index total_ = 0;
  Index staged_from_ = -1;
};

/// A few targets of a cell in a warp's registers. Those beyond the cell's last repeat it.
template <class Pair, int size>
struct TargetGroup {
  Index first = 0;  ///< particle
  Index count = 0;  ///< at most `size`; below 1 where a warp has nothing to do
  NeighborPlace first_place;
  Vec3<Pair> position[size];

  template <class Precision>
  PENCILBOX_DEVICE_FUNCTION TargetGroup(const BinnedParticles<Precision>& particles,
                                        const IndexRange& cell, Index first_target)
      : first(first_target),
        count(smaller(cell.end - first_target, size)),
        first_place(NeighborPlace::of(ShiftCode::none, first_target - cell.begin)) {
    for (int t = 0; t < size; ++t) position[t] = particles.pair_position(particle(cell, t));
  }

  PENCILBOX_DEVICE_FUNCTION bool is_empty() const { return count < 1; }
  PENCILBOX_DEVICE_FUNCTION Index particle(const IndexRange& cell, int t) const {
    return smaller(first + t, cell.end - 1);
  }
  /// Whether the source is this target itself, and not one of its images.
  PENCILBOX_DEVICE_FUNCTION bool is_itself(int t, const NeighborPlace& source) const {
    return source.word - first_place.word == static_cast<std::uint32_t>(t);
  }
};

/// For all targets in the cells of this block: body(around, cell, group), where `around` knows all
/// sources around the cell, and `group` is what this warp takes of the particles [cell.begin,
/// cell.end). Every thread of the block must call it; each warp gets as many calls.
template <int size, class Precision, class Body>
PENCILBOX_DEVICE_FUNCTION void for_each_target_group(const Block& block,
                                                     const BinnedParticles<Precision>& particles,
                                                     const NeighborhoodShape& shape, Body&& body) {
  CellNeighborhood<Precision> around(block, particles, shape.room);
  const std::int64_t begin = block.index() * shape.cells_of_a_block;
  const auto end = static_cast<Index>(begin + shape.cells_of_a_block < particles.cells()
                                          ? begin + shape.cells_of_a_block
                                          : particles.cells());
  if (particles.offset[begin] == particles.offset[end]) return;  // empty, all of them
  const Index warps = warps_of(block);
  for (auto c = static_cast<Index>(begin); c < end; ++c) {
    const IndexRange cell = particles.particles_of(c);
    if (cell.count() == 0) continue;
    around.go_to(c);
    for (Index first = cell.begin; first < cell.end; first += size * warps) {
      const TargetGroup<typename Precision::Pair, size> group(particles, cell,
                                                              first + size * block.warp());
      body(around, cell, group);
    }
  }
}

}  // namespace pencilbox::PENCILBOX_DEVICE
