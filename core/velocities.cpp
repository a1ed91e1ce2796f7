#include "core/velocities.hpp"

#include <cmath>
#include <string>

#include "core/compensated_sum.hpp"
#include "core/error.hpp"
#include "core/rng.hpp"

namespace pencilbox {
namespace {

Double3 gaussian_velocity(double deviation, std::uint64_t seed, ParticleId id) {
  const auto name = static_cast<std::uint32_t>(id);
  const RandomPair xy = gaussian_pair(random_bits(seed, RandomStream::velocity, name, 0));
  const RandomPair z = gaussian_pair(random_bits(seed, RandomStream::velocity, name, 1));
  return {deviation * xy.first, deviation * xy.second, deviation * z.first};
}

void remove_mean_velocity(StartState& start) {
  std::array<CompensatedSum, 3> momentum;
  CompensatedSum total_mass;
  for (std::size_t i = 0; i < start.velocity.size(); ++i) {
    const double mass = start.mass_of(i);
    total_mass.add(mass);
    for (std::size_t d = 0; d < 3; ++d) momentum[d].add(mass * start.velocity[i][d]);
  }
  for (std::size_t d = 0; d < 3; ++d) {
    const double drift = momentum[d].value() / total_mass.value();
    for (Double3& velocity : start.velocity) velocity[d] -= drift;
  }
}

void scale_to(StartState& start, double temperature) {
  const double factor = std::sqrt(temperature / kinetic_temperature(start));
  for (Double3& velocity : start.velocity) {
    for (double& component : velocity) component *= factor;
  }
}

}  // namespace

void remove_centre_of_mass_motion(StartState& start) {
  // The second pass removes what rounding left of the momentum in the first.
  remove_mean_velocity(start);
  remove_mean_velocity(start);
}

double kinetic_temperature(const StartState& start) {
  if (start.size() < 2) return 0.0;
  CompensatedSum twice_kinetic;
  for (std::size_t i = 0; i < start.velocity.size(); ++i) {
    const auto [x, y, z] = start.velocity[i];
    twice_kinetic.add(start.mass_of(i) * (x * x + y * y + z * z));
  }
  return twice_kinetic.value() / (3.0 * static_cast<double>(start.size()) - 3.0);
}

void draw_velocities(StartState& start, double temperature, std::uint64_t seed) {
  if (start.size() < 2) {
    throw InputError("a single particle has no degree of freedom, so no temperature, got " +
                     std::to_string(start.size()) +
                     " particle, allowed: two or more particles, or no velocities section");
  }
  if (temperature == 0.0) {
    start.velocity.assign(start.id.size(), Double3{});
    return;
  }
  for (std::size_t i = 0; i < start.velocity.size(); ++i) {
    start.velocity[i] =
        gaussian_velocity(std::sqrt(temperature / start.mass_of(i)), seed, start.id[i]);
  }
  remove_centre_of_mass_motion(start);
  scale_to(start, temperature);
}

}  // namespace pencilbox
