// Where a list expects particles to be, from where they are: core/look_ahead.hpp once more, in the
// plainest way.
#pragma once

#include <cmath>

#include "core/box.hpp"

namespace pencilbox::testing {

/// As its velocity takes it in half of so many steps, and a force that stays, which adds `kick` to
/// a velocity in a step, between what it does in that time and in twice the time. The latter is no
/// more than half of what the list can bear, both together no more than all of it.
inline Double3 way_ahead(const Double3& velocity, const Double3& kick, double steps,
                         double timestep, double farthest) {
  const auto shortened = [](Double3 way, double longest) {
    const double length = std::hypot(way[0], way[1], way[2]);
    for (double& component : way) component *= length > longest ? longest / length : 1.0;
    return way;
  };
  const double time = 0.5 * steps * timestep;
  const double kicks = 0.5 * time * (0.6 * steps + 1.0);
  const Double3 bend =
      shortened({kicks * kick[0], kicks * kick[1], kicks * kick[2]}, 0.5 * farthest);
  Double3 way{};
  for (std::size_t d = 0; d < 3; ++d) way[d] = time * velocity[d] + bend[d];
  return shortened(way, farthest);
}

}  // namespace pencilbox::testing
