// The sources around a cell in a block's shared memory, and the way over them: each team of 32
// lanes takes a few targets of the cell into registers, its lanes take a source each, so that a
// source that was read once meets several targets, and no lane idles because a cell holds fewer
// particles than there are lanes. (A team and not a warp: sums must not depend on how wide a
// device's warps are.) Sources that are beyond the reach of all of the cell's targets are left out:
// of those in the 27 cells of a liquid, a third.
#pragma once

#include <algorithm>

#include "core/device/device.hpp"
#include "neighbor/binned_particles.hpp"
#include "neighbor/problem.hpp"
#include "neighbor/walks/filled_cells.hpp"
#include "neighbor/walks/reach.hpp"
#include "neighbor/walks/shared_shifts.hpp"
#include "neighbor/walks/shift_code.hpp"
#include "neighbor/walks/team.hpp"
#include "neighbor/walks/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// As it is staged: one read of 16 bytes, 32 in double.
template <class Pair>
struct alignas(4 * sizeof(Pair)) StagedNeighbor {
  Vec3<Pair> position;  ///< relative to the centre of the targets' cell, or of its own
  ShiftedIndex place;   ///< which particle it is, and by which of 27 shifts its cell was met

  /// Padding is nobody, far from every target; its code is one that may be looked up.
  PENCILBOX_DEVICE_FUNCTION static StagedNeighbor padding() {
    return {PackedPosition<Pair>::far_away(),
            ShiftedIndex::of(ShiftedIndex::most, ShiftCode::none)};
  }
  PENCILBOX_DEVICE_FUNCTION bool is_padding() const { return place.word == padding().place.word; }
};

/// How a launch divides the cells, and what a block takes.
struct NeighborhoodShape {
  /// Sources that are staged at a time: whole teams. Where a cell has more around it they come in
  /// several pieces.
  Index room = 0;
  Index cells_of_a_block = 1;
  int threads = 128;  ///< of a block that has a choice: more where few cells are to fill a device

  /// Room for all that lie around most cells, if that leaves a multiprocessor enough blocks. Where
  /// most cells are empty a block takes several.
  static NeighborhoodShape for_problem(const Problem& problem) {
    const double cells = static_cast<double>(problem.grid.count());
    const double around_mean = 27.0 * problem.particles / cells;
    const double around = std::max(1.2 * around_mean, 0.6 * 27.0 * problem.largest_cell);
    const auto wanted = static_cast<std::int64_t>(std::min(around, 1024.0));
    NeighborhoodShape shape;
    shape.room = static_cast<Index>(round_up(std::max<std::int64_t>(wanted, 192), 64));
    // Four, where that leaves enough blocks: what a block begins with takes as long as a part of a
    // cell. More, where most cells are empty.
    const bool has_many = cells > 256.0 * problem.device.multiprocessors;
    shape.cells_of_a_block = std::max(has_many ? Index{4} : Index{1},
                                      problem.grid.count() / std::max(problem.particles, Index{1}));
    const double device = 1024.0 * problem.device.multiprocessors;
    while (shape.threads < 512 && 2.0 * shape.threads * cells <= device) shape.threads *= 2;
    return shape;
  }

  /// Of a block's shared memory.
  template <class Pair>
  std::size_t bytes() const {
    return SharedWholeShifts<Pair>::bytes + 2 * sizeof(RoundedShift<Pair>) + FilledCells::bytes(1) +
           (Team::lanes + 1) * sizeof(Index) + alignof(StagedNeighbor<Pair>) +
           static_cast<std::size_t>(room) * sizeof(StagedNeighbor<Pair>);
  }

  template <class Pair>
  LaunchShape launch_shape(Index cells, int of_threads) const {
    return {divide_up(cells, cells_of_a_block), of_threads, bytes<Pair>()};
  }
};

/// Whether sources are staged in the frame of the targets' cell, or in that of their own: then
/// whoever visits them adds the shift.
enum class StagedFrame { targets, own };

template <class Precision, StagedFrame frame = StagedFrame::targets>
class CellNeighborhood {
 public:
  using Pair = typename Precision::Pair;
  using Source = StagedNeighbor<Pair>;

  /// `reach_squared`: sources farther than this from all targets are left out. Every thread of the
  /// block must call it, before it asks for other shared memory.
  PENCILBOX_DEVICE_FUNCTION CellNeighborhood(const Block& block,
                                             const BinnedParticles<Precision>& particles,
                                             Index room, Pair reach_squared)
      : block_(block),
        particles_(particles),
        room_(room),
        reach_squared_(reach_squared),
        shifts_(block, particles.grid),
        corners_(block.shared<RoundedShift<Pair>>(2)),
        cells_(block, 1),
        kept_(block.shared<Index>(Team::lanes)),
        all_(block.shared<Index>(1)),
        // last: all else lies where a compiler knows
        staged_(block.shared<Source>(room)) {}

  /// Goes to the cells around this one, whose targets are `targets`. Every thread of the block must
  /// call it.
  PENCILBOX_DEVICE_FUNCTION void go_to(Index cell, const IndexRange& targets) {
    block_.barrier();  // whoever still reads what was around the last
    if (block_.warp() == 0) {
      const Index all = cells_.look_up(particles_, cell, 0);
      if (block_.lane() == 0) all_[0] = all;
    }
    if (block_.warp() == warps_of(block_) - 1) measure(targets);
    block_.barrier();
    staged_from_ = -1;
  }

  /// Calls visit(source) for each around the cell, a lane's share in this lane; always in the same
  /// order. All lanes of a warp come together, with padding far away where there is no source.
  /// Every thread of the block must call it; where the whole warp is `idle`, it helps others to
  /// their sources only.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each_source(bool idle, Visit&& visit) {
    for (Index begin = 0; begin < Index{all_[0]};) {
      if (staged_from_ != begin) stage(begin);
      for (Index k = Team::lane(block_); !idle && k < staged_count_; k += Team::lanes) {
        const Source source = staged_[k];
        visit(source);
      }
      begin = staged_to_;
    }
  }

  /// From the frame that a source is staged in to that of the targets.
  PENCILBOX_DEVICE_FUNCTION Vec3<Pair> shift(const Source& source) const {
    if constexpr (frame == StagedFrame::targets) {
      return {};
    } else {
      return shifts_[source.place.code()];
    }
  }

 private:
  /// One warp finds the corners of the box that holds all targets. (At an open face that is not the
  /// cell: what has left the grid counts to the last.)
  PENCILBOX_DEVICE_FUNCTION void measure(const IndexRange& targets) const {
    Vec3<Pair> low = particles_.pair_position(targets.begin), high = low;
    for (Index i = targets.begin + block_.lane(); i < targets.end; i += block_.warp_size()) {
      widen(low, high, particles_.pair_position(i));
    }
    for (int distance = block_.warp_size() / 2; distance > 0; distance /= 2) {
      const Vec3<Pair> other_low{block_.shuffle_xor(low.x, distance),
                                 block_.shuffle_xor(low.y, distance),
                                 block_.shuffle_xor(low.z, distance)};
      const Vec3<Pair> other_high{block_.shuffle_xor(high.x, distance),
                                  block_.shuffle_xor(high.y, distance),
                                  block_.shuffle_xor(high.z, distance)};
      widen(low, high, other_low);
      widen(low, high, other_high);
    }
    if (block_.lane() != 0) return;
    corners_[0] = RoundedShift<Pair>{low};
    corners_[1] = RoundedShift<Pair>{high};
  }

  PENCILBOX_DEVICE_FUNCTION static void widen(Vec3<Pair>& low, Vec3<Pair>& high,
                                              const Vec3<Pair>& by) {
    low = {by.x < low.x ? by.x : low.x, by.y < low.y ? by.y : low.y, by.z < low.z ? by.z : low.z};
    high = {by.x > high.x ? by.x : high.x, by.y > high.y ? by.y : high.y,
            by.z > high.z ? by.z : high.z};
  }

  /// How far outside [low, high] it is, 0 inside.
  PENCILBOX_DEVICE_FUNCTION static Pair outside(Pair low, Pair high, Pair at) {
    const Pair below = low - at, above = at - high;
    const Pair most = below > above ? below : above;
    return most > Pair(0) ? most : Pair(0);
  }

  PENCILBOX_DEVICE_FUNCTION bool is_in_reach(const Source& source, const Vec3<Pair>& low,
                                             const Vec3<Pair>& high) const {
    const Vec3<Pair> at = source.position + shift(source);
    const Vec3<Pair> apart{outside(low.x, high.x, at.x), outside(low.y, high.y, at.y),
                           outside(low.z, high.z, at.z)};
    return dot(apart, apart) < reach_squared_;
  }

  /// As many sources from number `begin` on as there is room for. Each team takes a stretch of
  /// them, so that they stay in order.
  PENCILBOX_DEVICE_FUNCTION void stage(Index begin) {
    block_.barrier();          // whoever still reads the last piece
    constexpr Index most = 5;  // of a thread at a time, read before any is used
    const Index all = all_[0];
    Index count = 0, next = begin;
    while (next < all) {
      const Index wanted = smaller(most * block_.threads(), all - next);
      if (count > 0 && count + wanted > room_) break;
      const Index candidates = smaller(wanted, room_);
      count += candidates > 3 * block_.threads() ? keep_some<most>(next, candidates, count)
               : candidates > block_.threads()   ? keep_some<3>(next, candidates, count)
                                                 : keep_some<1>(next, candidates, count);
      next += candidates;
    }
    staged_count_ = (count + Team::lanes - 1) / Team::lanes * Team::lanes;
    for (Index k = count + block_.thread(); k < staged_count_; k += block_.threads()) {
      staged_[k] = Source::padding();
    }
    block_.barrier();
    staged_from_ = begin;
    staged_to_ = next;
  }

  /// Of `candidates` from number `next` on those in reach, to `place` and behind; how many.
  template <Index each>
  PENCILBOX_DEVICE_FUNCTION Index keep_some(Index next, Index candidates, Index place) const {
    const Index team = Team::number(block_), teams = Team::count(block_);
    const Index from = next + team * (each * Team::lanes), to = next + candidates;
    Source mine[each] = {};
    bool kept[each];
    const FilledCells::OfLane cell = cells_.of_lane(0);
    Index before_chunk = cell.before(block_, from);
    for (Index k = 0; k < each; ++k) {
      const Index chunk = from + k * Team::lanes;
      const std::uint32_t begins = cell.begins_in(block_, chunk);
      const ShiftedIndex first = cell.first_of(block_, before_chunk, begins);
      before_chunk += count_bits(begins);
      const Index number = chunk + Team::lane(block_);
      kept[k] = number < to;
      if (kept[k]) mine[k] = source(first + number);
    }
    const RoundedShift<Pair> low = corners_[0], high = corners_[1];
    Index of_team = 0;
    for (Index k = 0; k < each; ++k) {
      kept[k] = kept[k] && is_in_reach(mine[k], low.rounded, high.rounded);
      of_team += count_bits(Team::ballot(block_, kept[k]));
    }
    if (Team::lane(block_) == 0) kept_[team] = of_team;
    block_.barrier();
    Index all = 0, before = place;
    for (Index other = 0; other < teams; ++other) {
      const Index of_other = kept_[other];
      if (other < team) before += of_other;
      all += of_other;
    }
    for (Index k = 0; k < each; ++k) {
      const std::uint32_t votes = Team::ballot(block_, kept[k]);
      if (kept[k]) staged_[before + Team::votes_below(block_, votes)] = mine[k];
      before += count_bits(votes);
    }
    block_.barrier();  // before the numbers of the teams are written once more
    return all;
  }

  PENCILBOX_DEVICE_FUNCTION Source source(const ShiftedIndex& place) const {
    Vec3<Pair> position = particles_.pair_position(place.index());
    if constexpr (frame == StagedFrame::targets) {
      position += shifts_[place.code()];
    }
    return {position, place};
  }

  const Block& block_;
  const BinnedParticles<Precision>& particles_;
  Index room_;
  Pair reach_squared_;
  SharedWholeShifts<Pair> shifts_;
  SharedArray<RoundedShift<Pair>> corners_;  // [2] of the box that holds the targets
  FilledCells cells_;
  SharedArray<Index> kept_;                 // [32] of each team
  SharedArray<Index> all_;                  // [1] sources
  SharedArray<Source> staged_;              // [room]
  Index staged_from_ = -1, staged_to_ = 0;  // numbers
  Index staged_count_ = 0;                  // with padding
};

/// A few targets of a cell in a team's registers. In place of those beyond the cell's last there is
/// nobody, far from every source.
template <class Pair, int size>
struct TargetGroup {
  Index first = 0;  ///< particle
  Index count = 0;  ///< at most `size`; below 1 where a team has nothing to do
  bool warp_is_idle = false;
  ShiftedIndex first_place;  ///< as sources are numbered
  Vec3<Pair> position[size];

  template <class Precision>
  PENCILBOX_DEVICE_FUNCTION TargetGroup(const BinnedParticles<Precision>& particles,
                                        const IndexRange& cell, Index first_target, bool idle_warp)
      : first(first_target),
        count(smaller(cell.end - first_target, size)),
        warp_is_idle(idle_warp),
        first_place(ShiftedIndex::of(first_target, ShiftCode::none)) {
    for (int t = 0; t < size; ++t) {
      position[t] = t < count ? particles.pair_position(first + t)
                              : Pair(-1) * PackedPosition<Pair>::far_away();
    }
  }

  /// The last where there is none.
  PENCILBOX_DEVICE_FUNCTION Index particle(const IndexRange& cell, int t) const {
    return smaller(first + t, cell.end - 1);
  }
  /// Whether the source is this target itself, and not one of its images.
  PENCILBOX_DEVICE_FUNCTION bool is_itself(int t, const ShiftedIndex& source) const {
    return source.word - first_place.word == static_cast<std::uint32_t>(t);
  }
};

/// For all targets in the cells of this block: body(cell, group), where `around` knows the sources
/// around the cell that may be in reach of a target, and `group` is what this team takes of the
/// particles [cell.begin, cell.end). Every thread of the block must call it; each team gets as many
/// calls.
template <int size, class Around, class Precision, class Body>
PENCILBOX_DEVICE_FUNCTION void for_each_target_group(const Block& block, Around& around,
                                                     const BinnedParticles<Precision>& particles,
                                                     const NeighborhoodShape& shape, Body&& body) {
  const std::int64_t begin = block.index() * shape.cells_of_a_block;
  const auto end = static_cast<Index>(begin + shape.cells_of_a_block < particles.cells()
                                          ? begin + shape.cells_of_a_block
                                          : particles.cells());
  // Several: are all of them empty? One is looked at below.
  if (end - begin > 1 && particles.offset[begin] == particles.offset[end]) return;
  const Index team = Team::number(block);
  const Index first_team_of_warp = (block.thread() - block.lane()) / Team::lanes;
  for (auto c = static_cast<Index>(begin); c < end; ++c) {
    const IndexRange cell = particles.particles_of(c);
    if (cell.count() == 0 || !particles.has_targets_in(c)) continue;
    around.go_to(c, cell);
    for (Index first = cell.begin; first < cell.end; first += size * Team::count(block)) {
      TargetGroup<typename Precision::Pair, size> group(
          particles, cell, first + size * team, first + size * first_team_of_warp >= cell.end);
      body(cell, group);
    }
  }
}

}  // namespace pencilbox::PENCILBOX_DEVICE
