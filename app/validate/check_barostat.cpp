// Constant pressure: the density at pressures of NIST's Monte Carlo (check_state_points.cpp has the
// table), which has the density set and the pressure measured.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/validate/check.hpp"

namespace pencilbox {
namespace {

/// `slope`: of the pressure over the density there, from the two densities beside it in NIST's
/// table; `pressure_error`: as in check_state_points.cpp.
struct IsothermPoint {
  double temperature, pressure;
  double density;
  double slope, pressure_error;

  double density_error() const { return pressure_error / slope; }
  double compressibility() const { return 1.0 / (density * slope); }
  bool is_vapour() const { return density < 0.1; }
};

constexpr std::array points{
    IsothermPoint{0.85, 0.55355, 0.82, (1.266 - 0.047924) / 0.08, 0.0023},
    IsothermPoint{0.85, 1.266, 0.86, (2.2314 - 0.55355) / 0.08, 0.0023},
    IsothermPoint{0.90, 0.82386, 0.82, (1.5781 - 0.27851) / 0.08, 0.0023},
    IsothermPoint{0.90, 1.5781, 0.86, (2.5848 - 0.82386) / 0.08, 0.0023},
    IsothermPoint{0.85, 0.0056565, 0.007, (0.0071641 - 0.0041003) / 0.004, 2e-6},
    IsothermPoint{0.90, 0.0060193, 0.007, (0.0076363 - 0.0043569) / 0.004, 2e-6},
};

constexpr double timestep = 0.004;
constexpr std::int64_t every = 10;

Barostat barostat_of(const IsothermPoint& point) {
  return {stochastic_cell_rescaling,
          {{"pressure", point.pressure},
           {"relaxation_time", point.is_vapour() ? 4.0 : 0.5},
           {"compressibility", point.compressibility()},
           {"every", static_cast<double>(every)},
           {"seed", 1.0}}};
}

/// Molten and cooled at a constant volume, which is a little off.
SimulationSetup fluid(const Subject& subject, const IsothermPoint& point) {
  constexpr double melting_temperature = 2.0, off = 0.98;
  SimulationSetup setup = subject.setup(
      warm_crystal(point.is_vapour() ? 8 : 5, off * point.density, melting_temperature), 3.0,
      Truncation::cut);
  setup.timestep = timestep;
  std::get<LennardJonesModel>(setup.potential).tail_correction = true;
  setup = after(subject, 2500, in_bath(setup, melting_temperature, 1.0), setup);
  return after(subject, 2500, in_bath(setup, point.temperature, 1.0, 2.0), setup);
}

/// The mean volume, not the mean density, is that of the ensemble: they differ by the fluctuation
/// of the volume, 1e-4 here.
void judge_density(const Subject& subject, const IsothermPoint& point, ValidationRow& row) {
  SimulationSetup setup = in_bath(fluid(subject, point), point.temperature, 1.0, 3.0);
  setup.barostat = barostat_of(point);
  const auto particles = static_cast<double>(setup.start.size());
  const auto simulation = subject.make(std::move(setup));
  simulation->advance(point.is_vapour() ? 20000 : 10000);
  std::vector<double> volumes;
  const std::int64_t steps = point.is_vapour() ? 100000 : 200000;
  judge_by_work({&row}, subject.full ? 2 * steps : steps, [&](std::int64_t more) {
    for (std::int64_t done = 0; done < more; done += every) {
      simulation->advance(every);
      volumes.push_back(simulation->observe().volume);
    }
    const Estimate volume = block_average(volumes);
    const double density = particles / volume.mean;
    judge_mean(row, {density, density * volume.standard_error / volume.mean});
  });
}

/// What is left of `y` where it follows `x` in a straight line.
std::vector<double> without(const std::vector<double>& x, std::vector<double> y) {
  const double slope = trend_of(x, y).slope;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] -= slope * x[i];
  return y;
}

/// Where a step of the barostat is a small one, and the bath one whose exchange is known exactly,
/// what is conserved drifts no more than at constant energy: at the same volume. (What velocity
/// Verlet conserves differs from the energy by the square of the time step times something that
/// follows the volume, and that wanders slowly. The slope beside another quantity is that of what
/// is left of both without it: Frisch and Waugh, Econometrica 1, 387 (1933). Over a quarter of
/// these samples what is left still wanders by more than the bar.)
void judge_drift(const Subject& subject, ValidationRow& row) {
  constexpr double temperature = 1.0, pressure = 2.0;
  constexpr std::int64_t samples = 2000, between = 20;
  SimulationSetup setup = subject.setup(warm_crystal(10, 0.788, 2.0), 2.5, Truncation::force_shift);
  setup.timestep = timestep;
  setup = after(subject, 1500, in_bath(setup, temperature, 1.0), setup);
  setup.integrator = "velocity-rescaling";
  setup.parameters = {{"temperature", temperature}, {"relaxation_time", 0.5}, {"seed", 1.0}};
  setup.barostat = Barostat{stochastic_cell_rescaling,
                            {{"pressure", pressure},
                             {"relaxation_time", 4.0},
                             {"compressibility", 0.1},
                             {"every", 5.0},
                             {"seed", 1.0}}};
  const auto particles = static_cast<double>(setup.start.size());
  const auto simulation = subject.make(std::move(setup));
  simulation->advance(2500);
  std::vector<double> times, energies, volumes;
  for (std::int64_t k = 0; k < samples; ++k) {
    simulation->advance(between);
    const Observation sums = simulation->observe();
    times.push_back(sums.time);
    energies.push_back(sums.conserved_energy / particles);
    volumes.push_back(sums.volume);
  }
  row.value = trend_of(without(volumes, times), without(volumes, energies)).slope;
}

}  // namespace

ValidationRows check_barostat(const Subject& subject) {
  constexpr PrecisionBars drift{5e-7, 2e-6, 5e-6};
  subject.tell("conserved energy under pressure");
  ValidationRows rows =
      answered_by_long_runs(subject,
                            {{"constant pressure: drift of the conserved energy", 0.0,
                              drift.of(subject.precision), source_theory}},
                            [&](ValidationRows& asked) { judge_drift(subject, asked.front()); });
  for (const IsothermPoint& point : points) {
    if (!subject.full && &point != &points.front()) continue;
    const std::string name = fmt::format("T {}, P {}: density", point.temperature, point.pressure);
    subject.tell(name);
    const ValidationRows more = answered_by_long_runs(
        subject, {{name, point.density, 0.0, source_nist, point.density_error()}},
        [&](ValidationRows& asked) { judge_density(subject, point, asked.front()); });
    append(rows, more);
    subject.keep(rows);
  }
  return rows;
}

}  // namespace pencilbox
