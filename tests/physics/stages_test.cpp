// Stages that follow each other, temperatures that change along the way, and momentum that is taken
// out.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/ramp_parameter.hpp"
#include "tests/support/exact_state.hpp"
#include "tests/support/heat_bath.hpp"

namespace pencilbox::testing {
namespace {

SimulationSetup liquid(StartState start = thermal_crystal(4, 0.8442)) {
  SimulationSetup setup = make_lj_setup(std::move(start), 2.5, Truncation::force_shift);
  setup.timestep = 0.004;
  setup.precision = Precision::double_;
  return with_integrator(std::move(setup), "velocity-verlet", {});
}

IntegratorParameters bath(const std::string& thermostat, double from, double to) {
  IntegratorParameters parameters = bath_parameters(thermostat, from, 5.0, 0.1);
  parameters[ramp_end("temperature")] = to;
  return parameters;
}

class TemperatureRamp : public ::testing::TestWithParam<std::string> {
 protected:
  static SimulationSetup ramp(double from, double to, std::int64_t steps) {
    SimulationSetup setup = with_integrator(liquid(), GetParam(), bath(GetParam(), from, to));
    setup.steps = steps;
    return setup;
  }
};

double mean_temperature(Simulation& simulation, int samples) {
  double sum = 0.0;
  for (int k = 0; k < samples; ++k) {
    simulation.advance(10);
    sum += simulation.observe().temperature;
  }
  return sum / samples;
}

/// A fluctuation of 5 % in each sample, of which some 40 are independent.
TEST_P(TemperatureRamp, EndsAtItsTemperature) {
  const auto simulation = host().make(ramp(2.0, 0.8, 2000));
  simulation->advance(800);
  EXPECT_NEAR(mean_temperature(*simulation, 40), 1.4, 0.12) << "half-way";
  simulation->advance(800);
  EXPECT_NEAR(mean_temperature(*simulation, 100), 0.8, 0.04) << "and stays there";
}

/// Nobody looks, and still the temperature changes: within a batch, or a graph of many steps.
TEST_P(TemperatureRamp, IsKnownWithoutTheHost) {
  const SimulationSetup setup = ramp(2.0, 0.5, 64);
  const auto alone = host().make(setup);
  const auto looked_at = host().make(setup);
  alone->advance(64, LastStep::forces_only);
  for (int k = 0; k < 64; ++k) looked_at->advance(1, LastStep::forces_only);
  EXPECT_LT(largest_difference(velocities_of(*alone), velocities_of(*looked_at)), 1e-9);
  const auto stays = host().make(ramp(2.0, 2.0, 64));
  stays->advance(64, LastStep::forces_only);
  EXPECT_GT(largest_difference(velocities_of(*alone), velocities_of(*stays)), 1e-3);
}

TEST_P(TemperatureRamp, ToTheSameTemperatureIsNone) {
  SimulationSetup setup = ramp(1.2, 1.2, 40);
  setup.deterministic = true;
  const auto ramped = host().make(setup);
  setup.parameters.erase(ramp_end("temperature"));
  const auto constant = host().make(setup);
  ramped->advance(40);
  constant->advance(40);
  expect_same(ramped->exact_state(), constant->exact_state());
  EXPECT_EQ(ramped->observe().conserved_energy, constant->observe().conserved_energy);
}

/// What the bath gave is known along a ramp, too: a conserved energy that drifts tells of the
/// timestep, and not of the ramp.
TEST_P(TemperatureRamp, ConservesWhatTheBathDidNotGive) {
  const LargestChanges largest = changes_in_bath(ramp(1.5, 0.7, 2500));
  EXPECT_GT(largest.total_energy, 0.5) << "the bath was to take much";
  EXPECT_LT(largest.conserved_energy, 5e-3);
}

TEST_P(TemperatureRamp, EveryBackEndHasTheSameTrajectory) {
  expect_same_trajectory_everywhere(ramp(1.5, 0.5, 20));
}

TEST_P(TemperatureRamp, GoesOnInTheMiddle) {
  SimulationSetup setup = ramp(1.5, 0.5, 60);
  setup.deterministic = true;
  const auto whole = host().make(setup);
  whole->advance(30, LastStep::forces_only);
  const auto parts = host().resume(setup, whole->exact_state());
  whole->advance(30);
  parts->advance(30);
  expect_same(parts->exact_state(), whole->exact_state());
  EXPECT_EQ(parts->observe().conserved_energy, whole->observe().conserved_energy);
}

INSTANTIATE_TEST_SUITE_P(Kinds, TemperatureRamp,
                         ::testing::Values("langevin", "velocity-rescaling", "nose-hoover"),
                         [](const auto& kind) {
                           std::string name = kind.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

double total_momentum(Simulation& simulation) {
  const Double3 p = simulation.observe().momentum;
  return std::hypot(p[0], p[1], p[2]);
}

SimulationSetup drifting(Precision precision) {
  StartState start = thermal_crystal(4, 0.8442);
  start.types.push_back({"B", 3.0});
  for (std::size_t i = 0; i < start.velocity.size(); ++i) {
    start.type[i] = static_cast<std::int32_t>(i % 2);
    start.velocity[i][0] += 0.5;
    start.velocity[i][2] -= 1.0;
  }
  SimulationSetup setup = liquid(std::move(start));
  setup.precision = precision;
  return setup;
}

TEST(ZeroMomentum, IsTakenOutWhereAStageBegins) {
  const Bars residue{1e-11, 1e-11, 1e-3};  // a float of 1 is as fine as 6e-8, and there are 256
  for (const Precision precision : {Precision::single, Precision::mixed, Precision::double_}) {
    SimulationSetup setup = drifting(precision);
    EXPECT_GT(total_momentum(*host().make(setup)), 500.0);
    setup.zero_momentum_every = 0;
    EXPECT_LT(total_momentum(*host().make(setup)), residue.of(precision));
  }
}

TEST(ZeroMomentum, IsTakenOutAgainAtMultiples) {
  SimulationSetup setup = liquid();
  setup = with_integrator(std::move(setup), "langevin",
                          {{"temperature", 1.0}, {"friction", 1.0}, {"seed", 1.0}});
  setup.zero_momentum_every = 10;
  const auto simulation = host().make(setup);
  simulation->advance(25);
  EXPECT_GT(total_momentum(*simulation), 0.1) << "noise gives some";
  simulation->advance(5);
  EXPECT_LT(total_momentum(*simulation), 1e-11);
}

/// Neither does the conserved energy jump there, nor does it matter when the host looks.
TEST(ZeroMomentum, IsCounted) {
  SimulationSetup setup = with_integrator(drifting(Precision::double_), "langevin",
                                          {{"temperature", 1.0}, {"friction", 1.0}, {"seed", 1.0}});
  const double with_drift = host().make(setup)->observe().total_energy();
  setup.zero_momentum_every = 10;
  setup.deterministic = true;
  const auto simulation = host().make(setup);
  const Observation start = simulation->observe();
  EXPECT_LT(start.total_energy(), with_drift - 100.0);
  EXPECT_NEAR(start.conserved_energy, with_drift, 1e-9);
  const auto looked_at = host().resume(setup, simulation->exact_state());
  simulation->advance(400);
  EXPECT_NEAR(simulation->observe().conserved_energy, with_drift, 0.002 * 256);
  for (int k = 0; k < 57; ++k) looked_at->advance(7, LastStep::forces_only);
  looked_at->advance(1);
  expect_same(looked_at->exact_state(), simulation->exact_state());
}

TEST(ZeroMomentum, EveryBackEndHasTheSameTrajectory) {
  SimulationSetup setup = drifting(Precision::double_);
  setup.zero_momentum_every = 5;
  expect_same_trajectory_everywhere(setup);
}

/// The rule of motion is another from step 20 on.
StageSettings verlet_from(std::int64_t step) {
  StageSettings stage;
  stage.integrator = "velocity-verlet";
  stage.timestep = 0.002;
  stage.first_step = step;
  stage.first_time = 0.08;
  stage.steps = 20;
  return stage;
}

/// The second stage is the run that goes on from the state where the first one ended, to the bit;
/// with a list, too, which is older than the stage.
TEST(Stages, AreRunsThatAreJoined) {
  for (const DeviceBackend& backend : device_backends()) {
    if (backend.device->kind() == "host" && backend.info.needs_blocks) continue;
    SimulationSetup setup = liquid();
    setup.backend = backend.info.name;
    setup.options = default_options(backend.info);
    setup.deterministic = true;
    setup.integrator = "langevin";
    setup.parameters = bath("langevin", 1.5, 0.7);
    setup.steps = 20;
    const auto staged = backend.device->make(setup);
    staged->advance(20, LastStep::forces_only);
    ExactState state = staged->exact_state();
    staged->begin_stage(verlet_from(20));
    staged->advance(20);

    static_cast<StageSettings&>(setup) = verlet_from(20);
    state.integrator.clear();
    const auto second = backend.device->resume(setup, state);
    second->advance(20);
    expect_same(second->exact_state(), staged->exact_state());
    EXPECT_DOUBLE_EQ(staged->observe().time, 0.08 + 20 * 0.002) << backend.name();
    EXPECT_EQ(second->observe().time, staged->observe().time);
  }
}

/// A stage of the same rule is none.
TEST(Stages, OfOneRuleAreOneRun) {
  SimulationSetup setup = liquid();
  setup.deterministic = true;
  const auto whole = host().make(setup);
  whole->advance(20);
  whole->advance(20);
  const auto staged = host().make(setup);
  staged->advance(20);
  StageSettings same = setup;
  same.first_step = 20;
  same.first_time = 20 * setup.timestep;
  staged->begin_stage(same);
  staged->advance(20);
  expect_same(staged->exact_state(), whole->exact_state());
}

}  // namespace
}  // namespace pencilbox::testing
