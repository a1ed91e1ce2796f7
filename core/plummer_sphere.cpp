#include "core/plummer_sphere.hpp"

#include <cmath>

#include "core/at_rest.hpp"
#include "core/compensated_sum.hpp"
#include "core/rng.hpp"
#include "core/velocities.hpp"

namespace pencilbox {
namespace {

/// Within which this fraction of the mass lies, in scale radii.
double radius_within(double mass_fraction) {
  return 1.0 / std::sqrt(std::pow(mass_fraction, -2.0 / 3.0) - 1.0);
}

/// Of this length, uniform over the sphere's surface.
Double3 in_any_direction(double length, const RandomPair& uniform) {
  constexpr double two_pi = 6.283185307179586;
  const double z = 1.0 - 2.0 * uniform.first;
  const double across = std::sqrt(1.0 - z * z);
  const double angle = two_pi * uniform.second;
  return {length * across * std::cos(angle), length * across * std::sin(angle), length * z};
}

RandomPair draw(const PlummerSphere& sphere, RandomStream stream, ParticleId id,
                std::uint32_t index) {
  return uniform_pair(random_bits(sphere.seed, stream, static_cast<std::uint32_t>(id), index));
}

/// Speed over speed of escape, by von Neumann's rejection.
double draw_relative_speed(const PlummerSphere& sphere, ParticleId id) {
  constexpr double bound = 0.1;  // the distribution's greatest value is 0.0922
  for (std::uint32_t attempt = 0;; ++attempt) {
    const auto [q, height] = draw(sphere, RandomStream::velocity, id, 1 + attempt);
    if (bound * height < q * q * std::pow(1.0 - q * q, 3.5)) return q;
  }
}

double total_mass(const StartState& start) {
  CompensatedSum mass;
  for (std::size_t i = 0; i < start.type.size(); ++i) mass.add(start.mass_of(i));
  return mass.value();
}

}  // namespace

StartState make_plummer_sphere(const PlummerSphere& sphere) {
  StartState start;
  const double end = sphere.radius * radius_within(plummer_mass_fraction);
  start.box.lower = {-end, -end, -end};
  start.box.edges = {2.0 * end, 2.0 * end, 2.0 * end};
  start.box.periodic = {false, false, false};
  start.types = {ParticleType{"A", 1.0}};
  start.position.reserve(static_cast<std::size_t>(sphere.count));
  for (std::int64_t k = 1; k <= sphere.count; ++k) {
    const auto id = static_cast<ParticleId>(k);
    const double within = plummer_mass_fraction * draw(sphere, RandomStream::position, id, 0).first;
    start.position.push_back(in_any_direction(sphere.radius * radius_within(within),
                                              draw(sphere, RandomStream::position, id, 1)));
  }
  fill_at_rest(start);
  return start;
}

void draw_plummer_velocities(StartState& start, const PlummerSphere& sphere,
                             double gravitational_constant) {
  const double central =
      std::sqrt(2.0 * gravitational_constant * total_mass(start) / sphere.radius);
  for (std::size_t i = 0; i < start.velocity.size(); ++i) {
    const auto [x, y, z] = start.position[i];
    const double r2 = (x * x + y * y + z * z) / (sphere.radius * sphere.radius);
    const double escape = central / std::sqrt(std::sqrt(1.0 + r2));
    const double speed = escape * draw_relative_speed(sphere, start.id[i]);
    start.velocity[i] =
        in_any_direction(speed, draw(sphere, RandomStream::velocity, start.id[i], 0));
  }
  remove_centre_of_mass_motion(start);
}

void remove_centre_of_mass(StartState& start) {
  std::array<CompensatedSum, 3> moment;
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) moment[d].add(start.mass_of(i) * start.position[i][d]);
  }
  const double mass = total_mass(start);
  for (std::size_t d = 0; d < 3; ++d) {
    for (Double3& position : start.position) position[d] -= moment[d].value() / mass;
  }
}

}  // namespace pencilbox
