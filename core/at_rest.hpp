// Completes a start whose positions are made by rule: ids in order, one type, at rest.
#pragma once

#include <numeric>

#include "core/in_pieces.hpp"
#include "core/pages.hpp"
#include "core/start_state.hpp"

namespace pencilbox {

/// From `start.position`: ids 1..N, all of type 0, velocities and images zero.
inline void fill_at_rest(StartState& start) {
  const auto count = static_cast<std::int64_t>(start.position.size());
  make_large(start.id, count);
  for_each_piece(count, [&](std::int64_t begin, std::int64_t end) {
    std::iota(start.id.begin() + begin, start.id.begin() + end, static_cast<ParticleId>(begin + 1));
  });
  make_large(start.type, count);
  make_large(start.velocity, count);
  make_large(start.image, count);
}

}  // namespace pencilbox
