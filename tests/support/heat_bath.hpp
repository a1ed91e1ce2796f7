// What tests of thermostats share: systems in a heat bath.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {

/// `setup` with an integrator and its parameters, and the yardstick.
inline SimulationSetup with_integrator(SimulationSetup setup, std::string integrator,
                                       IntegratorParameters parameters) {
  setup.backend = "par-part-no-loop";
  for (const DeviceBackend& backend : device_backends()) {
    if (backend.info.name == setup.backend) setup.options = default_options(backend.info);
  }
  setup.integrator = std::move(integrator);
  setup.parameters = std::move(parameters);
  return setup;
}

/// What a thermostat of this name takes. Langevin's has a friction [1/tau], the others a relaxation
/// time [tau].
inline IntegratorParameters bath_parameters(const std::string& thermostat, double temperature,
                                            double friction, double relaxation_time) {
  IntegratorParameters parameters{{"temperature", temperature}};
  if (thermostat == "langevin") {
    parameters["friction"] = friction;
  } else {
    parameters["relaxation_time"] = relaxation_time;
  }
  if (thermostat == "nose-hoover") {
    parameters["chain_length"] = 3.0;
  } else {
    parameters["seed"] = 1.0;
  }
  return parameters;
}

/// Too far apart to meet in such runs, at rest.
inline SimulationSetup free_particles(int cells) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(cells, 1e-5), 1.1, Truncation::shift);
  for (Double3& velocity : setup.start.velocity) velocity = {};
  setup.timestep = 0.02;
  setup.precision = Precision::double_;
  return setup;
}

inline std::vector<Double3> velocities_of(Simulation& simulation) {
  FieldSet fields;
  fields.insert(Field::velocity);
  return simulation.snapshot(fields).velocity;
}

/// By how much sums of a particle have changed at most.
struct LargestChanges {
  double conserved_energy = 0.0, total_energy = 0.0;
};

/// Over 2,000 steps, after 500 that are not looked at.
inline LargestChanges changes_in_bath(const SimulationSetup& setup) {
  const auto simulation = host().make(setup);
  simulation->advance(500);
  const auto particles = static_cast<double>(setup.start.size());
  const Observation start = simulation->observe();
  LargestChanges largest;
  for (int k = 0; k < 40; ++k) {
    simulation->advance(50);
    const Observation now = simulation->observe();
    const auto note = [particles](double& most, double before, double after) {
      most = std::max(most, std::abs(after - before) / particles);
    };
    note(largest.conserved_energy, start.conserved_energy, now.conserved_energy);
    note(largest.total_energy, start.total_energy(), now.total_energy());
  }
  return largest;
}

/// Whoever computes it, in steps taken at once or in two parts.
inline void expect_same_trajectory_everywhere(SimulationSetup setup) {
  const auto first = host().make(setup);
  first->advance(20);
  const std::vector<Double3> expected = velocities_of(*first);
  for (const DeviceBackend& backend : device_backends()) {
    setup.backend = backend.info.name;
    setup.options = default_options(backend.info);
    const auto other = backend.device->make(setup);
    other->advance(7);
    other->advance(13);
    EXPECT_LT(largest_difference(velocities_of(*other), expected), 1e-9) << backend.name();
  }
}

}  // namespace pencilbox::testing
