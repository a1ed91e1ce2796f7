// Particles at random as a start: a gas, or a dilute liquid whose particles keep a distance.
#pragma once

#include <cstdint>

#include "core/start_state.hpp"

namespace pencilbox {

struct RandomPlacement {
  std::int64_t count = 1;      ///< particles, >= 1
  Double3 box{1.0, 1.0, 1.0};  ///< sides [sigma], lower corner at the origin
  std::uint64_t seed = 1;
  double minimum_distance = 0.0;  ///< between any two particles [sigma]; 0: none
};

/// How often a particle is placed anew before the start is given up.
inline constexpr int placement_tries = 2000;

/// `count` particles, uniform in the box, one type "A" of mass 1, at rest. A particle nearer than
/// the minimum distance to one before it (nearest image in periodic directions) is placed anew.
/// Throws InputError, saying how many particles found a place, if one does not in
/// `placement_tries` tries, or if the minimum distance exceeds a periodic side.
StartState make_random_start(const RandomPlacement& placement, const Bool3& periodic);

}  // namespace pencilbox
