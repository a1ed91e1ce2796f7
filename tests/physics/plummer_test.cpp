// A small Plummer sphere under softened gravity: what it conserves, and that it stays as it is.
#include <cmath>

#include "core/error.hpp"
#include "core/plummer_sphere.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

SimulationSetup sphere_of(const BackendCase& one) {
  constexpr std::int64_t bodies = 256;
  SimulationSetup setup;
  const PlummerSphere plummer{bodies, 1.0, 1};
  setup.start = make_plummer_sphere(plummer);
  const double mass = 1.0 / static_cast<double>(bodies);
  setup.start.types[0].mass = mass;
  draw_plummer_velocities(setup.start, plummer, 1.0);
  remove_centre_of_mass(setup.start);
  setup.potential = SoftenedGravityModel{1.0, 0.05, {mass}};
  setup.integrator = "velocity-verlet";
  setup.timestep = 0.01;
  setup.precision = one.precision;
  setup.deterministic = true;
  setup.backend = one.backend.info.name;
  setup.options = default_options(one.backend.info);
  return setup;
}

/// tests/backends ask that the others say why they do not.
bool runs_gravity(const BackendCase& one) {
  for (const BackendVerdict& verdict : one.backend.device->check(sphere_of(one)).backends) {
    if (verdict.info.name == one.backend.info.name) return !verdict.refusal;
  }
  throw std::logic_error("no verdict on " + one.backend.info.name);
}

class Plummer : public EveryBackend {
 protected:
  SimulationSetup sphere() const { return sphere_of(GetParam()); }

  std::unique_ptr<Simulation> make(SimulationSetup setup) const {
    return backend().device->make(std::move(setup));
  }
};

TEST_P(Plummer, KeepsItsEnergyAndMomentum) {
  const auto simulation = make(sphere());
  const Observation start = simulation->observe();
  EXPECT_NEAR(2.0 * start.kinetic_energy / -start.potential_energy, 1.0, 0.15);
  double largest = 0.0;
  for (int k = 0; k < 50; ++k) {
    simulation->advance(10);
    largest =
        std::max(largest, std::abs(simulation->observe().total_energy() - start.total_energy()));
  }
  // The timestep's own error, which does not grow with time: 1.05e-5 in every precision, for 0.01
  // is a quarter of 0.05 / 1.4, the time that a body at the speed of escape takes through the
  // softening length at the centre. It falls with the square of the timestep (below). Three times
  // that is asked, because other roundings lead to other encounters.
  constexpr double bar = 3e-5;
  EXPECT_LT(largest / std::abs(start.total_energy()), bar);
  // The forces of a pair cancel to the last bit; what is left is the rounding of sums and
  // velocities.
  constexpr Bars momentum_bars{1e-14, 1e-9, 1e-6};
  for (const double component : simulation->observe().momentum) {
    EXPECT_LT(std::abs(component), momentum_bars.of(precision()));
  }
}

class PlummerInDouble : public Plummer {};

TEST_P(PlummerInDouble, EnergyErrorIsOfSecondOrder) {
  double errors[2]{};
  for (int k = 0; k < 2; ++k) {
    SimulationSetup setup = sphere();
    setup.timestep = k == 0 ? 0.01 : 0.005;
    const auto simulation = make(setup);
    const double start = simulation->observe().total_energy();
    for (int sample = 0; sample < 20; ++sample) {
      simulation->advance(k == 0 ? 5 : 10);
      const double error = simulation->observe().total_energy() - start;
      errors[k] += error * error;
    }
  }
  EXPECT_NEAR(std::sqrt(errors[0] / errors[1]), 4.0, 0.6);
}

/// How a sphere ends whose first bodies were shot away, at 1,000 units a time unit.
struct Scattered {
  double place = 0.0;   ///< of the first body, along x
  double energy = 0.0;  ///< of those that stayed, and of all pairs
};

Scattered scatter(SimulationSetup setup, const DeviceApi& device, std::size_t fugitives) {
  for (std::size_t i = 0; i < fugitives; ++i) {
    setup.start.position[i] = {100.0 + static_cast<double>(i), 0.0, 0.0};
    setup.start.velocity[i] = {1000.0, 0.0, 0.0};
  }
  const double mass = setup.start.types[0].mass;
  const auto simulation = device.make(std::move(setup));
  for (int k = 0; k < 10; ++k) simulation->advance(10);  // a new grid each time if many have left
  FieldSet fields;
  fields.insert(Field::position);
  fields.insert(Field::velocity);
  const Frame frame = simulation->snapshot(fields);
  Scattered result{frame.position[0][0], simulation->observe().potential_energy};
  for (std::size_t i = fugitives; i < frame.velocity.size(); ++i) {
    for (const double v : frame.velocity[i]) result.energy += 0.5 * mass * v * v;
  }
  return result;
}

TEST_P(Plummer, BodiesThatFlyFarAwayStayRightAndSoDoTheOthers) {
  // One body leaves the grid as it is; eight make it follow, and then one cell spans 1,100 units: a
  // float is as fine as 6e-5 there, a thousandth of the softening length.
  for (const std::size_t fugitives : {1U, 8U}) {
    SCOPED_TRACE(std::to_string(fugitives) + " bodies");
    SimulationSetup exact = sphere();
    exact.precision = Precision::double_;
    exact.backend = "reference";
    exact.options = {};
    const Scattered truth = scatter(exact, *devices().front(), fugitives);
    const Scattered mine = scatter(sphere(), *backend().device, fugitives);
    EXPECT_NEAR(truth.place, 1100.0, 0.01);
    constexpr Bars place_bars{1e-9, 1e-6, 1e-2};
    EXPECT_NEAR(mine.place, truth.place, place_bars.of(precision()));
    constexpr Bars energy_bars{1e-10, 1e-6, 5e-5};
    EXPECT_NEAR(mine.energy, truth.energy, energy_bars.of(precision()) * std::abs(truth.energy));
  }
}

PENCILBOX_WHERE(Plummer, runs_gravity);
PENCILBOX_WHERE(PlummerInDouble,
                [](const BackendCase& one) { return is_in_double(one) && runs_gravity(one); });

}  // namespace
}  // namespace pencilbox::testing
