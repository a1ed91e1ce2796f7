// Which sources are near a few targets, by few operations for each.
#pragma once

#include <limits>

#include "neighbor/walks/cell_neighborhood.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// The targets of a group as seen from the first of them, c. A source at s from there is within r
/// of a target where |c|^2 - 2 c s < r^2 - |s|^2: three operations a target, and what the right
/// side takes once. What rounding may cost is added to r^2: nobody that is near is left out.
template <class Pair, int size>
class NearTargets {
 public:
  PENCILBOX_DEVICE_FUNCTION NearTargets(const TargetGroup<Pair, size>& group, Pair radius_squared)
      : first_(group.position[0]) {
    Pair farthest{};
    for (int t = 0; t < size; ++t) {
      const Vec3<Pair> from_first = group.position[t] - first_;
      square_[t] = dot(from_first, from_first);
      minus_twice_[t] = Pair(-2) * from_first;
      if (t < group.count && square_[t] > farthest) farthest = square_[t];
    }
    // Each of some six roundings is of (2 extent + radius)^2 at most, half an epsilon of it.
    constexpr Pair rounding = Pair(32) * std::numeric_limits<Pair>::epsilon();
    limit_ = times_plus(rounding, farthest + radius_squared, radius_squared);
  }

  /// Whether the source is near any of them.
  PENCILBOX_DEVICE_FUNCTION bool has(const Vec3<Pair>& source) const {
    const Vec3<Pair> from_first = source - first_;
    const Pair squared = dot(from_first, from_first);
    bool is_near = squared < limit_;  // the first
    for (int t = 1; t < size; ++t) {
      is_near = left_side(t, from_first) < limit_ - squared || is_near;
    }
    return is_near;
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Pair left_side(int t, const Vec3<Pair>& source) const {
    const auto& [x, y, z] = minus_twice_[t];
    return times_plus(x, source.x, times_plus(y, source.y, times_plus(z, source.z, square_[t])));
  }

  Vec3<Pair> first_;
  Vec3<Pair> minus_twice_[size];
  Pair square_[size];
  Pair limit_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
