// The cells around a cell laid end to end, held by the lanes of a team, one cell a lane: whoever
// asks for number k gets the particle there, whatever each cell holds. No shared memory, and all
// cells are looked up at once.
#pragma once

#include "core/device/device.hpp"
#include "neighbor/binned_particles.hpp"
#include "neighbor/walks/shift_code.hpp"
#include "neighbor/walks/team.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

class CellsEndToEnd {
 public:
  /// Those that are met by `first_code` and the codes behind it. Every lane of the warp must call
  /// it, and find().
  template <class Precision>
  PENCILBOX_DEVICE_FUNCTION CellsEndToEnd(const Block& block,
                                          const BinnedParticles<Precision>& particles,
                                          const CellCoordinates& home, Index first_code)
      : block_(block),
        first_lane_(block.lane() / Team::lanes * Team::lanes),
        first_code_(first_code) {
    const Index lane = Team::lane(block), code = first_code + lane;
    IndexRange cell{};
    if (code < ShiftCode::count) {
      cell = ShiftCode::particles(particles.grid, particles.offset, home, code);
    }
    home_ = {of_lane(cell.begin, ShiftCode::none - first_code),
             of_lane(cell.end, ShiftCode::none - first_code)};
    end_ = cell.count();
    for (Index distance = 1; distance < Team::lanes; distance *= 2) {
      const Index below = block.shuffle(end_, block.lane() - (lane < distance ? 0 : distance));
      if (lane >= distance) end_ += below;
    }
    first_less_number_ = cell.end - end_;
    total_ = of_lane(end_, Team::lanes - 1);
  }

  /// The particles of the cell itself.
  PENCILBOX_DEVICE_FUNCTION IndexRange home() const { return home_; }

  PENCILBOX_DEVICE_FUNCTION Index total() const { return total_; }

  /// The particle with this number, and by which code its cell is met; for numbers below total().
  PENCILBOX_DEVICE_FUNCTION ShiftedIndex find(Index number) const {
    Index place = 0;  // how many cells end before it
    for (Index step = Team::lanes / 2; step > 0; step /= 2) {
      if (number >= of_lane(end_, place + step - 1)) place += step;
    }
    return ShiftedIndex::of(of_lane(first_less_number_, place) + number, first_code_ + place);
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Index of_lane(Index value, Index lane) const {
    return block_.shuffle(value, first_lane_ + lane);
  }

  const Block& block_;
  Index first_lane_;  ///< of the team, in its warp
  Index first_code_;
  IndexRange home_;
  Index end_;                ///< how many particles this lane's cell and those before it hold
  Index first_less_number_;  ///< the first particle of this lane's cell, less its number
  Index total_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
