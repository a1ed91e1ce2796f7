#include "tests/support/configurations.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/at_rest.hpp"
#include "core/error.hpp"
#include "core/lattice.hpp"
#include "core/random_start.hpp"
#include "core/velocities.hpp"

namespace pencilbox::testing {

namespace {

void hand_out_types(StartState& state, int types) {
  state.types.clear();
  for (int t = 0; t < types; ++t) {
    state.types.push_back({std::string(1, static_cast<char>('A' + t)), 1.0 + 0.5 * t});
  }
  for (std::size_t i = 0; i < state.type.size(); ++i) {
    state.type[i] = static_cast<std::int32_t>(i * 7 % static_cast<std::size_t>(types));
  }
}

}  // namespace

StartState random_particles(int count, const Box& box, unsigned seed, int types) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  StartState state;
  state.box = box;
  state.position.resize(static_cast<std::size_t>(count));
  for (Double3& position : state.position) {
    for (std::size_t d = 0; d < 3; ++d) position[d] = box.lower[d] + uniform(random) * box.edges[d];
  }
  fill_at_rest(state);
  hand_out_types(state, types);
  return state;
}

StartState random_liquid(int count, const Box& box, double distance, unsigned seed, int types) {
  RandomPlacement placement;
  placement.count = count;
  placement.box = box.edges;
  placement.seed = seed;
  placement.minimum_distance = distance;
  StartState state = make_random_start(placement, box.periodic);
  state.box = box;
  for (Double3& position : state.position) {
    for (std::size_t d = 0; d < 3; ++d) position[d] += box.lower[d];
  }
  hand_out_types(state, types);
  return state;
}

StartState thermal_crystal(int cells, double density) {
  Lattice lattice;
  lattice.type = LatticeType::fcc;
  lattice.density = density;
  lattice.cells = {cells, cells, cells};
  StartState state = make_lattice(lattice, {true, true, true});
  draw_velocities(state, 1.44, 87287);
  return state;
}

Box periodic_box(double x, double y, double z) {
  return {{0.0, 0.0, 0.0}, {x, y, z}, {true, true, true}};
}

std::string DeviceBackend::name() const {
  std::string name = device->kind() + "_" + info.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

namespace {

std::vector<DeviceBackend> backends_that_answer() {
  std::vector<DeviceBackend> all;
  for (const DeviceApi* device : devices()) {
    try {
      (void)device->properties();
    } catch (const SystemError&) {
      continue;
    }
    for (const BackendInfo& info : device->backends()) all.push_back({device, info});
  }
  return all;
}

}  // namespace

const std::vector<DeviceBackend>& device_backends() {
  static const std::vector<DeviceBackend> all = backends_that_answer();
  return all;
}

Evaluation evaluate(const DeviceBackend& backend, const SimulationSetup& setup) {
  SimulationSetup own = setup;
  own.backend = backend.info.name;
  if (own.options.empty()) own.options = default_options(backend.info);
  const auto simulation = backend.device->make(std::move(own));
  FieldSet fields;
  for (const Field field : {Field::position, Field::force, Field::potential_energy, Field::id}) {
    fields.insert(field);
  }
  Evaluation result;
  result.sums = simulation->observe();
  result.frame = simulation->snapshot(fields);
  result.stats = simulation->backend_stats();
  return result;
}

Evaluation evaluate_reference(SimulationSetup setup) {
  const DeviceApi* host = devices().front();
  for (const BackendInfo& info : host->backends()) {
    if (info.name != "reference") continue;
    setup.precision = Precision::double_;
    setup.options = {};
    return evaluate({host, info}, setup);
  }
  throw std::logic_error("no reference back end");
}

SimulationSetup make_lj_setup(StartState start, double cutoff, Truncation truncation) {
  SimulationSetup setup;
  LennardJonesModel potential;
  potential.cutoff = cutoff;
  potential.truncation = truncation;
  potential.types = static_cast<int>(start.types.size());
  potential.pairs.clear();
  for (int a = 0; a < potential.types; ++a) {
    for (int b = 0; b < potential.types; ++b) {
      potential.pairs.push_back(
          mix_lorentz_berthelot({1.0 + 0.5 * a, 1.0 - 0.1 * a}, {1.0 + 0.5 * b, 1.0 - 0.1 * b}));
    }
  }
  setup.potential = std::move(potential);
  setup.start = std::move(start);
  setup.integrator = "velocity-verlet";
  return setup;
}

double largest_difference(const std::vector<Double3>& a, const std::vector<Double3>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double difference = std::abs(a[i][d] - b[i][d]);
      if (!(difference <= largest)) largest = difference;  // a NaN stays
    }
  }
  return largest;
}

double largest_component(const std::vector<Double3>& a) {
  return largest_difference(a, std::vector<Double3>(a.size()));
}

double Bars::of(Precision precision) const {
  switch (precision) {
    case Precision::single:
      return single;
    case Precision::mixed:
      return mixed;
    default:
      return double_;
  }
}

std::string reference_file(const std::string& name) {
  return std::string(PENCILBOX_SOURCE_DIR) + "/tests/reference/" + name;
}

}  // namespace pencilbox::testing
