// A small Plummer sphere under softened gravity: what it conserves, and that it stays as it is.
#include <cmath>

#include "core/error.hpp"
#include "core/plummer_sphere.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class Plummer : public EveryBackend {
 protected:
  static constexpr std::int64_t bodies = 256;

  SimulationSetup sphere() const {
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
    setup.precision = precision();
    setup.deterministic = true;
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    return setup;
  }

  /// Nothing if the back end does not run gravity: tests/backends ask that it says why.
  std::unique_ptr<Simulation> make(SimulationSetup setup) const {
    try {
      return backend().device->make(std::move(setup));
    } catch (const BackendRefusal&) {
      return nullptr;
    }
  }
};

TEST_P(Plummer, KeepsItsEnergyAndMomentum) {
  const auto simulation = make(sphere());
  if (simulation == nullptr) GTEST_SKIP() << "does not run gravity";
  const Observation start = simulation->observe();
  EXPECT_NEAR(2.0 * start.kinetic_energy / -start.potential_energy, 1.0, 0.15);
  double largest = 0.0;
  for (int k = 0; k < 50; ++k) {
    simulation->advance(10);
    largest =
        std::max(largest, std::abs(simulation->observe().total_energy() - start.total_energy()));
  }
  // Velocity Verlet keeps the energy of a Hamiltonian that differs by (dt/tau)^2 / 24 or so of a
  // pair's energy, tau the shortest time of an encounter: a passage at softening length takes
  // 0.05 / 1.4 at the speed of escape from the centre, 3.6 timesteps, but exchanges only m/M =
  // 1/256 of the potential energy of a body. Measured: 4e-6 of 0.147 in double and mixed precision.
  // It does not grow with time. Floats add the rounding of 3 * 256 velocities in 500 steps.
  constexpr Bars bars{5e-5, 5e-5, 1e-4};
  EXPECT_LT(largest / std::abs(start.total_energy()), bars.of(precision()));
  // The forces of a pair cancel to the last bit; what is left is the rounding of sums and
  // velocities.
  constexpr Bars momentum_bars{1e-14, 1e-9, 1e-6};
  for (const double component : simulation->observe().momentum) {
    EXPECT_LT(std::abs(component), momentum_bars.of(precision()));
  }
}

TEST_P(Plummer, EnergyErrorIsOfSecondOrder) {
  if (precision() != Precision::double_) GTEST_SKIP() << "asked of double precision only";
  double errors[2]{};
  for (int k = 0; k < 2; ++k) {
    SimulationSetup setup = sphere();
    setup.timestep = k == 0 ? 0.01 : 0.005;
    const auto simulation = make(setup);
    if (simulation == nullptr) GTEST_SKIP() << "does not run gravity";
    const double start = simulation->observe().total_energy();
    for (int sample = 0; sample < 20; ++sample) {
      simulation->advance(k == 0 ? 5 : 10);
      const double error = simulation->observe().total_energy() - start;
      errors[k] += error * error;
    }
  }
  EXPECT_NEAR(std::sqrt(errors[0] / errors[1]), 4.0, 0.6);
}

TEST_P(Plummer, ABodyThatFliesFarAwayStaysRightAndSoDoTheOthers) {
  SimulationSetup setup = sphere();
  setup.start.position[0] = {300.0, 0.0, 0.0};
  setup.start.velocity[0] = {1000.0, 0.0, 0.0};
  const auto simulation = make(setup);
  if (simulation == nullptr) GTEST_SKIP() << "does not run gravity";
  const double energy = simulation->observe().total_energy();
  for (int k = 0; k < 10; ++k) {
    simulation->advance(10);
    simulation->observe();
  }
  FieldSet fields;
  fields.insert(Field::position);
  const Frame frame = simulation->snapshot(fields);
  // 1,300 away: a float there is as fine as 1e-4, and a step adds 10.
  const Bars position_bars{1e-5, 1e-5, 1e-2};
  EXPECT_NEAR(frame.position[0][0], 1300.0, position_bars.of(precision()) * 1e3);
  const Bars energy_bars{1e-8, 1e-8, 1e-6};
  EXPECT_NEAR(simulation->observe().total_energy(), energy, energy_bars.of(precision()) * energy);
  const double kinetic_of_the_others =
      simulation->observe().kinetic_energy - 0.5 * 1e6 / static_cast<double>(bodies);
  EXPECT_NEAR(kinetic_of_the_others, 0.147, 0.02);
}

PENCILBOX_FOR_EVERY_BACKEND(Plummer);

}  // namespace
}  // namespace pencilbox::testing
