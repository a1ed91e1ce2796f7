// Langevin dynamics: the velocities that it must give, what it conserves, and whose noise is whose.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/validate/statistics.hpp"
#include "tests/support/heat_bath.hpp"

namespace pencilbox::testing {
namespace {

SimulationSetup in_bath(SimulationSetup setup, double temperature, double friction,
                        double seed = 1.0) {
  return with_integrator(std::move(setup), "langevin",
                         {{"temperature", temperature}, {"friction", friction}, {"seed", seed}});
}

TEST(Langevin, VelocitiesAreThoseOfTheTemperature) {
  int good = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const SimulationSetup setup = in_bath(free_particles(5), 1.7, 1.0, seed);
    const auto simulation = host().make(setup);
    simulation->advance(400);  // eight relaxation times from rest: exp(-16) is left of it
    std::vector<double> numbers;
    for (const Double3& v : velocities_of(*simulation)) {
      for (const double component : v) numbers.push_back(component / std::sqrt(1.7));
    }
    good += kolmogorov_smirnov(numbers, cumulative_normal) > 0.01 ? 1 : 0;
  }
  EXPECT_GE(good, 19);
}

/// <v(0) v(t)> = T/m exp(-friction t), which the splitting gives exactly for free particles.
TEST(Langevin, AVelocityIsForgottenAtTheRateOfTheFriction) {
  SimulationSetup setup = in_bath(free_particles(8), 1.0, 0.5);
  const auto simulation = host().make(setup);
  simulation->advance(800);
  const std::vector<Double3> before = velocities_of(*simulation);
  simulation->advance(100);  // one relaxation time of 2
  const std::vector<Double3> after = velocities_of(*simulation);
  double correlation = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) correlation += before[i][d] * after[i][d];
  }
  const auto n = 3.0 * static_cast<double>(before.size());
  EXPECT_NEAR(correlation / n, std::exp(-1.0), 4.0 / std::sqrt(n));
}

TEST(Langevin, HeavyParticlesHaveTheSameEnergy) {
  SimulationSetup setup = free_particles(6);
  setup.start.types[0].mass = 9.0;
  const auto simulation = host().make(in_bath(setup, 2.0, 2.0));
  simulation->advance(400);
  const auto freedom = 3.0 * static_cast<double>(setup.start.size());
  EXPECT_NEAR(simulation->observe().temperature / 2.0, 1.0, 4.0 * std::sqrt(2.0 / freedom));
}

TEST(Langevin, ConservesWhatTheBathDidNotGive) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::force_shift);
  setup.timestep = 0.004;
  setup.precision = Precision::double_;
  const LargestChanges largest = changes_in_bath(in_bath(setup, 1.0, 1.0));
  EXPECT_GT(largest.total_energy, 0.02) << "the bath was to give and take";
  EXPECT_LT(largest.conserved_energy, 2e-3);
}

TEST(Langevin, WithoutFrictionItIsVelocityVerlet) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::force_shift);
  setup.precision = Precision::double_;
  setup.deterministic = true;
  const auto bath = host().make(in_bath(setup, 1.0, 1e-12));
  SimulationSetup verlet = in_bath(setup, 1.0, 1.0);
  verlet.integrator = "velocity-verlet";
  verlet.parameters = {};
  const auto constant = host().make(verlet);
  bath->advance(50);
  constant->advance(50);
  // The noise of 50 steps: sqrt(2 friction T t), 7e-7.
  EXPECT_LT(largest_difference(velocities_of(*bath), velocities_of(*constant)), 1e-5);
}

/// Noise belongs to the particle and the step, whoever computes them.
TEST(Langevin, EveryBackEndHasTheSameTrajectory) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::force_shift);
  setup.precision = Precision::double_;
  expect_same_trajectory_everywhere(in_bath(setup, 1.0, 5.0));
}

}  // namespace
}  // namespace pencilbox::testing
