// The Plummer sphere: where its mass lies, that it is in equilibrium, and that it rests.
#include "core/plummer_sphere.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/start_states.hpp"

namespace pencilbox::testing {
namespace {

constexpr double pi = 3.141592653589793;

/// With masses that sum to 1, velocities for G = 1, and its centre at the origin.
StartState cluster(const PlummerSphere& sphere) {
  StartState start = make_plummer_sphere(sphere);
  start.types[0].mass = 1.0 / static_cast<double>(sphere.count);
  draw_plummer_velocities(start, sphere, 1.0);
  remove_centre_of_mass(start);
  return start;
}

double length(const Double3& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

std::vector<double> sorted_radii(const StartState& start) {
  std::vector<double> radii;
  for (const Double3& position : start.position) radii.push_back(length(position));
  std::sort(radii.begin(), radii.end());
  return radii;
}

double potential_energy(const StartState& start) {
  double energy = 0.0;
  const double mass = start.types[0].mass;
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      Double3 apart{};
      for (std::size_t d = 0; d < 3; ++d) apart[d] = start.position[i][d] - start.position[j][d];
      energy -= mass * mass / length(apart);
    }
  }
  return energy;
}

TEST(PlummerSphere, HasItsMassWhereTheFormulaSays) {
  const StartState start = make_plummer_sphere({20000, 2.0, 7});
  const std::vector<double> radii = sorted_radii(start);
  // Kolmogorov and Smirnov: 1.63 / sqrt(N) is passed by one sample in a hundred.
  double distance = 0.0;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const double ratio = 2.0 / radii[i];
    const double within = std::pow(1.0 + ratio * ratio, -1.5) / plummer_mass_fraction;
    const double n = static_cast<double>(radii.size());
    distance = std::max({distance, std::abs(within - static_cast<double>(i) / n),
                         std::abs(static_cast<double>(i + 1) / n - within)});
  }
  EXPECT_LT(distance, 1.63 / std::sqrt(20000.0));
  // The density there makes the median's standard error 0.011 radii.
  EXPECT_NEAR(radii[10000] / 2.0, 1.305, 0.03);
  EXPECT_LT(radii.back(), 0.5 * start.box.edges[0]);
}

TEST(PlummerSphere, IsInEquilibrium) {
  const StartState start = cluster({2000, 1.0, 1});
  const double kinetic = kinetic_energy(start);
  const double potential = potential_energy(start);
  // 3 pi / 64 and 3 pi / 32, for an infinite sphere.
  EXPECT_NEAR(kinetic, 3.0 * pi / 64.0, 0.015);
  EXPECT_NEAR(potential, -3.0 * pi / 32.0, 0.015);
  EXPECT_NEAR(2.0 * kinetic / -potential, 1.0, 0.05);
}

TEST(PlummerSphere, IsIsotropicAndNoBodyEscapes) {
  const PlummerSphere sphere{20000, 1.5, 3};
  StartState start = make_plummer_sphere(sphere);
  start.types[0].mass = 1.0 / 20000.0;
  draw_plummer_velocities(start, sphere, 2.0);
  Double3 mean{}, square{};
  double radial = 0.0, total = 0.0;
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    const double r = length(start.position[i]);
    const double escape = std::sqrt(2.0 * 2.0 / 1.5) / std::pow(1.0 + r * r / 2.25, 0.25);
    EXPECT_LT(length(start.velocity[i]), 1.02 * escape);  // the momentum taken out is not in it
    double along = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double direction = start.position[i][d] / r;
      mean[d] += direction / 20000.0;
      square[d] += direction * direction / 20000.0;
      along += direction * start.velocity[i][d];
      total += start.velocity[i][d] * start.velocity[i][d];
    }
    radial += along * along;
  }
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(mean[d], 0.0, 4.0 / std::sqrt(3.0 * 20000.0));
    EXPECT_NEAR(square[d], 1.0 / 3.0, 4.0 * std::sqrt(4.0 / 45.0 / 20000.0));
  }
  EXPECT_NEAR(radial / total, 1.0 / 3.0, 0.015);
}

TEST(PlummerSphere, RestsWithItsCentreAtTheOrigin) {
  const StartState start = cluster({1001, 3.0, 5});
  for (std::size_t d = 0; d < 3; ++d) {
    double moment = 0.0, momentum = 0.0;
    for (std::size_t i = 0; i < start.position.size(); ++i) {
      moment += start.types[0].mass * start.position[i][d];
      momentum += start.types[0].mass * start.velocity[i][d];
    }
    EXPECT_NEAR(moment, 0.0, 1e-14);
    EXPECT_NEAR(momentum, 0.0, 1e-15);
  }
}

TEST(PlummerSphere, ABodysDrawDependsOnItsIdAndTheSeedOnly) {
  // So any number of threads, and any order, would draw the same.
  const StartState few = make_plummer_sphere({100, 1.0, 9});
  const StartState many = make_plummer_sphere({300, 1.0, 9});
  EXPECT_TRUE(std::equal(few.position.begin(), few.position.end(), many.position.begin()));
  EXPECT_NE(make_plummer_sphere({100, 1.0, 10}).position, few.position);
  EXPECT_EQ(cluster({100, 1.0, 9}).velocity, cluster({100, 1.0, 9}).velocity);
}

TEST(PlummerSphere, OfOneBodyRestsAtTheOrigin) {
  const StartState start = cluster({1, 1.0, 1});
  EXPECT_EQ(start.position[0], (Double3{0, 0, 0}));
  EXPECT_EQ(start.velocity[0], (Double3{0, 0, 0}));
}

}  // namespace
}  // namespace pencilbox::testing
