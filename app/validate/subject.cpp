#include "app/validate/subject.hpp"

#include <limits>

#include "app/ranks/rank_device.hpp"
#include "core/error.hpp"
#include "core/lattice.hpp"
#include "core/velocities.hpp"

namespace pencilbox {

SimulationSetup Subject::setup(StartState start, double cutoff, Truncation truncation) const {
  SimulationSetup setup;
  LennardJonesModel potential;
  potential.cutoff = cutoff;
  potential.truncation = truncation;
  setup.potential = std::move(potential);
  setup.backend = backend.name;
  setup.options = backend.options;
  setup.integrator = "velocity-verlet";
  setup.precision = precision;
  setup.start = std::move(start);
  return setup;
}

std::string why_too_slow(const BackendInfo& info, const BackendOptions& options,
                         const DeviceProperties& device) {
  if (!device.emulates_blocks) return {};
  if (needs_blocks(info, options)) return "its blocks are emulated here, long runs need a GPU";
  if (info.all_pairs) return "it looks at all pairs, long runs would take hours here";
  return {};
}

StartState warm_crystal(int cells, double density, double temperature) {
  constexpr std::uint64_t seed = 87287;
  Lattice lattice;
  lattice.type = LatticeType::fcc;
  lattice.density = density;
  lattice.cells = {cells, cells, cells};
  StartState start = make_lattice(lattice, {true, true, true});
  draw_velocities(start, temperature, seed);
  return start;
}

SimulationSetup restarted(SimulationSetup setup, Simulation& simulation, double direction) {
  FieldSet fields;
  for (const Field field : {Field::position, Field::velocity, Field::image}) fields.insert(field);
  Frame frame = simulation.snapshot(fields);
  setup.start.position = std::move(frame.position);
  setup.start.image = std::move(frame.image);
  setup.start.velocity = std::move(frame.velocity);
  for (Double3& velocity : setup.start.velocity) {
    for (double& component : velocity) component *= direction;
  }
  return setup;
}

SimulationSetup after(const Subject& subject, std::int64_t steps, SimulationSetup other,
                      SimulationSetup setup, double direction) {
  const auto simulation = subject.make(std::move(other));
  simulation->advance(steps);
  return restarted(std::move(setup), *simulation, direction);
}

SimulationSetup in_bath(SimulationSetup setup, double temperature, double friction, double seed) {
  setup.integrator = "langevin";
  setup.parameters = {{"temperature", temperature}, {"friction", friction}, {"seed", seed}};
  return setup;
}

namespace {

ValidationRows skipped(ValidationRows asked, const std::string& reason) {
  for (ValidationRow& row : asked) row.skipped = reason;
  return asked;
}

}  // namespace

ValidationRows answered(ValidationRows asked, const std::function<void(ValidationRows&)>& measure) {
  try {
    measure(asked);
  } catch (const BackendRefusal& refusal) {
    return skipped(std::move(asked), refusal.what());
  } catch (const RanksRefusal& refusal) {
    return skipped(std::move(asked), refusal.what());
  } catch (const PhysicsError& error) {
    for (ValidationRow& row : asked) {
      row.value = std::numeric_limits<double>::quiet_NaN();
      row.remark = error.what();
    }
  }
  return asked;
}

ValidationRows answered_by_long_runs(const Subject& subject, ValidationRows asked,
                                     const std::function<void(ValidationRows&)>& measure) {
  if (subject.too_slow.empty()) return answered(std::move(asked), measure);
  return skipped(std::move(asked), subject.too_slow);
}

}  // namespace pencilbox
