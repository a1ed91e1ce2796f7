// Where forces are large enough for quanta that are made for a liquid: in a gas the largest may be
// a thousandth.
#pragma once

#include <algorithm>

#include "core/interactions/lennard_jones_model.hpp"

namespace pencilbox {

/// The cutoff, or what a cutoff usually is, if that is more [sigma].
inline double reach_for_quanta(const LennardJonesModel& model) {
  constexpr double usual_cutoff = 2.5;  // of the smallest sigma
  double smallest = model.pairs.front().sigma;
  for (const PairCoefficients& pair : model.pairs) smallest = std::min(smallest, pair.sigma);
  return std::max(model.largest_cutoff(), usual_cutoff * smallest);
}

/// Whether a cube of this reach has a few particles in the mean.
inline bool dense_enough_for_quanta(double particles, double volume, double reach) {
  constexpr double fewest_in_reach = 4.0;
  return particles * reach * reach * reach >= fewest_in_reach * volume;
}

}  // namespace pencilbox
