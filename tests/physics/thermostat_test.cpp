// Thermostats of the whole system, stochastic velocity rescaling and Nose-Hoover chains: the
// distributions that they must give, what they conserve, and that they are the same everywhere.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/validate/statistics.hpp"
#include "core/velocities.hpp"
#include "tests/support/heat_bath.hpp"

namespace pencilbox::testing {
namespace {

SimulationSetup liquid(int cells) {
  SimulationSetup setup =
      make_lj_setup(thermal_crystal(cells, 0.8442), 2.5, Truncation::force_shift);
  setup.timestep = 0.004;
  setup.precision = Precision::double_;
  return setup;
}

IntegratorParameters parameters_of(const std::string& thermostat, double temperature,
                                   double relaxation_time, double seed) {
  IntegratorParameters parameters{{"temperature", temperature},
                                  {"relaxation_time", relaxation_time}};
  if (thermostat == "nose-hoover") {
    parameters["chain_length"] = 3.0;
  } else {
    parameters["seed"] = seed;
  }
  return parameters;
}

class Thermostat : public ::testing::TestWithParam<std::string> {
 protected:
  static SimulationSetup in_bath(SimulationSetup setup, double temperature, double relaxation_time,
                                 double seed = 1.0) {
    return with_integrator(std::move(setup), GetParam(),
                           parameters_of(GetParam(), temperature, relaxation_time, seed));
  }
};

TEST_P(Thermostat, VelocitiesAreThoseOfTheTemperature) {
  int good = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulationSetup setup = liquid(3);
    draw_velocities(setup.start, 2.0, seed);
    const auto simulation = host().make(in_bath(setup, 1.3, 0.1, static_cast<double>(seed)));
    simulation->advance(800);
    std::vector<double> numbers;
    for (const Double3& v : velocities_of(*simulation)) {
      for (const double component : v) numbers.push_back(component / std::sqrt(1.3));
    }
    good += kolmogorov_smirnov(numbers, cumulative_normal) > 0.01 ? 1 : 0;
  }
  EXPECT_GE(good, 19);
}

/// Mean N_f T/2 and variance N_f T^2/2: a thermostat that only holds the mean fails.
TEST_P(Thermostat, TheKineticEnergyIsCanonical) {
  const SimulationSetup setup = liquid(3);
  const auto simulation = host().make(in_bath(setup, 1.0, 0.1));
  simulation->advance(1000);
  const int samples = 2000;
  double sum = 0.0, squares = 0.0;
  for (int k = 0; k < samples; ++k) {
    simulation->advance(10);
    const double temperature = simulation->observe().temperature;
    sum += temperature;
    squares += temperature * temperature;
  }
  const double mean = sum / samples;
  const double freedom = 3.0 * static_cast<double>(setup.start.size()) - 3.0;
  EXPECT_NEAR(mean, 1.0, 0.01);
  EXPECT_NEAR((squares / samples - mean * mean) / (2.0 / freedom), 1.0, 0.2);
}

TEST_P(Thermostat, ConservesWhatTheBathDidNotGive) {
  const LargestChanges largest = changes_in_bath(in_bath(liquid(4), 1.0, 0.5));
  EXPECT_GT(largest.total_energy, 0.02) << "the bath was to give and take";
  EXPECT_LT(largest.conserved_energy, 5e-4);
}

TEST_P(Thermostat, AFarBathLeavesVelocityVerlet) {
  const auto bath = host().make(in_bath(liquid(4), 1.0, 1e12));
  const auto constant = host().make(with_integrator(liquid(4), "velocity-verlet", {}));
  bath->advance(50);
  constant->advance(50);
  // What it draws in 50 steps: sqrt(50 dt/relaxation_time), 4e-7 of a kinetic energy's spread.
  EXPECT_LT(largest_difference(velocities_of(*bath), velocities_of(*constant)), 1e-6);
}

TEST_P(Thermostat, MomentumStays) {
  const auto simulation = host().make(in_bath(liquid(4), 1.0, 0.1));
  simulation->advance(1000);
  const Observation sums = simulation->observe();
  const double scale = std::sqrt(2.0 * sums.kinetic_energy);
  for (const double component : sums.momentum) EXPECT_LT(std::abs(component) / scale, 1e-12);
}

/// In steps taken one by one, or several at once; with and without a list.
TEST_P(Thermostat, EveryBackEndHasTheSameTrajectory) {
  expect_same_trajectory_everywhere(in_bath(liquid(4), 1.0, 0.05));
}

/// Halves that are looked at between are those that are done in one.
TEST_P(Thermostat, LookingChangesNoBit) {
  SimulationSetup setup = liquid(3);
  setup.deterministic = true;
  for (const Precision precision : {Precision::single, Precision::mixed, Precision::double_}) {
    setup.precision = precision;
    const auto looked_at = host().make(in_bath(setup, 1.0, 0.05));
    const auto alone = host().make(in_bath(setup, 1.0, 0.05));
    for (int k = 0; k < 12; ++k) looked_at->advance(1, LastStep::forces_only);
    alone->advance(12, LastStep::forces_only);
    EXPECT_EQ(velocities_of(*looked_at), velocities_of(*alone));
  }
}

TEST_P(Thermostat, OneParticleHasNoTemperatureToChange) {
  SimulationSetup setup = free_particles(1);
  setup.start.id.resize(1);
  setup.start.type.resize(1);
  setup.start.position.resize(1);
  setup.start.image.resize(1);
  setup.start.velocity = {{0.5, -0.25, 0.125}};
  const auto simulation = host().make(in_bath(setup, 1.0, 0.1));
  simulation->advance(20);
  EXPECT_EQ(velocities_of(*simulation).front(), (Double3{0.5, -0.25, 0.125}));
}

/// What is at rest has no velocities to scale; the first forces give it some.
TEST_P(Thermostat, AStartAtRestWarmsUp) {
  SimulationSetup setup = liquid(3);
  for (Double3& velocity : setup.start.velocity) velocity = {};
  setup.start.position.front()[0] += 0.1;
  const auto simulation = host().make(in_bath(setup, 1.0, 0.1));
  simulation->advance(3000);
  EXPECT_NEAR(simulation->observe().temperature, 1.0, 0.5);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Thermostat, ::testing::Values("velocity-rescaling", "nose-hoover"),
                         [](const auto& kind) {
                           std::string name = kind.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace pencilbox::testing
