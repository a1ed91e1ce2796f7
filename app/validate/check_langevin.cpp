// A heat bath: mean temperature, and velocities as Maxwell and Boltzmann have them.
#include <cmath>

#include <fmt/format.h>

#include "app/validate/check.hpp"

namespace pencilbox {
namespace {

constexpr double temperature = 1.0;
constexpr double friction = 5.0;
/// Short: the temperature at whole steps is too low by about (16 dt)^2 / 4, 16 / tau being how fast
/// a particle rattles among its neighbours. Here that is 0.0003, far below the error of the mean.
constexpr double timestep = 0.002;

SimulationSetup liquid(const Subject& subject) {
  SimulationSetup setup =
      subject.setup(warm_crystal(6, 0.8, 2.0 * temperature), 2.5, Truncation::force_shift);
  setup.timestep = timestep;
  // 25 times as long as the bath remembers.
  return after(subject, 2500, in_bath(setup, temperature, friction), setup);
}

/// The probability of the velocity components that this seed leaves.
double probability(const Subject& subject, const SimulationSetup& start, double seed) {
  const auto simulation = subject.make(in_bath(start, temperature, friction, seed));
  simulation->advance(500);  // a velocity's memory is down to exp(-5)
  FieldSet fields;
  fields.insert(Field::velocity);
  std::vector<double> numbers;
  for (const Double3& velocity : simulation->snapshot(fields).velocity) {
    for (const double component : velocity) numbers.push_back(component / std::sqrt(temperature));
  }
  return kolmogorov_smirnov(std::move(numbers), cumulative_normal);
}

void judge_temperature(const Subject& subject, const SimulationSetup& start, ValidationRow& row) {
  constexpr std::int64_t every = 10;
  const auto simulation = subject.make(in_bath(start, temperature, friction));
  std::vector<double> temperatures;
  judge_by_work({&row}, subject.full ? 64000 : 16000, [&](std::int64_t steps) {
    for (std::int64_t done = 0; done < steps; done += every) {
      simulation->advance(every);
      temperatures.push_back(simulation->observe().temperature);
    }
    judge_mean(row, block_average(temperatures));
  });
}

/// Of right velocities 1 % have a probability below 0.01: of 20 seeds two or more in 17 cases of
/// 1000, so that they are in doubt; of 80 five or more in 2 of 1000.
void judge_velocities(const Subject& subject, const SimulationSetup& start, ValidationRow& row) {
  constexpr double percent = 100.0;
  std::int64_t seeds = 0, good = 0;
  judge_by_work({&row}, subject.full ? 100 : 20, [&](std::int64_t more) {
    for (const std::int64_t all = seeds + more; seeds < all;) {
      ++seeds;
      subject.tell(fmt::format("seed {}", seeds));
      const double seed = 1000.0 + static_cast<double>(seeds);
      good += probability(subject, start, seed) > 0.01 ? 1 : 0;
    }
    row.value = percent * static_cast<double>(good) / static_cast<double>(seeds);
  });
}

}  // namespace

ValidationRows check_langevin(const Subject& subject) {
  return answered_by_long_runs(subject,
                               {{"heat bath: mean temperature", temperature, 0.0, source_theory},
                                {"heat bath: % Maxwell-Boltzmann", 100.0, 5.0, source_theory}},
                               [&](ValidationRows& rows) {
                                 const SimulationSetup start = liquid(subject);
                                 judge_temperature(subject, start, rows[0]);
                                 judge_velocities(subject, start, rows[1]);
                               });
}

}  // namespace pencilbox
