// Maxwell-Boltzmann velocities: the distribution, the momentum, the temperature.
#include "core/velocities.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/compensated_sum.hpp"
#include "core/error.hpp"
#include "core/lattice.hpp"
#include "tests/support/start_states.hpp"

namespace pencilbox::testing {
namespace {

StartState crystal(std::int64_t cells) {
  return make_lattice({LatticeType::fcc, 0.8442, {cells, cells, cells}}, {true, true, true});
}

/// Two types, one four times as heavy, in turn.
StartState mixture(std::int64_t cells) {
  StartState start = crystal(cells);
  start.types = {{"light", 1.0}, {"heavy", 4.0}};
  for (std::size_t i = 0; i < start.type.size(); ++i) start.type[i] = static_cast<int>(i % 2);
  return start;
}

Double3 momentum(const StartState& start) {
  std::array<CompensatedSum, 3> total;
  for (std::size_t i = 0; i < start.velocity.size(); ++i) {
    const double mass = start.types[static_cast<std::size_t>(start.type[i])].mass;
    for (std::size_t d = 0; d < 3; ++d) total[d].add(mass * start.velocity[i][d]);
  }
  return {total[0].value(), total[1].value(), total[2].value()};
}

/// P value of the Kolmogorov-Smirnov test of `sample` against a Gaussian of this variance.
/// Marsaglia, Tsang and Wang, J. Stat. Softw. 8 (18), 1 (2003): the limit for large samples.
double ks_p_value(std::vector<double> sample, double variance) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double cdf = 0.5 * std::erfc(-sample[i] / std::sqrt(2.0 * variance));
    distance = std::max(
        {distance, cdf - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - cdf});
  }
  const double lambda = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  double p = 0.0;
  for (int k = 1; k <= 100; ++k) {
    p += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * lambda * lambda);
  }
  return std::clamp(p, 0.0, 1.0);
}

TEST(Velocities, AreMaxwellBoltzmannInNineteenOfTwentySeeds) {
  constexpr double temperature = 1.44;
  std::array<int, 3> passed{};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    StartState start = mixture(8);
    draw_velocities(start, temperature, seed);
    for (std::size_t d = 0; d < 3; ++d) {
      std::vector<double> scaled;
      for (std::size_t i = 0; i < start.velocity.size(); ++i) {
        const double mass = start.types[static_cast<std::size_t>(start.type[i])].mass;
        scaled.push_back(start.velocity[i][d] * std::sqrt(mass));
      }
      if (ks_p_value(scaled, temperature) > 0.01) ++passed[d];
    }
  }
  for (const int count : passed) EXPECT_GE(count, 19);
}

TEST(Velocities, HaveNoTotalMomentumAndTheExactTemperature) {
  for (const std::int64_t cells : {1, 2, 8, 20}) {
    StartState start = mixture(cells);
    draw_velocities(start, 1.44, 87287);
    const double n = static_cast<double>(start.size());
    for (const double component : momentum(start)) EXPECT_NEAR(component, 0.0, 1e-12);
    EXPECT_NEAR(kinetic_temperature(start), 1.44, 1e-14);
    EXPECT_NEAR(2.0 * kinetic_energy(start) / (3.0 * n - 3.0), 1.44, 1e-12);
  }
}

TEST(Velocities, ShareTheEnergyBetweenLightAndHeavy) {
  StartState start = mixture(20);
  draw_velocities(start, 2.0, 5);
  std::array<double, 2> energy{};
  for (std::size_t i = 0; i < start.velocity.size(); ++i) {
    const auto type = static_cast<std::size_t>(start.type[i]);
    for (const double v : start.velocity[i]) energy[type] += 0.5 * start.types[type].mass * v * v;
  }
  // 16000 particles each: the mean of 3/2 T has a standard error of sqrt(3/2) T / sqrt(16000).
  const double error = std::sqrt(1.5) * 2.0 / std::sqrt(16000.0);
  EXPECT_NEAR(energy[0] / 16000.0, 3.0, 4.0 * error);
  EXPECT_NEAR(energy[1] / 16000.0, 3.0, 4.0 * error);
}

TEST(Velocities, SpreadOfAComponentsEnergyIsThatOfItsGammaDistribution) {
  // The total is exact by construction, so the x component's share is what fluctuates:
  // KE_x / KE follows Beta(a, 2a), a = (N-1)/2, with mean 1/3 and variance 2 / (9 (3a + 1)).
  constexpr int draws = 200;
  StartState start = crystal(2);
  const double a = (static_cast<double>(start.size()) - 1.0) / 2.0;
  const double variance = 2.0 / (9.0 * (3.0 * a + 1.0));
  double sum = 0.0, square = 0.0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    draw_velocities(start, 1.0, seed);
    double along_x = 0.0;
    for (const Double3& v : start.velocity) along_x += 0.5 * v[0] * v[0];
    const double share = along_x / kinetic_energy(start) - 1.0 / 3.0;
    sum += share;
    square += share * share;
  }
  EXPECT_NEAR(sum / draws, 0.0, 3.0 * std::sqrt(variance / draws));
  EXPECT_NEAR(square / draws / variance, 1.0, 3.0 * std::sqrt(2.0 / draws));
}

TEST(Velocities, DependOnIdAndSeedNotOnTheirOrder) {
  StartState forward = crystal(2);
  StartState backward = forward;
  std::reverse(backward.id.begin(), backward.id.end());
  draw_velocities(forward, 1.0, 9);
  draw_velocities(backward, 1.0, 9);
  for (std::size_t i = 0; i < forward.velocity.size(); ++i) {
    const Double3& other = backward.velocity[forward.velocity.size() - 1 - i];
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(forward.velocity[i][d], other[d], 1e-14);
  }
  StartState other = crystal(2);
  draw_velocities(other, 1.0, 10);
  EXPECT_NE(forward.velocity, other.velocity);
}

TEST(Velocities, AreZeroAtTemperatureZero) {
  StartState start = crystal(2);
  draw_velocities(start, 0.0, 1);
  EXPECT_EQ(kinetic_temperature(start), 0.0);
}

TEST(Velocities, NeedTwoParticles) {
  StartState start = make_lattice({LatticeType::sc, 1.0, {1, 1, 1}}, {true, true, true});
  EXPECT_THROW(draw_velocities(start, 1.0, 1), InputError);
  StartState pair = make_lattice({LatticeType::sc, 1.0, {2, 1, 1}}, {true, true, true});
  draw_velocities(pair, 1.0, 1);
  EXPECT_NEAR(kinetic_temperature(pair), 1.0, 1e-14);
}

}  // namespace
}  // namespace pencilbox::testing
