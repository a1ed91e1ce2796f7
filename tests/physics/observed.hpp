// What tests of observables share: simulations with some, and their results.
#pragma once

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {

inline FieldSet set_of(std::initializer_list<Field> fields) {
  FieldSet set;
  for (const Field field : fields) set.insert(field);
  return set;
}

inline const std::vector<double>& column(const ObservableResult& result, const std::string& name) {
  for (const ObservableColumn& one : result.columns) {
    if (one.name == name) return one.values;
  }
  throw std::logic_error("no column " + name);
}

inline double number(const ObservableResult& result, const std::string& name) {
  for (const ObservableNumber& one : result.numbers) {
    if (one.name == name) return one.value;
  }
  throw std::logic_error("no number " + name);
}

inline double nearest_image(double difference, double edge) {
  return difference - edge * std::round(difference / edge);
}

class ObservedOn : public EveryBackend {
 protected:
  SimulationSetup setup_of(StartState start, double cutoff) const {
    SimulationSetup setup = make_lj_setup(std::move(start), cutoff, Truncation::force_shift);
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.precision = precision();
    setup.timestep = 0.002;
    return setup;
  }
};

/// The order of particles is the engine's, cell by cell or that of a list: one back end of each
/// kind, on every device.
inline bool keeps_an_order(const BackendCase& one) {
  return one.backend.info.name == "par-part-no-loop" || one.backend.info.name == "verlet-list" ||
         one.backend.info.name == "vector-list";
}
class Observed : public ::testing::Test {
 protected:
  static SimulationSetup setup_of(StartState start, double cutoff = 2.5) {
    SimulationSetup setup = make_lj_setup(std::move(start), cutoff, Truncation::cut);
    setup.backend = "par-part-no-loop";
    for (const DeviceBackend& backend : device_backends()) {
      if (backend.info.name == setup.backend) setup.options = default_options(backend.info);
    }
    setup.precision = Precision::double_;
    return setup;
  }
  static std::unique_ptr<Simulation> make(const SimulationSetup& setup) {
    return host().make(setup);
  }
  /// What is due at each of the steps to come.
  static void run(Simulation& simulation, std::int64_t steps, std::int64_t every) {
    for (std::int64_t step = 0; step < steps; step += every) {
      simulation.advance(every, LastStep::forces_only);
      simulation.sample_observables();
    }
  }
};

}  // namespace pencilbox::testing
