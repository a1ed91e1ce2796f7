// What the lanes of a team have each, laid end to end and numbered through: in registers, found by
// shuffles.
#pragma once

#include "core/device/device.hpp"
#include "neighbor/walks/index_range.hpp"
#include "neighbor/walks/team.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

class EndToEnd {
 public:
  /// Every lane of the warp must call it, and what follows.
  PENCILBOX_DEVICE_FUNCTION EndToEnd(const Block& block, const IndexRange& of_lane)
      : block_(block), first_lane_(block.lane() - Team::lane(block)), end_(of_lane.count()) {
    const Index lane = Team::lane(block);
    for (Index distance = 1; distance < Team::lanes; distance *= 2) {
      const Index below = block.shuffle(end_, block.lane() - (lane < distance ? 0 : distance));
      if (lane >= distance) end_ += below;
    }
    first_less_number_ = of_lane.end - end_;
    total_ = of(end_, Team::lanes - 1);
  }

  PENCILBOX_DEVICE_FUNCTION Index total() const { return total_; }

  /// Whose this number is, for numbers below total().
  PENCILBOX_DEVICE_FUNCTION Index lane_of(Index number) const {
    Index before = 0;  // how many lanes' end before it
    for (Index step = Team::lanes / 2; step > 0; step /= 2) {
      if (number >= of(end_, before + step - 1)) before += step;
    }
    return before;
  }
  /// What of that lane's it is.
  PENCILBOX_DEVICE_FUNCTION Index index(Index number, Index lane) const {
    return of(first_less_number_, lane) + number;
  }
  /// The value of a lane of the team.
  template <class Value>
  PENCILBOX_DEVICE_FUNCTION Value of(Value value, Index lane) const {
    return block_.shuffle(value, first_lane_ + lane);
  }

 private:
  const Block& block_;
  Index first_lane_;         ///< of the team, in its warp
  Index end_;                ///< how many this lane and those before it have
  Index first_less_number_;  ///< this lane's first, less its number
  Index total_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
