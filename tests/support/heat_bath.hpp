// What tests of thermostats share: systems in a heat bath.
#pragma once

#include <string>
#include <utility>
#include <vector>

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

}  // namespace pencilbox::testing
