// The cells around a cell that hold particles, one after the other in shared memory, so that lanes
// may number all their particles through: found by a warp at once, and asked by bits.
// (cells_end_to_end.hpp has them in registers, with a search for each number.)
#pragma once

#include <limits>

#include "core/device/device.hpp"
#include "neighbor/binned_particles.hpp"
#include "neighbor/walks/shift_code.hpp"
#include "neighbor/walks/team.hpp"
#include "neighbor/walks/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

class FilledCells {
 public:
  static constexpr std::size_t bytes(Index sets) {
    return static_cast<std::size_t>(sets) * 2 * Team::lanes * sizeof(Index);
  }

  /// Room for so many cells with what is around them. Every thread of the block must call it.
  PENCILBOX_DEVICE_FUNCTION FilledCells(const Block& block, Index sets)
      : block_(block),
        first_(block.shared<ShiftedIndex>(sets * Team::lanes)),
        number_(block.shared<Index>(sets * Team::lanes)) {}

  /// A warp looks up the 27 cells around this one; how many particles they hold. All its lanes must
  /// call it, and meet whoever reads the set before and after.
  template <class Precision>
  PENCILBOX_DEVICE_FUNCTION Index look_up(const BinnedParticles<Precision>& of, Index cell,
                                          Index set) const {
    const Index code = block_.lane();
    IndexRange particles{};
    if (code < ShiftCode::count) {
      particles = ShiftCode::particles(of.grid, of.offset, of.grid.coordinates(cell), code);
    }
    const Index end = warp_inclusive_sum(block_, particles.count());
    const Index begin = end - particles.count();
    const Block::Votes votes = block_.ballot(particles.count() > 0);
    if (particles.count() > 0) {
      const Index place = set * Team::lanes + count_bits(lanes_below(block_, votes));
      first_[place] = ShiftedIndex::of(particles.begin, code) + (-begin);
      number_[place] = begin;
    }
    if (code >= count_bits(votes) && code < Team::lanes) {
      first_[set * Team::lanes + code] = ShiftedIndex{};
      number_[set * Team::lanes + code] = beyond_all;
    }
    return block_.shuffle(end, ShiftCode::count - 1);
  }

  /// The cell that a lane holds for its team while they number particles through.
  struct OfLane {
    ShiftedIndex first;  ///< particle, less its number
    Index number;        ///< of that particle among all

    /// How many cells begin before number `chunk`. All lanes of the warp must call it, and what
    /// follows.
    PENCILBOX_DEVICE_FUNCTION Index before(const Block& block, Index chunk) const {
      return count_bits(Team::ballot(block, number < chunk));
    }
    /// A bit for each of the 32 numbers from `chunk` on with which a cell begins.
    PENCILBOX_DEVICE_FUNCTION std::uint32_t begins_in(const Block& block, Index chunk) const {
      const auto behind = static_cast<std::uint32_t>(number - chunk);
      return block.bits_of_any(behind < static_cast<std::uint32_t>(Team::lanes) ? 1U << behind
                                                                                : 0U);
    }
    /// The first particle, less its number, of the cell in which this lane's number of a chunk is:
    /// `before` cells begin before the chunk, and in it those of `begins`.
    PENCILBOX_DEVICE_FUNCTION ShiftedIndex first_of(const Block& block, Index before,
                                                    std::uint32_t begins) const {
      const Index cell = before + Team::votes_up_to(block, begins) - 1;
      const Index first_lane = block.lane() - Team::lane(block);
      return {block.shuffle(first.word, first_lane + cell)};
    }
  };

  PENCILBOX_DEVICE_FUNCTION OfLane of_lane(Index set) const {
    const Index place = set * Team::lanes + Team::lane(block_);
    return {first_[place], number_[place]};
  }

 private:
  static constexpr Index beyond_all = std::numeric_limits<Index>::max();

  const Block& block_;
  SharedArray<ShiftedIndex> first_;
  SharedArray<Index> number_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
