// A dilute gas: its pressure is that of the second virial coefficient, which is an integral over
// the pair potential alone. Hansen and McDonald, Theory of Simple Liquids, 4th edition,
// section 3.9.
#include <cmath>
#include <numbers>

#include "core/random_start.hpp"
#include "tests/physics/observed.hpp"
#include "tests/support/heat_bath.hpp"

namespace pencilbox::testing {
namespace {

constexpr double cutoff = 2.5, temperature = 1.0, density = 0.0125;

/// Lennard-Jones, cut and shifted.
double energy_at(double r) {
  const auto full = [](double x) { return 4.0 * (std::pow(x, -12) - std::pow(x, -6)); };
  return full(r) - full(cutoff);
}

/// B2 = -2 pi integral of (exp(-u/T) - 1) r^2 dr, by Simpson's rule; the core, where the
/// exponential is nothing, in closed form.
double second_virial_coefficient() {
  constexpr double core = 0.3;
  constexpr int intervals = 20000;
  const double h = (cutoff - core) / intervals;
  double sum = 0.0;
  for (int k = 0; k <= intervals; ++k) {
    const double r = core + k * h;
    const double weight = k == 0 || k == intervals ? 1.0 : (k % 2 == 1 ? 4.0 : 2.0);
    sum += weight * (std::exp(-energy_at(r) / temperature) - 1.0) * r * r;
  }
  return -2.0 * std::numbers::pi * (h / 3.0 * sum - core * core * core / 3.0);
}

TEST(DiluteGas, TheIntegralIsThatOfTheTables) {
  // The same integral from 1e-6 on in 400,000 intervals, in Python; of the whole potential -5.316.
  EXPECT_NEAR(second_virial_coefficient(), -4.1718708, 1e-6);
}

TEST(DiluteGas, HasThePressureOfItsSecondVirialCoefficient) {
  constexpr std::int64_t particles = 2000;
  const double side = std::cbrt(particles / density);
  StartState start =
      make_random_start({particles, {side, side, side}, 12, 0.95}, {true, true, true});
  SimulationSetup setup =
      with_integrator(make_lj_setup(std::move(start), cutoff, Truncation::shift), "langevin",
                      {{"temperature", temperature}, {"friction", 1.0}, {"seed", 7.0}});
  setup.timestep = 0.005;
  setup.precision = Precision::mixed;
  setup.observables = {{"pressure-tensor", 10, 0, {{"blocks", 10.0}}},
                       {"energies-by-type", 10, 0, {{"blocks", 10.0}}}};
  const auto simulation = host().make(setup);
  simulation->advance(1000, LastStep::forces_only);
  for (int sample = 0; sample < 400; ++sample) {
    simulation->advance(10, LastStep::forces_only);
    simulation->sample_observables();
  }
  const std::vector<ObservableResult> results = simulation->observable_results();
  // The bath lets the temperature go by a percent; what it is in the mean is taken out.
  const double kinetic = number(results[1], "kinetic_energy") * 2.0 / 3.0;
  const double pressure = number(results[0], "pressure");
  const double compressibility = pressure / (density * kinetic);
  const double error = number(results[0], "pressure_error") / (density * kinetic);
  EXPECT_LT(error, 0.01);
  const double expected = 1.0 + second_virial_coefficient() * density;  // 0.948
  EXPECT_NEAR(compressibility, expected,
              3.0 * error + 0.002);  // and triplets, by Thol et al. 0.0006
}

}  // namespace
}  // namespace pencilbox::testing
