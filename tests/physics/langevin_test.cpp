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
    const auto simulation = device_backends().front().device->make(setup);
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
  const auto simulation = device_backends().front().device->make(setup);
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
  const auto simulation = device_backends().front().device->make(in_bath(setup, 2.0, 2.0));
  simulation->advance(400);
  const auto freedom = 3.0 * static_cast<double>(setup.start.size());
  EXPECT_NEAR(simulation->observe().temperature / 2.0, 1.0, 4.0 * std::sqrt(2.0 / freedom));
}

TEST(Langevin, ConservesWhatTheBathDidNotGive) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::force_shift);
  setup.timestep = 0.004;
  setup.precision = Precision::double_;
  const auto simulation = device_backends().front().device->make(in_bath(setup, 1.0, 1.0));
  simulation->advance(500);
  const auto particles = static_cast<double>(setup.start.size());
  const Observation start = simulation->observe();
  double largest = 0.0, exchanged = 0.0;
  for (int k = 0; k < 40; ++k) {
    simulation->advance(50);
    const Observation now = simulation->observe();
    largest =
        std::max(largest, std::abs(now.conserved_energy - start.conserved_energy) / particles);
    exchanged =
        std::max(exchanged, std::abs(now.total_energy() - start.total_energy()) / particles);
  }
  EXPECT_GT(exchanged, 0.02) << "the bath was to give and take";
  EXPECT_LT(largest, 2e-3);
}

TEST(Langevin, WithoutFrictionItIsVelocityVerlet) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::force_shift);
  setup.precision = Precision::double_;
  setup.deterministic = true;
  const DeviceApi& host = *device_backends().front().device;
  const auto bath = host.make(in_bath(setup, 1.0, 1e-12));
  SimulationSetup verlet = in_bath(setup, 1.0, 1.0);
  verlet.integrator = "velocity-verlet";
  verlet.parameters = {};
  const auto constant = host.make(verlet);
  bath->advance(50);
  constant->advance(50);
  // The noise of 50 steps: sqrt(2 friction T t), 7e-7.
  EXPECT_LT(largest_difference(velocities_of(*bath), velocities_of(*constant)), 1e-5);
}

/// Noise belongs to the particle and the step, whoever computes them.
TEST(Langevin, EveryBackEndHasTheSameTrajectory) {
  SimulationSetup start = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::force_shift);
  start.precision = Precision::double_;
  const auto first = device_backends().front().device->make(in_bath(start, 1.0, 5.0));
  first->advance(20);
  const std::vector<Double3> expected = velocities_of(*first);
  for (const DeviceBackend& backend : device_backends()) {
    SimulationSetup setup = in_bath(start, 1.0, 5.0);
    setup.backend = backend.info.name;
    setup.options = default_options(backend.info);
    const auto other = backend.device->make(setup);
    other->advance(7);
    other->advance(13);
    EXPECT_LT(largest_difference(velocities_of(*other), expected), 1e-9) << backend.name();
  }
}

}  // namespace
}  // namespace pencilbox::testing
