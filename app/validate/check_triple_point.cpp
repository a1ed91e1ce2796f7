// The liquid near the triple point that everybody knows: density 0.8442, temperature 0.722, plain
// cutoff 2.5. Energy and pressure, the first peak of the radial distribution, and diffusion.
#include "app/validate/check.hpp"
#include "app/validate/state_point.hpp"

namespace pencilbox {
namespace {

// LAMMPS (thermostat of Nose and Hoover, time step dt of 0.004) held velocities at whole steps at
// 0.722. Those of Verlet are too slow for the temperature that its positions have, T, by
// T (w dt)^2 / 4, exactly so for an oscillator of frequency w; in this liquid the mean of w^2 is
// 274 by its radial distribution function (the integral of the Laplacian of the potential). A bath
// of 0.7228 gives positions, and with the same time step velocities, like those.
constexpr StatePoint liquid{.temperature = 0.722,
                            .density = 0.8442,
                            .cells = 8,
                            .cutoff = 2.5,
                            .tail_correction = false,
                            .timestep = 0.004,
                            .bath = 0.7228};

// LAMMPS, 2,048 atoms. The pressure of a plain cutoff is that of the truncated and shifted fluid,
// whose forces it has: 0.9104 by its equation of state (Thol et al., Int. J. Thermophys. 36, 25
// (2015)).
constexpr double energy = -5.6381, energy_error = 0.0005;
constexpr double pressure = 0.9101, pressure_error = 0.0025;
constexpr double peak_position = 1.085, position_tolerance = 0.005;
constexpr double peak_height = 3.02, height_tolerance = 0.05;
// LAMMPS has 0.0347(13) at constant energy and T 0.7243, from one origin in time and by the slopes
// of several windows (0.0325 to 0.0351).
constexpr double diffusion = 0.034, diffusion_tolerance = 0.003;

/// By the slope of mean squared displacements from 4 to 8 tau. Friction would slow it down: in a
/// bath that has one factor for all velocities, which are held as LAMMPS has held them.
double diffusion_of(const Subject& subject, SimulationSetup setup) {
  constexpr std::int64_t every = 20;
  constexpr double lags = 100.0;
  setup.timestep = liquid.timestep;
  setup.integrator = "velocity-rescaling";
  setup.parameters = {{"temperature", liquid.temperature}, {"relaxation_time", 1.0}, {"seed", 3.0}};
  setup.observables = {
      {"mean-squared-displacement", every, 0, {{"length", lags}, {"origin_every", 10.0}}}};
  const auto simulation = subject.make(std::move(setup));
  for (std::int64_t left = subject.full ? 75000 : 25000; left > 0; left -= every) {
    simulation->advance(every, LastStep::forces_only);
    simulation->sample_observables();
  }
  return simulation->observable_results().front().numbers.front().value;
}

}  // namespace

ValidationRows check_triple_point(const Subject& subject) {
  return answered_by_long_runs(
      subject,
      {{"T 0.722, rho 0.8442: U/N", energy, 0.0, source_lammps, energy_error},
       {"T 0.722, rho 0.8442: P", pressure, 0.0, source_lammps, pressure_error},
       {"T 0.722, rho 0.8442: peak of g at", peak_position, position_tolerance, source_lammps},
       {"T 0.722, rho 0.8442: peak of g", peak_height, height_tolerance, source_lammps},
       {"T 0.722, rho 0.8442: diffusion", diffusion, diffusion_tolerance, source_lammps}},
      [&](ValidationRows& rows) {
        StatePointRun run(subject, liquid, {radial_distribution(1.5)});
        judge_state_point(run, subject.full ? 300000 : 100000, rows[0], rows[1]);
        const Peak peak = peak_of(run.observed().front(), "g");
        rows[2].value = peak.position;
        rows[3].value = peak.height;
        rows[4].value = diffusion_of(subject, run.end(hot_crystal(subject, liquid)));
      });
}

}  // namespace pencilbox
