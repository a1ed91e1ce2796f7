#include "core/velocities.hpp"

#include <array>
#include <cmath>
#include <string>

#include "core/compensated_sum.hpp"
#include "core/error.hpp"
#include "core/in_pieces.hpp"
#include "core/rng.hpp"

namespace pencilbox {
namespace {

Double3 gaussian_velocity(double deviation, std::uint64_t seed, ParticleId id) {
  const auto name = static_cast<std::uint32_t>(id);
  const RandomPair xy = gaussian_pair(random_bits(seed, RandomStream::velocity, name, 0));
  const RandomPair z = gaussian_pair(random_bits(seed, RandomStream::velocity, name, 1));
  return {deviation * xy.first, deviation * xy.second, deviation * z.first};
}

/// Of terms_of(row), an array for each particle, whose numbers are summed up each by itself.
template <std::size_t size, class Terms>
std::array<double, size> sums_over_rows(const StartState& start, const Terms& terms_of) {
  using Sums = std::array<CompensatedSum, size>;
  const auto sum_up = [&](std::int64_t begin, std::int64_t end) {
    Sums sums;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::array<double, size> terms = terms_of(i);
      for (std::size_t k = 0; k < size; ++k) sums[k].add(terms[k]);
    }
    return sums;
  };
  Sums all;
  for (const Sums& of_piece : of_each_piece<Sums>(start.size(), sum_up)) {
    for (std::size_t k = 0; k < size; ++k) all[k].add(of_piece[k]);
  }
  std::array<double, size> values{};
  for (std::size_t k = 0; k < size; ++k) values[k] = all[k].value();
  return values;
}

void remove_mean_velocity(StartState& start) {
  const auto [x, y, z, mass] = sums_over_rows<4>(start, [&](std::size_t i) {
    const double mass_of_one = start.mass_of(i);
    const auto& [u, v, w] = start.velocity[i];
    return std::array{mass_of_one * u, mass_of_one * v, mass_of_one * w, mass_of_one};
  });
  const Double3 drift{x / mass, y / mass, z / mass};
  for_each_in_pieces(start.size(), [&](std::size_t i) {
    for (std::size_t d = 0; d < 3; ++d) start.velocity[i][d] -= drift[d];
  });
}

void scale_to(StartState& start, double temperature) {
  const double factor = std::sqrt(temperature / kinetic_temperature(start));
  for_each_in_pieces(start.size(), [&](std::size_t i) {
    for (double& component : start.velocity[i]) component *= factor;
  });
}

}  // namespace

void remove_centre_of_mass_motion(StartState& start) {
  // The second pass removes what rounding left of the momentum in the first.
  remove_mean_velocity(start);
  remove_mean_velocity(start);
}

double kinetic_temperature(const StartState& start) {
  if (start.size() < 2) return 0.0;
  const auto [twice_kinetic] = sums_over_rows<1>(start, [&](std::size_t i) {
    const auto& [x, y, z] = start.velocity[i];
    return std::array{start.mass_of(i) * (x * x + y * y + z * z)};
  });
  return twice_kinetic / (3.0 * static_cast<double>(start.size()) - 3.0);
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
  for_each_in_pieces(start.size(), [&](std::size_t i) {
    start.velocity[i] =
        gaussian_velocity(std::sqrt(temperature / start.mass_of(i)), seed, start.id[i]);
  });
  remove_centre_of_mass_motion(start);
  scale_to(start, temperature);
}

}  // namespace pencilbox
