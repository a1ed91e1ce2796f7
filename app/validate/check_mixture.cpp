// The mixture of Kob and Andersen, Phys. Rev. E 51, 4626 (1995), as a liquid: four particles in
// five are A, each pair is cut and shifted at 2.5 of its own sigma.
#include "app/validate/check.hpp"
#include "app/validate/state_point.hpp"

namespace pencilbox {
namespace {

constexpr StatePoint liquid{.temperature = 0.8,
                            .density = 1.2,
                            .cells = 8,
                            .cutoff = 2.5,
                            .tail_correction = false,
                            .truncation = Truncation::shift};

// Energy and virial W of a particle by RUMD 3, and how far from them another program may be, both
// in the test of gamdpy (github.com, examples, kablj.py). Its W is a third of the sum of r . f.
constexpr double energy = -6.346, energy_tolerance = 0.01;
constexpr double virial = 5.534, virial_tolerance = 0.03;
constexpr double pressure = liquid.density * (liquid.temperature + virial);
constexpr double pressure_tolerance = liquid.density * virial_tolerance;

LennardJonesModel kob_andersen() {
  LennardJonesModel model;
  model.cutoff = liquid.cutoff;
  model.truncation = liquid.truncation;
  model.types = 2;
  const auto pair = [](double epsilon, double sigma) {
    return PairCoefficients{.epsilon = epsilon, .sigma = sigma, .cutoff = 2.5 * sigma};
  };
  model.pairs = {pair(1.0, 1.0), pair(1.5, 0.8), pair(1.5, 0.8), pair(0.5, 0.88)};
  return model;
}

SimulationSetup crystal(const Subject& subject) {
  SimulationSetup setup = hot_crystal(subject, liquid);
  setup.start.types = {{"A", 1.0}, {"B", 1.0}};
  for (std::size_t i = 0; i < setup.start.type.size(); i += 5) setup.start.type[i] = 1;
  setup.potential = kob_andersen();
  return setup;
}

}  // namespace

ValidationRows check_mixture(const Subject& subject) {
  return answered_by_long_runs(
      subject,
      {{"Kob-Andersen, T 0.8, rho 1.2: U/N", energy, energy_tolerance, source_rumd},
       {"Kob-Andersen, T 0.8, rho 1.2: P", pressure, pressure_tolerance, source_rumd}},
      [&](ValidationRows& rows) {
        StatePointRun run(subject, crystal(subject), liquid);
        run.produce(subject.full ? 400000 : 100000);
        rows[0].value = run.energy().mean;
        rows[0].standard_error = run.energy().standard_error;
        rows[1].value = run.pressure().mean;
        rows[1].standard_error = run.pressure().standard_error;
      });
}

}  // namespace pencilbox
