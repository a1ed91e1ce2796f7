// The sources around a cell for a warp by itself, without a barrier of its block: it numbers those
// in the 27 cells through, takes as many at a time as it has lanes, and keeps in shared memory
// those that are in reach of a box with targets; once there are enough, all its lanes have one to
// visit. What comes in which order depends on neither the width of a warp nor the number of warps.
#pragma once

#include <cmath>
#include <limits>

#include "core/device/device.hpp"
#include "core/device/read_ahead.hpp"
#include "neighbor/binned_particles.hpp"
#include "neighbor/walks/filled_cells.hpp"
#include "neighbor/walks/shared_shifts.hpp"
#include "neighbor/walks/shift_code.hpp"
#include "neighbor/walks/team.hpp"
#include "neighbor/walks/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// The smallest box with all of a warp's targets, relative to the centre of their cell.
template <class Pair>
struct TargetBox {
  Vec3<Pair> centre;
  Vec3<Pair> half;  ///< of its sides

  /// Around a position of each lane. All lanes of the warp must call it.
  PENCILBOX_DEVICE_FUNCTION static TargetBox around(const Block& block, const Vec3<Pair>& mine) {
    Vec3<Pair> low = mine, high = mine;
    for (int distance = block.warp_size() / 2; distance > 0; distance /= 2) {
      low = {std::fmin(low.x, block.shuffle_xor(low.x, distance)),
             std::fmin(low.y, block.shuffle_xor(low.y, distance)),
             std::fmin(low.z, block.shuffle_xor(low.z, distance))};
      high = {std::fmax(high.x, block.shuffle_xor(high.x, distance)),
              std::fmax(high.y, block.shuffle_xor(high.y, distance)),
              std::fmax(high.z, block.shuffle_xor(high.z, distance))};
    }
    const Vec3<Pair> centre = Pair(0.5) * (low + high);
    const Vec3<Pair> above = high - centre, below = centre - low;
    return {
        centre,
        {std::fmax(above.x, below.x), std::fmax(above.y, below.y), std::fmax(above.z, below.z)}};
  }

  /// Squared, from its surface to a place relative to its centre; 0 inside.
  PENCILBOX_DEVICE_FUNCTION Pair distance_squared(const Vec3<Pair>& place) const {
    const Vec3<Pair> outside{std::fmax(std::fabs(place.x) - half.x, Pair(0)),
                             std::fmax(std::fabs(place.y) - half.y, Pair(0)),
                             std::fmax(std::fabs(place.z) - half.z, Pair(0))};
    return dot(outside, outside);
  }
};

/// In reach of a box, as it is kept: two reads.
template <class Pair>
struct alignas(4 * sizeof(Pair)) SourceInReach {
  Vec3<Pair> position;  ///< relative to the centre of the box
  ShiftedIndex place;   ///< which particle it is, and by which of 27 shifts its cell was met
};

template <class Precision>
class WarpNeighborhood {
  // In chunks of as many as a warp has lanes.
  static constexpr Index chunks_at_a_time = 4;  // read before any is used
  static constexpr Index room = 9;              // for those kept

 public:
  using Pair = typename Precision::Pair;
  using Source = SourceInReach<Pair>;

  /// Of a block's shared memory.
  static constexpr std::size_t bytes(int threads) {
    const auto lanes = static_cast<std::size_t>(threads);
    return SharedWholeShifts<Pair>::bytes + alignof(Source) +
           FilledCells::bytes(threads / Team::lanes) +
           lanes * room * (sizeof(Source) + sizeof(Pair));
  }

  /// Every thread of the block must call it; they meet at a barrier before any goes to a cell.
  PENCILBOX_DEVICE_FUNCTION WarpNeighborhood(const Block& block,
                                             const BinnedParticles<Precision>& particles)
      : block_(block),
        particles_(particles),
        shifts_(block, particles.grid),
        sources_(block.shared<Source>(room * block.threads())),
        margin_(block.shared<Pair>(room * block.threads())),
        cells_(block, warps_of(block)),
        place_(room * block.warp() * block.warp_size()) {}

  /// Finds the 27 cells around this one. All lanes of the warp must call it, as all that follows.
  PENCILBOX_DEVICE_FUNCTION void go_to(Index cell) {
    block_.warp_barrier();  // whoever still reads of the last cell
    all_ = cells_.look_up(particles_, cell, block_.warp());
    block_.warp_barrier();
  }

  /// Keeps sources that are within `reach_squared` of the box, and calls visit(count) whenever some
  /// are there: whole warps of them, the last time with padding. Each has the margin
  /// `limit` - |position|^2.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each_piece(const TargetBox<Pair>& box, Pair reach_squared,
                                                Pair limit, Visit&& visit) const {
    Index kept = 0;
    for (Index next = 0; next < all_;) {
      do {
        kept = keep(box, reach_squared, limit, next, kept);
        next += chunks_at_a_time * block_.warp_size();
      } while (next < all_ && kept <= (room - chunks_at_a_time) * block_.warp_size());
      if (next >= all_) kept = pad(kept);
      block_.warp_barrier();
      const Index whole = kept & ~(block_.warp_size() - 1);
      visit(whole);
      block_.warp_barrier();
      kept -= whole;
      if (next < all_) move_down(whole, kept);
    }
  }

  /// Of those kept.
  PENCILBOX_DEVICE_FUNCTION Source source(Index k) const { return sources_[place_ + k]; }
  PENCILBOX_DEVICE_FUNCTION Pair margin(Index k) const { return margin_[place_ + k]; }

 private:
  PENCILBOX_DEVICE_FUNCTION Index keep(const TargetBox<Pair>& box, Pair reach_squared, Pair limit,
                                       Index next, Index kept) const {
    const FilledCells::OfLane cell = cells_.of_lane(block_.warp());
    Source mine[chunks_at_a_time];
    for (Index k = 0; k < chunks_at_a_time; ++k) {
      const Index number = next + k * block_.warp_size() + block_.lane();
      mine[k] = source_of(cell, number);
    }
    for (Index k = 0; k < chunks_at_a_time; ++k) {
      Source& source = mine[k];
      source.position = source.position - box.centre;
      const Index number = next + k * block_.warp_size() + block_.lane();
      const bool is_kept = box.distance_squared(source.position) < reach_squared && number < all_;
      const Block::Votes votes = block_.ballot(is_kept);
      if (is_kept) {
        const Index place = place_ + kept + count_bits(lanes_below(block_, votes));
        sources_[place] = source;
        margin_[place] = limit - dot(source.position, source.position);
      }
      kept += count_bits(votes);
    }
    return kept;
  }

  /// Behind the last: the last.
  PENCILBOX_DEVICE_FUNCTION Source source_of(const FilledCells::OfLane& cell, Index number) const {
    const Index chunk = number - Team::lane(block_);
    const Index before = cell.before(block_, chunk);
    const std::uint32_t begins = cell.begins_in(block_, chunk);
    const ShiftedIndex place = cell.first_of(block_, before, begins) + smaller(number, all_ - 1);
    return {read_ahead(particles_.packed + place.index()).position + shifts_[place.code()], place};
  }

  PENCILBOX_DEVICE_FUNCTION Index pad(Index kept) const {
    const Index whole = (kept + block_.warp_size() - 1) & ~(block_.warp_size() - 1);
    if (kept + block_.lane() < whole) {
      const Index place = place_ + kept + block_.lane();
      sources_[place] = {};
      margin_[place] = std::numeric_limits<Pair>::lowest();
    }
    return whole;
  }

  PENCILBOX_DEVICE_FUNCTION void move_down(Index from, Index count) const {
    if (block_.lane() < count && from > 0) {
      const Source source = sources_[place_ + from + block_.lane()];
      const Pair margin = margin_[place_ + from + block_.lane()];
      sources_[place_ + block_.lane()] = source;
      margin_[place_ + block_.lane()] = margin;
    }
    block_.warp_barrier();
  }

  const Block& block_;
  const BinnedParticles<Precision>& particles_;
  SharedWholeShifts<Pair> shifts_;
  SharedArray<Source> sources_;  // [room] of each thread
  SharedArray<Pair> margin_;     // likewise
  FilledCells cells_;            // of each warp
  Index place_;                  // of this warp's sources
  Index all_ = 0;                // sources in the 27 cells
};

}  // namespace pencilbox::PENCILBOX_DEVICE
