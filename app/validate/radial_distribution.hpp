// The radial distribution function of frames, on the host, and its first peak.
#pragma once

#include <cstdint>
#include <vector>

#include "core/observation.hpp"

namespace pencilbox {

class RadialDistribution {
 public:
  /// Bins of equal width from 0 to `reach`, which is at most half of the shortest side of the box.
  RadialDistribution(double reach, double width);

  /// Adds all pairs of a frame of one type in a periodic box, positions wrapped into it.
  void add(const Frame& frame);

  /// The mean over the frames, one value a bin, 1 where particles do not know of each other.
  std::vector<double> values() const;

  /// The middle of a bin.
  double distance(std::size_t bin) const { return (static_cast<double>(bin) + 0.5) * width_; }

 private:
  double width_;
  std::vector<std::int64_t> counts_;  ///< undirected pairs
  double pairs_by_volume_ = 0.0;      ///< summed over the frames: of particles alike everywhere
};

struct Peak {
  double position = 0.0;
  double height = 0.0;
};

/// The highest point, by a parabola through the bins around the highest one: a single bin is as
/// noisy as what it counted.
Peak highest_peak(const RadialDistribution& distribution);

}  // namespace pencilbox
