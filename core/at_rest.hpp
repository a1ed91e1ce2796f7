// Completes a start whose positions are made by rule: ids in order, one type, at rest.
#pragma once

#include <numeric>

#include "core/start_state.hpp"

namespace pencilbox {

/// From `start.position`: ids 1..N, all of type 0, velocities and images zero.
inline void fill_at_rest(StartState& start) {
  const std::size_t count = start.position.size();
  start.id.resize(count);
  std::iota(start.id.begin(), start.id.end(), ParticleId{1});
  start.type.assign(count, 0);
  start.velocity.assign(count, Double3{});
  start.image.assign(count, {0, 0, 0});
}

}  // namespace pencilbox
