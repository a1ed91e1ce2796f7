// The order that makes the best fours of up to 32 particles of a cell: halved along x, halves along
// y and quarters along z, each of them full before the next begins. Neighbours in it are near each
// other, so few particles are in range of any of four; and all fours have the shape of an eighth,
// so their rows of sources are about as long.
#pragma once

#include <cstdint>

#include "core/vec3.hpp"
#include "neighbor/walks/team.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// A lane has a particle. All lanes of a warp must call what is here.
template <class Real>
class OrderInHalves {
 public:
  /// `place`: of this lane's particle, relative to the centre of a cell with these sides.
  PENCILBOX_DEVICE_FUNCTION OrderInHalves(const Block& block, const Vec3<Real>& side,
                                          const Vec3<Real>& place, bool is_there)
      : block_(block), first_lane_(block.lane() - Team::lane(block)) {
    const std::uint32_t x = key(place.x, side.x, is_there), y = key(place.y, side.y, is_there),
                        z = key(place.z, side.z, is_there);
    sort_by<32>(x);
    sort_by<16>(y);
    sort_by<8>(z);
  }

  /// Which lane of the team has the particle that comes at the place of this lane.
  PENCILBOX_DEVICE_FUNCTION Index source() const { return source_; }

 private:
  static constexpr std::uint32_t lane_bits = 5, steps = 1U << 26;

  /// A coordinate in steps of a cell; what is outside is at its faces, nobody comes last.
  PENCILBOX_DEVICE_FUNCTION static std::uint32_t key(Real coordinate, Real side, bool is_there) {
    const Real at = (coordinate / side + Real(0.5)) * Real(steps);
    if (!is_there) return steps;
    if (!(at > Real(0))) return 0;
    return at < Real(steps - 1) ? static_cast<std::uint32_t>(at) : steps - 1;
  }

  /// Those in each `count` lanes that follow each other, by the keys that their lanes have; of
  /// equal ones the lane tells.
  template <int count>
  PENCILBOX_DEVICE_FUNCTION void sort_by(std::uint32_t key_of_lane) {
    const std::uint32_t its = block_.shuffle(key_of_lane, first_lane_ + source_);
    std::uint32_t key = its << lane_bits | static_cast<std::uint32_t>(source_);
    const Index lane = Team::lane(block_);
    for (int sorted = 2; sorted <= count; sorted *= 2) {
      const bool descends = sorted < count && (lane & sorted) != 0;
      for (int distance = sorted / 2; distance > 0; distance /= 2) {
        const std::uint32_t other = block_.shuffle_xor(key, distance);
        const bool takes_larger = ((lane & distance) != 0) != descends;
        key = (other > key) == takes_larger ? other : key;
      }
    }
    source_ = static_cast<Index>(key & ((1U << lane_bits) - 1U));
  }

  const Block& block_;
  int first_lane_;
  Index source_ = Team::lane(block_);
};

}  // namespace pencilbox::PENCILBOX_DEVICE
