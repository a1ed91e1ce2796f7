// What tests ask of start states.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/start_state.hpp"

namespace pencilbox::testing {

/// Of all pairs, through periodic faces.
inline double nearest_distance(const StartState& start) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double square = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        double difference = start.position[i][d] - start.position[j][d];
        if (start.box.periodic[d]) {
          difference -= std::round(difference / start.box.edges[d]) * start.box.edges[d];
        }
        square += difference * difference;
      }
      nearest = std::min(nearest, std::sqrt(square));
    }
  }
  return nearest;
}

/// Of all particles.
inline double kinetic_energy(const StartState& start) {
  double twice = 0.0;
  for (std::size_t i = 0; i < start.velocity.size(); ++i) {
    const double mass = start.types[static_cast<std::size_t>(start.type[i])].mass;
    for (const double v : start.velocity[i]) twice += mass * v * v;
  }
  return 0.5 * twice;
}

}  // namespace pencilbox::testing
