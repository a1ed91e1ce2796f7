// The fluid of Weeks, Chandler and Andersen: Lennard-Jones cut and shifted at the minimum of each
// pair. Nothing attracts, energy and force vanish where a pair ends, and no tail is left out.
#include <cmath>

#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class WeeksChandlerAndersen : public EveryBackend {
 protected:
  SimulationSetup fluid_of(StartState start) const {
    SimulationSetup setup = make_lj_setup(std::move(start), 1.0, Truncation::shift);
    auto& model = std::get<LennardJonesModel>(setup.potential);
    for (PairCoefficients& pair : model.pairs) pair.cutoff = distance_of_minimum(pair.sigma);
    model.cutoff = model.largest_cutoff();
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.precision = precision();
    setup.timestep = 0.002;
    return setup;
  }

  /// Of a frozen start that is stretched by this factor.
  Observation stretched(StartState start, double factor) const {
    for (double& edge : start.box.edges) edge *= factor;
    for (Double3& position : start.position) {
      for (double& coordinate : position) coordinate *= factor;
    }
    for (Double3& velocity : start.velocity) velocity = {};
    return backend().device->make(fluid_of(std::move(start)))->observe();
  }
};

/// The virial's pressure is what the energy says without it: P = -dU/dV where nobody moves.
TEST_P(WeeksChandlerAndersen, PressureIsTheSlopeOfTheEnergy) {
  const StartState start = random_liquid(350, periodic_box(8, 7.5, 7), 0.85, 5, 2);
  const double step = Bars({1e-5, 2e-4, 1e-3}).of(precision());
  const Observation here = stretched(start, 1.0);
  const Observation wider = stretched(start, 1.0 + step), narrower = stretched(start, 1.0 - step);
  const double slope =
      -(wider.potential_energy - narrower.potential_energy) / (wider.volume - narrower.volume);
  EXPECT_GT(here.pressure, 1.0) << "there is something to be seen";
  EXPECT_NEAR(slope / here.pressure, 1.0, Bars({1e-6, 1e-3, 5e-3}).of(precision()));
}

TEST_P(WeeksChandlerAndersen, EnergyStaysAndNothingAttracts) {
  const auto simulation =
      backend().device->make(fluid_of(thermal_crystal(emulated() ? 3 : 4, 0.8442)));
  const Observation first = simulation->observe();
  const auto particles = static_cast<double>(first.particles);
  double potential = first.potential_energy;
  for (int k = 0; k < (emulated() ? 3 : 40); ++k) {
    simulation->advance(10);
    const Observation now = simulation->observe();
    EXPECT_NEAR((now.total_energy() - first.total_energy()) / particles, 0.0, 6e-4);
    EXPECT_GT(now.virial, 0.0);
    EXPECT_GE(now.potential_energy, 0.0);
    potential = now.potential_energy;
  }
  EXPECT_GT(potential / particles, 0.1) << "it was to melt";
}

PENCILBOX_FOR_EVERY_BACKEND(WeeksChandlerAndersen);

}  // namespace
}  // namespace pencilbox::testing
