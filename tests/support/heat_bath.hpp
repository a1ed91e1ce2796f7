// What tests of thermostats share: systems in a heat bath, and how near numbers are to the normal
// distribution.
#pragma once

#include <algorithm>
#include <cmath>
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

/// The probability that numbers of variance 1 lie as far from the normal distribution as these.
/// Kolmogorov and Smirnov; Press et al., Numerical Recipes, section 14.3.
inline double probability_of(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const auto n = static_cast<double>(numbers.size());
  double distance = 0.0;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double expected = 0.5 * std::erfc(-numbers[k] / std::sqrt(2.0));
    distance = std::max({distance, expected - static_cast<double>(k) / n,
                         static_cast<double>(k + 1) / n - expected});
  }
  const double lambda = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  double sum = 0.0;
  for (int j = 1; j <= 100; ++j) {
    sum += (j % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * j * j * lambda * lambda);
  }
  return std::clamp(sum, 0.0, 1.0);
}

}  // namespace pencilbox::testing
