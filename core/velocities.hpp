// Velocities of a start.
#pragma once

#include <cstdint>

#include "core/start_state.hpp"

namespace pencilbox {

/// Draws velocities from the Maxwell-Boltzmann distribution (each component Gaussian with variance
/// temperature / mass), then takes the motion of the centre of mass out and scales, so that the
/// total momentum is zero and 2 KE / (3N - 3) is the temperature exactly. A particle's draw depends
/// on `seed` and its id only. Throws InputError for fewer than two particles: one alone has no
/// degree of freedom left.
void draw_velocities(StartState& start, double temperature, std::uint64_t seed);

/// Takes the motion of the centre of mass out: no total momentum but what rounding leaves.
void remove_centre_of_mass_motion(StartState& start);

/// 2 KE / (3N - 3), the temperature of the velocities; 0 for a single particle.
double kinetic_temperature(const StartState& start);

}  // namespace pencilbox
