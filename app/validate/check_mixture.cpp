// The mixture of Kob and Andersen, Phys. Rev. E 51, 4626 (1995), as a liquid: four particles in
// five are A, each pair is cut and shifted at 2.5 of its own sigma.
#include <cmath>

#include <fmt/format.h>

#include "app/validate/check.hpp"
#include "app/validate/state_point.hpp"

namespace pencilbox {
namespace {

constexpr double density = 1.2, cutoff = 2.5;

StatePoint liquid_at(double temperature) {
  return {.temperature = temperature,
          .density = density,
          .cells = 8,
          .cutoff = cutoff,
          .tail_correction = false,
          .truncation = Truncation::shift};
}

// Energy and virial W of a particle by RUMD 3, and how far from them another program may be, both
// in the test of gamdpy (github.com, examples, kablj.py). Its W is a third of the sum of r . f.
constexpr double energy_tolerance = 0.01;
namespace rumd {
constexpr double temperature = 0.8, energy = -6.346, virial = 5.534, virial_tolerance = 0.03;
constexpr double pressure = density * (temperature + virial);
constexpr double pressure_tolerance = density * virial_tolerance;
}  // namespace rumd

/// Energy of a particle by the fit to energies of Kob, Sciortino and others that the literature
/// hands on, after the law of Rosenfeld and Tarazona, Mol. Phys. 95, 141 (1998).
double fitted_energy(double temperature) { return 2.639 * std::pow(temperature, 0.6) - 8.656; }
constexpr double fitted_temperature = 1.0;

LennardJonesModel kob_andersen() {
  LennardJonesModel model;
  model.cutoff = cutoff;
  model.truncation = Truncation::shift;
  model.types = 2;
  const auto pair = [](double epsilon, double sigma) {
    return PairCoefficients{.epsilon = epsilon, .sigma = sigma, .cutoff = cutoff * sigma};
  };
  model.pairs = {pair(1.0, 1.0), pair(1.5, 0.8), pair(1.5, 0.8), pair(0.5, 0.88)};
  return model;
}

SimulationSetup crystal(const Subject& subject, const StatePoint& point) {
  SimulationSetup setup = hot_crystal(subject, point);
  setup.start.types = {{"A", 1.0}, {"B", 1.0}};
  for (std::size_t i = 0; i < setup.start.type.size(); i += 5) setup.start.type[i] = 1;
  setup.potential = kob_andersen();
  return setup;
}

StatePointRun produced(const Subject& subject, double temperature) {
  const StatePoint point = liquid_at(temperature);
  StatePointRun run(subject, crystal(subject, point), point);
  run.produce(subject.full ? 400000 : 100000);
  return run;
}

void note(ValidationRow& row, const Estimate& estimate) {
  row.value = estimate.mean;
  row.standard_error = estimate.standard_error;
}

std::string named(double temperature, const char* quantity) {
  return fmt::format("Kob-Andersen, T {:.1f}, rho {:.1f}: {}", temperature, density, quantity);
}

ValidationRows rows_by_rumd(const Subject& subject) {
  return answered_by_long_runs(
      subject,
      {{named(rumd::temperature, "U/N"), rumd::energy, energy_tolerance, source_rumd},
       {named(rumd::temperature, "P"), rumd::pressure, rumd::pressure_tolerance, source_rumd}},
      [&](ValidationRows& rows) {
        const StatePointRun run = produced(subject, rumd::temperature);
        note(rows[0], run.energy());
        note(rows[1], run.pressure());
      });
}

ValidationRows row_by_fit(const Subject& subject) {
  constexpr double temperature = fitted_temperature;
  return answered_by_long_runs(
      subject,
      {{named(temperature, "U/N"), fitted_energy(temperature), energy_tolerance, source_fit}},
      [&](ValidationRows& rows) { note(rows[0], produced(subject, temperature).energy()); });
}

}  // namespace

ValidationRows check_mixture(const Subject& subject) {
  ValidationRows rows = rows_by_rumd(subject);
  append(rows, row_by_fit(subject));
  return rows;
}

}  // namespace pencilbox
