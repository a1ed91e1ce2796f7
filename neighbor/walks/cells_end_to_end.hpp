// The cells around a cell laid end to end, held by the lanes of a team, one cell a lane: whoever
// asks for number k gets the particle there, whatever each cell holds. No shared memory, and all
// cells are looked up at once.
#pragma once

#include "core/device/device.hpp"
#include "neighbor/binned_particles.hpp"
#include "neighbor/walks/particles_around.hpp"
#include "neighbor/walks/shift_code.hpp"
#include "neighbor/walks/team.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Pair>
class CellsEndToEnd {
 public:
  /// A particle, by which code its cell is met, and the shift to that cell.
  struct Found {
    ShiftedIndex place;
    Vec3<Pair> shift;
  };

  /// Those that are met by `first_code` and the codes behind it. Every lane of the warp must call
  /// it, and find().
  template <class Precision>
  PENCILBOX_DEVICE_FUNCTION CellsEndToEnd(const Block& block,
                                          const BinnedParticles<Precision>& particles,
                                          const CellCoordinates& home, Index first_code)
      : block_(block),
        lane_(block.thread() & (block.warp_size() - 1)),
        first_lane_(lane_ & ~(Team::lanes - 1)),
        first_code_(first_code) {
    const Index lane = lane_ - first_lane_, code = first_code + lane;
    IndexRange cell{};
    if (code < ShiftCode::count) {
      const Index layer = code / 9, row = code / 3;
      const CellCoordinates step{code - 3 * row - 1, row - 3 * layer - 1, layer - 1};
      cell = particles_around(particles, home + step);
      shift_ = particles.grid.shift(step.x, step.y, step.z).rounded;
    }
    home_ = {of_lane(cell.begin, ShiftCode::none - first_code),
             of_lane(cell.end, ShiftCode::none - first_code)};
    end_ = cell.count();
    for (Index distance = 1; distance < Team::lanes; distance *= 2) {
      const Index below = block.shuffle(end_, lane_ - (lane < distance ? 0 : distance));
      if (lane >= distance) end_ += below;
    }
    first_less_number_ = cell.end - end_;
    total_ = of_lane(end_, Team::lanes - 1);
  }

  /// Of this lane in its warp.
  PENCILBOX_DEVICE_FUNCTION Index lane() const { return lane_; }

  /// The particles of the cell itself.
  PENCILBOX_DEVICE_FUNCTION IndexRange home() const { return home_; }

  PENCILBOX_DEVICE_FUNCTION Index total() const { return total_; }

  /// The particle with this number, for numbers below total().
  PENCILBOX_DEVICE_FUNCTION Found find(Index number) const {
    Index before = 0;  // how many cells end before it
    for (Index step = Team::lanes / 2; step > 0; step /= 2) {
      if (number >= of_lane(end_, before + step - 1)) before += step;
    }
    return {ShiftedIndex::of(of_lane(first_less_number_, before) + number, first_code_ + before),
            {of_lane(shift_.x, before), of_lane(shift_.y, before), of_lane(shift_.z, before)}};
  }

 private:
  template <class Value>
  PENCILBOX_DEVICE_FUNCTION Value of_lane(Value value, Index lane) const {
    return block_.shuffle(value, first_lane_ + lane);
  }

  const Block& block_;
  Index lane_;
  Index first_lane_;  ///< of the team, in its warp
  Index first_code_;
  IndexRange home_;
  Index end_;                ///< how many particles this lane's cell and those before it hold
  Index first_less_number_;  ///< the first particle of this lane's cell, less its number
  Vec3<Pair> shift_;         ///< to this lane's cell
  Index total_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
