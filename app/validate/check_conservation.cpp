// Constant energy: what the equations of motion conserve, and velocity Verlet to second order of
// the time step. With a potential that ends smoothly: a jump of the force at the cutoff would drown
// all of it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/validate/check.hpp"

namespace pencilbox {
namespace {

constexpr double density = 0.8442;
constexpr double hot = 1.44;  ///< of the crystal, which then melts
constexpr double cutoff = 2.5;
constexpr double usual_timestep = 0.004;

SimulationSetup crystal(const Subject& subject, int cells) {
  SimulationSetup setup =
      subject.setup(warm_crystal(cells, density, hot), cutoff, Truncation::force_shift);
  setup.timestep = usual_timestep;
  return setup;
}

/// A melted state to start from, so that energies fluctuate as in a liquid.
SimulationSetup liquid(const Subject& subject, int cells) {
  const SimulationSetup setup = crystal(subject, cells);
  const auto simulation = subject.make(setup);
  simulation->advance(1000);
  return restarted(setup, *simulation);
}

/// The total energy per particle over a run. Often: the error of a slope falls with the number of
/// independent samples.
Trend energy_trend(const Subject& subject, SimulationSetup setup, double timestep,
                   double duration) {
  constexpr std::int64_t every = 5;
  setup.timestep = timestep;
  const auto particles = static_cast<double>(setup.start.size());
  const auto simulation = subject.make(std::move(setup));
  const double origin = simulation->observe().total_energy() / particles;
  std::vector<double> time, energy;
  const auto samples = std::llround(duration / timestep / static_cast<double>(every));
  for (std::int64_t k = 0; k < samples; ++k) {
    simulation->advance(every);
    const Observation sums = simulation->observe();
    time.push_back(sums.time);
    energy.push_back(sums.total_energy() / particles - origin);
  }
  return trend_of(time, energy);
}

ValidationRows energy_rows(const Subject& subject) {
  constexpr PrecisionBars slopes{5e-7, 2e-6, 5e-6};
  constexpr double deviation = 3e-5;  // LAMMPS has 1.9e-5 in a liquid like this
  return answered_by_long_runs(
      subject,
      {{"energy: standard deviation", 0.0, deviation, source_theory},
       {"energy: drift a tau", 0.0, slopes.of(subject.precision), source_theory}},
      [&](ValidationRows& rows) {
        // So long that the noise of the slope, which falls with the power 1.5 of it, is far below
        // the bar of double.
        const double duration = subject.full ? 200.0 : 40.0;
        const Trend trend = energy_trend(subject, liquid(subject, 10), usual_timestep, duration);
        rows[0].value = trend.deviation;
        rows[1].value = trend.slope;
      });
}

ValidationRows order_rows(const Subject& subject) {
  constexpr double four = 4.0, quarter = 1.0;
  return answered_by_long_runs(
      subject,
      {{"energy: order, dt 0.008 / 0.004", four, quarter, source_theory},
       {"energy: order, dt 0.004 / 0.002", four, quarter, source_theory}},
      [&](ValidationRows& rows) {
        const SimulationSetup start = liquid(subject, 6);
        const double duration = subject.full ? 80.0 : 20.0;
        double deviations[3];
        const double timesteps[3] = {0.008, 0.004, 0.002};
        for (int k = 0; k < 3; ++k) {
          deviations[k] = energy_trend(subject, start, timesteps[k], duration).deviation;
        }
        rows[0].value = deviations[0] / deviations[1];
        rows[1].value = deviations[1] / deviations[2];
      });
}

ValidationRows momentum_rows(const Subject& subject) {
  constexpr PrecisionBars bars{1e-12, 1e-12, 1e-4};
  const std::int64_t steps = subject.too_slow.empty() ? 5000 : 25;
  return answered({{fmt::format("momentum after {} steps", steps), 0.0, bars.of(subject.precision),
                    source_theory}},
                  [&](ValidationRows& rows) {
                    const auto simulation = subject.make(crystal(subject, 4));
                    simulation->advance(steps);
                    const Observation sums = simulation->observe();
                    double squared = 0.0;
                    for (const double component : sums.momentum) squared += component * component;
                    rows[0].value = std::sqrt(squared / (2.0 * sums.kinetic_energy));
                  });
}

double farthest(const std::vector<Double3>& positions, const StartState& start) {
  double largest = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double side = start.box.edges[d];
      const double moved = positions[i][d] - start.position[i][d];
      const double apart = std::abs(moved - side * std::round(moved / side));
      if (!(apart <= largest)) largest = apart;  // a NaN stays
    }
  }
  return largest;
}

ValidationRows reversal_rows(const Subject& subject) {
  constexpr PrecisionBars bars{1e-12, 3e-5, 2e-4};
  const std::int64_t steps = subject.too_slow.empty() ? 100 : 25;
  return answered({{fmt::format("reversal, {0} + {0} steps", steps), 0.0,
                    bars.of(subject.precision), source_theory}},
                  [&](ValidationRows& rows) {
                    const SimulationSetup setup = crystal(subject, 4);
                    const auto back = subject.make(after(subject, steps, setup, setup, -1.0));
                    back->advance(steps);
                    FieldSet fields;
                    fields.insert(Field::position);
                    rows[0].value = farthest(back->snapshot(fields).position, setup.start);
                  });
}

}  // namespace

ValidationRows check_conservation(const Subject& subject) {
  ValidationRows rows;
  for (const auto rows_of : {&energy_rows, &order_rows, &momentum_rows, &reversal_rows}) {
    append(rows, rows_of(subject));
  }
  return rows;
}

}  // namespace pencilbox
