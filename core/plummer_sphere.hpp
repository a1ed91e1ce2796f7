// A Plummer sphere as a start: a cluster of bodies in equilibrium under its own gravity, the
// standard test of N-body programs. Aarseth, Henon and Wielen, A comparison of numerical methods
// for the study of star cluster dynamics, Astron. Astrophys. 37, 183 (1974), appendix.
//
//   mass within r        M (1 + a^2/r^2)^(-3/2)
//   speed of escape      sqrt(2 G M / a) (1 + r^2/a^2)^(-1/4)
//   speed / escape = q   distributed like q^2 (1 - q^2)^(7/2), in any direction
#pragma once

#include <cstdint>

#include "core/start_state.hpp"

namespace pencilbox {

struct PlummerSphere {
  std::int64_t count = 1;  ///< bodies, >= 1
  double radius = 1.0;     ///< scale radius a, > 0
  std::uint64_t seed = 1;
};

/// The sphere has no edge: of 10,000 bodies the outermost would lie at 120 radii or so, and one
/// grid has to hold them all. So the outermost thousandth of the mass is left out, which ends the
/// sphere at 38.7 radii.
inline constexpr double plummer_mass_fraction = 0.999;

/// Positions: `count` bodies at rest, one type "A" of mass 1, in an open cubic box around the
/// origin that holds the whole sphere. A body's draws depend on `seed` and its id only.
StartState make_plummer_sphere(const PlummerSphere& sphere);

/// Velocities for the bodies' present types and masses. Gravity softened by much less than the
/// radius hardly differs from the plain gravity that they balance. No total momentum.
void draw_plummer_velocities(StartState& start, const PlummerSphere& sphere,
                             double gravitational_constant);

/// Moves the centre of mass to the origin.
void remove_centre_of_mass(StartState& start);

}  // namespace pencilbox
