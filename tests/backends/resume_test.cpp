// A simulation that goes on from an exact state takes the very steps that the other would have
// taken: every back end, every integrator, every precision, to the last bit.
#include <cmath>
#include <sstream>

#include "core/error.hpp"
#include "core/lattice.hpp"
#include "core/ramp_parameter.hpp"
#include "core/velocities.hpp"
#include "tests/support/every_backend.hpp"
#include "tests/support/exact_state.hpp"

namespace pencilbox::testing {
namespace {

/// A hot liquid of two types, so that particles change cells, cross faces and differ.
SimulationSetup small_liquid(const Bool3& periodic = {true, true, true}) {
  Lattice lattice;
  lattice.density = 0.8442;
  lattice.cells = {4, 4, 4};
  SimulationSetup setup = make_lj_setup(make_lattice(lattice, periodic), 2.5, Truncation::cut);
  draw_velocities(setup.start, 5.0, 1);
  setup.deterministic = true;
  return setup;
}

class Resume : public EveryBackend {
 protected:
  SimulationSetup setup_with(const std::string& integrator, const Bool3& periodic) const {
    SimulationSetup setup = small_liquid(periodic);
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.integrator = integrator;
    setup.precision = precision();
    return setup;
  }
};

TEST_P(Resume, GoesOnBitForBit) {
  for (const IntegratorInfo& info : backend().device->integrators()) {
    const std::string& integrator = info.name;
    SimulationSetup setup = setup_with(integrator, {true, true, true});
    for (const ParameterInfo& parameter : info.parameters) {
      setup.parameters[parameter.name] = is_ramp_end(parameter.name) ? 0.5 : 1.0;
    }
    setup.steps = 7;
    setup.zero_momentum_every = 3;
    const auto whole = backend().device->make(setup);
    whole->advance(4, LastStep::forces_only);
    const ExactState middle = whole->exact_state();
    EXPECT_EQ(middle.step, 4);
    whole->advance(3);
    const Observation sums = whole->observe();

    const auto resumed = backend().device->resume(setup, middle);
    expect_same(resumed->exact_state(), middle);
    EXPECT_EQ(resumed->step(), 4);
    resumed->advance(1, LastStep::forces_only);
    resumed->advance(2);
    EXPECT_EQ(resumed->observe().total_energy(), sums.total_energy()) << integrator;
    if (std::isnan(sums.conserved_energy)) {
      EXPECT_TRUE(std::isnan(resumed->observe().conserved_energy)) << integrator;
    } else {
      EXPECT_EQ(resumed->observe().conserved_energy, sums.conserved_energy) << integrator;
    }
    expect_same(resumed->exact_state(), whole->exact_state());
  }
}

PENCILBOX_WHERE(Resume, has_a_fixed_order);

DeviceBackend host_backend() { return device_backends().front(); }

SimulationSetup with_backend(SimulationSetup setup, const DeviceBackend& backend) {
  setup.backend = backend.info.name;
  setup.options = default_options(backend.info);
  setup.integrator = "velocity-verlet";
  return setup;
}

TEST(ResumeElsewhere, AnotherBackEndGoesOnToTheSameEnergy) {
  const auto first = host_backend().device->make(with_backend(small_liquid(), host_backend()));
  first->advance(5, LastStep::forces_only);
  const ExactState middle = first->exact_state();
  first->advance(5);
  const double energy = first->observe().total_energy();
  for (const DeviceBackend& backend : device_backends()) {
    if (!has_a_fixed_order({backend, Precision::double_})) continue;  // the run is deterministic
    const auto resumed = backend.device->resume(with_backend(small_liquid(), backend), middle);
    resumed->advance(5);
    // Pairs are summed in float: 1e-6 of the energy of all pairs.
    EXPECT_NEAR(resumed->observe().total_energy(), energy, 1e-6 * std::abs(energy))
        << backend.name();
  }
}

TEST(ResumeElsewhere, AnOpenBoxKeepsItsGrid) {
  const SimulationSetup setup = with_backend(small_liquid({false, false, false}), host_backend());
  const auto whole = host_backend().device->make(setup);
  whole->advance(20);
  const ExactState middle = whole->exact_state();
  const auto resumed = host_backend().device->resume(setup, middle);
  for (const auto& simulation : {whole.get(), resumed.get()}) simulation->advance(20);
  expect_same(resumed->exact_state(), whole->exact_state());
}

TEST(ResumeElsewhere, EnergiesAreEvaluatedWhereTheLastStepHadNone) {
  const SimulationSetup setup = with_backend(small_liquid(), host_backend());
  const auto plain = host_backend().device->make(setup);
  const auto late = host_backend().device->make(setup);
  plain->advance(5);
  late->advance(5, LastStep::forces_only);
  const double energy = plain->observe().potential_energy;
  EXPECT_THROW((void)late->observe(), std::logic_error);
  late->evaluate_energies();
  EXPECT_NEAR(late->observe().potential_energy, energy, 1e-9 * std::abs(energy));
}

TEST(ResumeElsewhere, HasToAdvanceBeforeItIsObserved) {
  const SimulationSetup setup = with_backend(small_liquid(), host_backend());
  const auto first = host_backend().device->make(setup);
  const auto resumed = host_backend().device->resume(setup, first->exact_state());
  EXPECT_THROW((void)resumed->observe(), std::logic_error);
  EXPECT_THROW(resumed->evaluate_energies(), std::logic_error);
}

TEST(ResumeElsewhere, WhatAnIntegratorDoesNotKnowIsRefused) {
  const SimulationSetup setup = with_backend(small_liquid(), host_backend());
  ExactState state = host_backend().device->make(setup)->exact_state();
  state.integrator["xi"] = {0.1};
  EXPECT_THROW((void)host_backend().device->resume(setup, state), InputError);
}

TEST(ExactState, ABrokenOneIsNotHandedOut) {
  SimulationSetup setup = with_backend(small_liquid(), host_backend());
  setup.precision = Precision::double_;  // with floats no such start is taken
  setup.start.velocity[41] = {1e200, 0.0, 0.0};
  setup.start.velocity[41][0] *= 1e200;
  const auto simulation = host_backend().device->make(setup);
  try {
    (void)simulation->exact_state();
    FAIL() << "no error";
  } catch (const PhysicsError& error) {
    EXPECT_NE(std::string(error.what()).find("step 0: particle 42 at ("), std::string::npos)
        << error.what();
  }
}

/// Says where a particle that flies out of the box in one step was last seen.
void expect_told(const DeviceBackend& backend) {
  SimulationSetup setup = with_backend(small_liquid(), backend);
  setup.start.velocity[41] = {1e6, 0.0, 0.0};
  const Double3 position = setup.start.position[41];
  const auto simulation = backend.device->make(setup);
  try {
    simulation->advance(10);
    FAIL() << "no error";
  } catch (const PhysicsError& error) {
    const std::string text = error.what();
    ASSERT_NE(text.find("step 1: particle 42 is lost near ("), std::string::npos) << text;
    std::istringstream rest(text.substr(text.find('(') + 1));
    for (std::size_t d = 0; d < 3; ++d) {
      double centre = 0.0;
      char comma = 0;
      rest >> centre >> comma;
      EXPECT_LE(std::abs(centre - position[d]), 0.5 * 3.4) << text;  // half a cell of 3.36
    }
  }
}

TEST(LostParticle, IsToldWithItsPlaceByEveryBackEnd) {
  for (const DeviceBackend& backend : device_backends()) {
    if (!has_a_fixed_order({backend, Precision::double_})) continue;  // the run is deterministic
    SCOPED_TRACE(backend.name());
    expect_told(backend);
  }
}

}  // namespace
}  // namespace pencilbox::testing
