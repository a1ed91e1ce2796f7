// Configurations and comparisons that several test rooms share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/engine/simulation.hpp"

namespace pencilbox::testing {

/// `count` particles uniform in the box, one or two types, at rest.
StartState random_particles(int count, const Box& box, unsigned seed, int types = 1);

/// Like random_particles, but no two nearer than `distance` (periodic images included).
StartState random_liquid(int count, const Box& box, double distance, unsigned seed, int types = 1);

/// A perfect fcc crystal of `cells` x `cells` x `cells`, thermal velocities of temperature 1.44.
StartState thermal_crystal(int cells, double density);

Box periodic_box(double x, double y, double z);

/// A back end on a device of this build: what every test over the registry runs through.
struct DeviceBackend {
  const DeviceApi* device = nullptr;
  BackendInfo info;

  std::string name() const;
};

/// Every back end on every device that answers; a GPU that is built but absent is left out here and
/// reported by tests/device.
const std::vector<DeviceBackend>& device_backends();

/// The first device, which is everywhere.
inline const DeviceApi& host() { return *device_backends().front().device; }

/// Forces and sums of a state, in one evaluation.
struct Evaluation {
  Frame frame;  ///< force, potential_energy, id
  Observation sums;
  BackendStats stats;
};

/// What a back end makes of a start. Throws what `make` throws.
Evaluation evaluate(const DeviceBackend& backend, const SimulationSetup& setup);

/// The truth: back end `reference` on the host, in double.
Evaluation evaluate_reference(SimulationSetup setup);

SimulationSetup make_lj_setup(StartState start, double cutoff, Truncation truncation);

/// max |a - b| over all components, and max |a|.
double largest_difference(const std::vector<Double3>& a, const std::vector<Double3>& b);
double largest_component(const std::vector<Double3>& a);

/// A bar by precision, from the validation page: double / mixed / single.
struct Bars {
  double double_, mixed, single;
  double of(Precision precision) const;
};

std::string reference_file(const std::string& name);

}  // namespace pencilbox::testing
