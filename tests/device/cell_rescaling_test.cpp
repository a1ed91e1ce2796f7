// Stochastic cell rescaling without any particles: an ideal gas, whose momenta are drawn anew
// before each step, has volumes of a known distribution.
#include "integrators/cell_rescaling.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

constexpr double temperature = 1.5, pressure = 0.3;
constexpr int gas_particles = 40;

CellRescaling barostat_of(double relaxation_time, std::int64_t every = 1) {
  Barostat barostat{stochastic_cell_rescaling,
                    {{"pressure", pressure},
                     {"relaxation_time", relaxation_time},
                     {"compressibility", 1.0 / pressure},
                     {"every", static_cast<double>(every)},
                     {"seed", 7.0}}};
  return {barostat, {0.01, {}, {{"temperature", temperature}}, 0, 100}};
}

Box cube(double volume) {
  const double edge = std::cbrt(volume);
  return {{1.0, 2.0, 3.0}, {edge, edge, edge}};
}

/// p(V) ~ V^N exp(-P V/T): mean (N + 1) T/P, variance (N + 1) (T/P)^2. A barostat that is off by
/// the volume that is a measure (V^(N-1)), or by a spurious drift, misses the mean by 1/N or 2.5 %.
TEST(CellRescaling, AnIdealGasHasTheVolumesOfItsEnsemble) {
  std::mt19937_64 random(1);
  std::gamma_distribution<double> kinetic_energy(1.5 * gas_particles, temperature);
  CellRescaling barostat = barostat_of(2.0);  // 0.005 of it a step
  Box box = cube((gas_particles + 1) * temperature / pressure);
  const int steps = 2000000;
  double sum = 0.0, squares = 0.0, weights = 0.0;
  for (int step = 1; step <= steps; ++step) {
    const double before = box.volume(), energy = kinetic_energy(random);
    box = barostat.next(box, {energy, 0.0}, step);
    const double volume = box.volume();
    const double after = energy * std::pow(before / volume, 2.0 / 3.0);
    const double booked = barostat.energy();
    barostat.book(box, {after, 0.0});
    weights += std::exp(-(after - energy + barostat.energy() - booked) / temperature);
    sum += volume;
    squares += volume * volume;
  }
  const double unit = temperature / pressure;
  const double mean = sum / steps, variance = squares / steps - mean * mean;
  // 5,000 volumes that know nothing of each other: 0.2 % of a mean, 2 % of a variance.
  EXPECT_NEAR(mean / unit, gas_particles + 1, 0.004 * (gas_particles + 1));
  EXPECT_NEAR(variance / (unit * unit), gas_particles + 1, 0.08 * (gas_particles + 1));
  // What is booked is the logarithm of a ratio of probabilities, whose mean is 1.
  EXPECT_NEAR(weights / steps, 1.0, 1e-4);
}

/// At rest, without noise: the volume follows the pressure at the rate of the relaxation time.
TEST(CellRescaling, RelaxesInTheTimeThatIsAsked) {
  Barostat barostat{stochastic_cell_rescaling,
                    {{"pressure", 2.0},
                     {"relaxation_time", 4.0},
                     {"compressibility", 0.05},
                     {"every", 5.0},
                     {"seed", 1.0}}};
  CellRescaling cold(barostat, {0.02, {}, {{"temperature", 0.0}}, 0, 100});
  const Box before = cube(1000.0);
  const Box after = cold.next(before, {0.0, 3.0 * 1000.0 * 2.4}, 5);
  // d ln V = beta/tau (P - P0) h = 0.0125 * 0.4 * 0.1
  EXPECT_NEAR(std::log(after.volume() / before.volume()), 5e-4, 1e-6);
  EXPECT_EQ(after.lower, before.lower);
  EXPECT_EQ(cold.next(before, {0.0, 3.0 * 1000.0 * 2.0}, 5).volume(), before.volume());
}

TEST(CellRescaling, DrawsByStepAndSeed) {
  const Box box = cube(200.0);
  const CellRescaling::Sums sums{100.0, 5.0};
  const double first = barostat_of(100.0).next(box, sums, 3).volume();
  EXPECT_EQ(barostat_of(100.0).next(box, sums, 3).volume(), first);
  EXPECT_NE(barostat_of(100.0).next(box, sums, 4).volume(), first);
}

TEST(CellRescaling, RefusesALeap) {
  CellRescaling barostat = barostat_of(0.01);
  try {
    (void)barostat.next(cube(200.0), {100.0, 1e5}, 12);
    FAIL() << "accepted";
  } catch (const PhysicsError& error) {
    EXPECT_NE(std::string(error.what()).find("step 12: the barostat would change the volume"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
