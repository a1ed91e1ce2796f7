// What is measured while a run goes on, against sums over all pairs and all particles on the host:
// in odd, small and mixed systems, with every kind of order that particles may lie in.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "io/input/start_file.hpp"
#include "tests/physics/observed.hpp"

namespace pencilbox::testing {
namespace {

ObservableChoice radial_distribution(double distance, int bins, std::int64_t every = 1) {
  return {"radial-distribution",
          every,
          0,
          {{"bins", static_cast<double>(bins)}, {"max_distance", distance}}};
}

ObservableChoice correlation(const char* name, int length, int origin_every,
                             std::int64_t every = 1) {
  return {name,
          every,
          0,
          {{"length", static_cast<double>(length)},
           {"origin_every", static_cast<double>(origin_every)}}};
}

constexpr const char* msd = "mean-squared-displacement";
constexpr const char* vacf = "velocity-autocorrelation";

/// Pairs of two types by bin, over all of them with the nearest image.
std::vector<double> pairs_by_bin(const Frame& frame, const Box& box, int a, int b, double most,
                                 std::size_t bins) {
  std::vector<double> counts(bins, 0.0);
  for (std::size_t i = 0; i < frame.position.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::array types{std::min(frame.species[i], frame.species[j]),
                             std::max(frame.species[i], frame.species[j])};
      if (types[0] != a || types[1] != b) continue;
      double squared = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double apart =
            nearest_image(frame.position[i][d] - frame.position[j][d], box.edges[d]);
        squared += apart * apart;
      }
      if (squared >= most * most) continue;
      const double place = std::sqrt(squared) / most * static_cast<double>(bins);
      counts[std::min(bins - 1, static_cast<std::size_t>(place))] += 1.0;
    }
  }
  return counts;
}

struct Shape {
  Double3 edges;
  int particles, types;
  double cutoff, most;
};

/// Boxes of one and two cells, of odd sides, and a distance that reaches over several cells. The
/// last has cells of 1.7 where a list has a skin of 0.4: those of two cells away come nearer than
/// that before the list is made anew.
const std::vector<Shape> shapes{{{2.7, 2.7, 2.7}, 14, 1, 2.5, 1.35},
                                {{2.6, 5.3, 7.9}, 70, 2, 2.5, 1.3},
                                {{7.3, 9.1, 8.6}, 380, 3, 1.2, 3.65},
                                {{11.9, 6.4, 8.7}, 420, 2, 2.5, 2.0},
                                {{11.9, 11.9, 11.9}, 1000, 1, 1.1, 1.69}};

TEST_P(ObservedOn, GOfRCountsEveryPairOnce) {
  constexpr std::size_t bins = 37;
  for (const Shape& shape : shapes) {
    const Box box = periodic_box(shape.edges[0], shape.edges[1], shape.edges[2]);
    StartState start = random_liquid(shape.particles, box, 0.7, 5, shape.types);
    for (std::size_t i = 0; i < start.velocity.size(); ++i) {
      start.velocity[i][i % 3] = i % 2 == 0 ? 3.0 : -3.0;
    }
    SimulationSetup setup = setup_of(std::move(start), shape.cutoff);
    setup.skin = 0.4;
    setup.observables = {radial_distribution(shape.most, bins, 9)};
    const auto simulation = backend().device->make(setup);
    std::vector<std::vector<double>> counts(9, std::vector<double>(bins, 0.0));
    const auto pair = [](int a, int b) { return static_cast<std::size_t>(a * 3 + b); };
    for (int step = 0; step <= 45; step += 3) {
      simulation->sample_observables();
      if (step % 9 == 0) {
        const Frame frame = simulation->snapshot(set_of({Field::position, Field::species}));
        for (int a = 0; a < shape.types; ++a) {
          for (int b = a; b < shape.types; ++b) {
            const auto more = pairs_by_bin(frame, box, a, b, shape.most, bins);
            auto& sum = counts[pair(a, b)];
            std::transform(sum.begin(), sum.end(), more.begin(), sum.begin(), std::plus<>());
          }
        }
      }
      simulation->advance(3, LastStep::forces_only);
    }
    const ObservableResult result = simulation->observable_results().front();
    EXPECT_EQ(result.samples, 6);
    double all = 0.0;
    for (int a = 0; a < shape.types; ++a) {
      for (int b = a; b < shape.types; ++b) {
        const auto of_type = [&](int type) {
          const auto& types = setup.start.type;
          return static_cast<double>(std::count(types.begin(), types.end(), type));
        };
        const std::string suffix =
            shape.types == 1 ? ""
                             : "_" + setup.start.types[static_cast<std::size_t>(a)].name + "_" +
                                   setup.start.types[static_cast<std::size_t>(b)].name;
        const double pairs =
            a == b ? of_type(a) * (of_type(a) - 1.0) / 2.0 : of_type(a) * of_type(b);
        double within = 0.0;
        for (std::size_t k = 0; k < bins; ++k) {
          const double width = shape.most / static_cast<double>(bins);
          const double inner = width * static_cast<double>(k), outer = inner + width;
          const double shell =
              4.0 / 3.0 * std::numbers::pi * (std::pow(outer, 3) - std::pow(inner, 3));
          const double counted = counts[pair(a, b)][k];
          within += a == b ? 2.0 * counted : counted;
          all += counted;
          ASSERT_NEAR(column(result, "g" + suffix)[k],
                      counted / (6.0 * pairs * shell / box.volume()), 1e-9)
              << suffix << " bin " << k << " of box " << shape.edges[0];
          ASSERT_NEAR(column(result, "n" + suffix)[k], within / (6.0 * of_type(a)), 1e-9) << suffix;
        }
      }
    }
    EXPECT_GT(all, 30.0) << "a test over nothing";
  }
}

Double3 unwrapped(const Frame& frame, const Box& box, std::size_t i) {
  Double3 position = frame.position[i];
  for (std::size_t d = 0; d < 3; ++d) position[d] += frame.image[i][d] * box.edges[d];
  return position;
}

/// Every origin that is `length` or less before, each `origin_every`-th sample.
std::vector<double> correlated(const std::vector<std::vector<Double3>>& samples, int length,
                               int origin_every, bool differences) {
  std::vector<double> sums(static_cast<std::size_t>(length) + 1, 0.0), counts = sums;
  for (int then = 0; then < static_cast<int>(samples.size()); then += origin_every) {
    for (int lag = 0; lag <= length && then + lag < static_cast<int>(samples.size()); ++lag) {
      const auto& a = samples[static_cast<std::size_t>(then)];
      const auto& b = samples[static_cast<std::size_t>(then + lag)];
      double sum = 0.0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t d = 0; d < 3; ++d) {
          sum += differences ? (b[i][d] - a[i][d]) * (b[i][d] - a[i][d]) : a[i][d] * b[i][d];
        }
      }
      sums[static_cast<std::size_t>(lag)] += sum / static_cast<double>(a.size());
      counts[static_cast<std::size_t>(lag)] += 1.0;
    }
  }
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] /= counts[k];
  return sums;
}

TEST_P(ObservedOn, TimeCorrelationsAreThoseOfTheFrames) {
  StartState start = random_liquid(230, periodic_box(6.1, 7.7, 5.3), 0.7, 9, 2);
  for (std::size_t i = 0; i < start.velocity.size(); ++i) {
    start.velocity[i] = {20.0 + 0.1 * static_cast<double>(i % 7), -15.0, 3.0};
  }
  const Box box = start.box;
  SimulationSetup setup = setup_of(std::move(start), 2.5);
  setup.observables = {correlation(msd, 5, 2, 2), correlation(vacf, 4, 3, 2)};
  const auto simulation = backend().device->make(setup);
  std::vector<std::vector<Double3>> positions, velocities;
  for (int step = 0; step <= 26; step += 2) {
    simulation->sample_observables();
    const Frame frame =
        simulation->snapshot(set_of({Field::position, Field::image, Field::velocity}));
    positions.emplace_back();
    for (std::size_t i = 0; i < frame.position.size(); ++i) {
      positions.back().push_back(unwrapped(frame, box, i));
    }
    velocities.push_back(frame.velocity);
    simulation->advance(2, LastStep::forces_only);
  }
  const auto results = simulation->observable_results();
  EXPECT_EQ(results[0].samples, 14);
  const auto expected_msd = correlated(positions, 5, 2, true);
  const auto expected_vacf = correlated(velocities, 4, 3, false);
  for (std::size_t lag = 0; lag < expected_msd.size(); ++lag) {
    EXPECT_NEAR(column(results[0], "msd")[lag], expected_msd[lag], 1e-11) << lag;
    EXPECT_NEAR(column(results[0], "time")[lag], 0.004 * static_cast<double>(lag), 1e-15);
  }
  for (std::size_t lag = 0; lag < expected_vacf.size(); ++lag) {
    EXPECT_NEAR(column(results[1], "vacf")[lag] / expected_vacf[lag], 1.0, 1e-13) << lag;
  }
  // Both types together are all particles.
  const auto& types = setup.start.type;
  const double share = static_cast<double>(std::count(types.begin(), types.end(), 0)) /
                       static_cast<double>(types.size());
  for (std::size_t lag = 0; lag < expected_msd.size(); ++lag) {
    EXPECT_NEAR(
        share * column(results[0], "msd_A")[lag] + (1.0 - share) * column(results[0], "msd_B")[lag],
        expected_msd[lag], 1e-11);
  }
}

PENCILBOX_WHERE(ObservedOn, keeps_an_order);

TEST_F(Observed, AnIdealGasHasAGOfOne) {
  SimulationSetup setup = setup_of(random_particles(6000, periodic_box(19, 18, 20), 3), 1.0);
  std::get<LennardJonesModel>(setup.potential).pairs = {{1e-6, 0.01}};
  setup.observables = {radial_distribution(9.0, 30)};
  const auto simulation = make(setup);
  simulation->sample_observables();
  const ObservableResult result = simulation->observable_results().front();
  const auto& g = column(result, "g");
  double chi_squared = 0.0;
  for (std::size_t k = 1; k < g.size(); ++k) {
    const double shell = 4.0 / 3.0 * std::numbers::pi *
                         (std::pow(0.3 * double(k + 1), 3) - std::pow(0.3 * double(k), 3));
    const double expected = 0.5 * 6000.0 * 5999.0 * shell / setup.start.box.volume();
    const double deviation = (g[k] - 1.0) * std::sqrt(expected);
    EXPECT_LT(std::abs(deviation), 4.5) << k;
    chi_squared += deviation * deviation;
  }
  EXPECT_LT(chi_squared, 29.0 + 4.0 * std::sqrt(2.0 * 29.0));
}

TEST_F(Observed, ACrystalHasItsShells) {
  const double side = std::cbrt(4.0 / 0.8442);  // of a unit cell
  SimulationSetup setup = setup_of(thermal_crystal(5, 0.8442));
  setup.observables = {radial_distribution(1.41 * side, 47)};
  const auto simulation = make(setup);
  simulation->sample_observables();
  const ObservableResult result = simulation->observable_results().front();
  std::vector<std::size_t> shells;
  for (std::size_t k = 0; k < 47; ++k) {
    if (column(result, "g")[k] > 0.0) shells.push_back(k);
  }
  const auto bin_of = [](double distance) { return static_cast<std::size_t>(distance / 0.03); };
  EXPECT_EQ(shells, (std::vector<std::size_t>{bin_of(std::sqrt(0.5)), bin_of(1.0),
                                              bin_of(std::sqrt(1.5))}));
  const auto& within = column(result, "n");
  EXPECT_EQ(within[shells[0]], 12.0);
  EXPECT_EQ(within[shells[1]], 12.0 + 6.0);
  EXPECT_EQ(within[shells[2]], 12.0 + 6.0 + 24.0);
}

/// At density 0.8442 and a temperature of 0.72: 3.02 at 1.08 to 1.09.
TEST_F(Observed, TheLiquidHasItsFirstPeak) {
  StartFileRequest request;
  SimulationSetup setup = setup_of(read_start(reference_file("liquid4000.data"), request));
  setup.precision = Precision::mixed;
  setup.backend = "vector-list";
  setup.options = {{"sums", "auto"}};
  setup.observables = {radial_distribution(2.5, 250, 20)};
  const auto simulation = make(setup);
  run(*simulation, 1000, 20);
  const ObservableResult result = simulation->observable_results().front();
  EXPECT_NEAR(number(result, "highest_g"), 3.02, 0.05);
  EXPECT_NEAR(number(result, "r_of_highest_g"), 1.085, 0.0101);
}

/// Over many boxes, with the cells open in one direction too.
TEST_F(Observed, FreeFlightIsSpeedTimesTimeSquared) {
  for (const bool open : {false, true}) {
    SimulationSetup setup = setup_of(thermal_crystal(2, 1e-3), 1.1);
    setup.start.box.periodic[1] = !open;
    for (Double3& velocity : setup.start.velocity) velocity = {30.0, -17.0, 5.0};
    setup.timestep = 0.02;
    setup.observables = {correlation(msd, 100, 25, 10), correlation(vacf, 100, 50, 10)};
    const auto simulation = make(setup);
    simulation->sample_observables();
    for (int batch = 0; batch < 120; ++batch) {
      simulation->advance(10, LastStep::with_energies);
      simulation->sample_observables();
    }
    const Frame frame = simulation->snapshot(set_of({Field::image}));
    EXPECT_GT(frame.image[0][0], 20) << "a flight within the box";
    const auto results = simulation->observable_results();
    const double speed_squared = 900.0 + 289.0 + 25.0;
    for (std::size_t lag = 0; lag <= 100; ++lag) {
      const double time = 0.2 * static_cast<double>(lag);
      EXPECT_NEAR(column(results[0], "msd")[lag], speed_squared * time * time,
                  1e-9 * speed_squared * time * time);
      EXPECT_NEAR(column(results[1], "vacf")[lag], speed_squared, 1e-9);
      EXPECT_NEAR(column(results[1], "diffusion")[lag], speed_squared * time / 3.0, 1e-7);
    }
    EXPECT_EQ(column(results[0], "origins")[0], 5.0);
    EXPECT_EQ(column(results[0], "origins")[100], 1.0);
  }
}

TEST_F(Observed, VelocitiesBeginWithTheTemperature) {
  SimulationSetup setup = setup_of(thermal_crystal(5, 0.8442));
  setup.start.types[0].mass = 1.7;
  setup.observables = {correlation(vacf, 10, 5)};
  const auto simulation = make(setup);
  const double temperature = simulation->observe().temperature;
  simulation->sample_observables();
  const auto n = static_cast<double>(setup.start.size());
  const double expected = 3.0 * temperature / 1.7 * (n - 1.0) / n;  // 3N - 3 degrees of freedom
  const ObservableResult result = simulation->observable_results().front();
  EXPECT_NEAR(column(result, "vacf")[0] / expected, 1.0, 1e-12);
  EXPECT_TRUE(std::isnan(column(result, "vacf")[1]));
  EXPECT_TRUE(std::isnan(number(result, "diffusion_coefficient")));
}

/// In a heat bath free particles diffuse with D = T / (m friction): Einstein's own relation.
TEST_F(Observed, BothDiffusionCoefficientsAreThoseOfTheHeatBath) {
  SimulationSetup setup = setup_of(thermal_crystal(7, 1e-5), 1.1);
  setup.integrator = "langevin";
  setup.parameters = {{"temperature", 1.5}, {"friction", 2.0}, {"seed", 4.0}};
  setup.timestep = 0.02;
  setup.observables = {correlation(msd, 100, 10, 5), correlation(vacf, 60, 10, 5)};
  const auto simulation = make(setup);
  simulation->advance(200);  // forgets the start
  run(*simulation, 3000, 5);
  const auto results = simulation->observable_results();
  EXPECT_NEAR(number(results[0], "diffusion_coefficient"), 0.75, 0.03);
  EXPECT_NEAR(number(results[1], "diffusion_coefficient"), 0.75, 0.03);
}

TEST_F(Observed, OnlyWhatIsDueTakesASample) {
  SimulationSetup setup = setup_of(thermal_crystal(4, 0.8442));
  setup.observables = {radial_distribution(2.0, 10, 3), correlation(msd, 10, 5, 2)};
  setup.observables[1].from = 5;
  const auto simulation = make(setup);
  simulation->sample_observables();
  run(*simulation, 12, 1);
  const auto results = simulation->observable_results();
  EXPECT_EQ(results[0].samples, 5);  // 0, 3, 6, 9, 12
  EXPECT_EQ(results[1].samples, 4);  // 6, 8, 10, 12
}

TEST_F(Observed, StatesGoOnWhereTheyWereToTheBit) {
  SimulationSetup setup = setup_of(random_liquid(500, periodic_box(9, 8, 10), 0.8, 2, 2));
  setup.deterministic = true;
  setup.observables = {radial_distribution(3.9, 100, 2), correlation(msd, 7, 2),
                       correlation(vacf, 6, 3)};
  const auto whole = make(setup);
  whole->sample_observables();
  run(*whole, 11, 1);
  const ExactState state = whole->exact_state();
  const auto states = whole->observable_states();
  const auto second = host().resume(setup, state);
  second->restore_observables(states);
  run(*whole, 9, 1);
  run(*second, 9, 1);
  const auto expected = whole->observable_results(), found = second->observable_results();
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(found[k].samples, expected[k].samples);
    for (std::size_t c = 0; c < expected[k].columns.size(); ++c) {
      const auto& a = expected[k].columns[c].values;
      const auto& b = found[k].columns[c].values;
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t row = 0; row < a.size(); ++row) {
        EXPECT_TRUE(a[row] == b[row] || (std::isnan(a[row]) && std::isnan(b[row])))
            << expected[k].columns[c].name << " " << row;
      }
    }
  }
}

TEST_F(Observed, AStateOfSomethingElseIsRefused) {
  SimulationSetup setup = setup_of(thermal_crystal(4, 0.8442));
  setup.observables = {correlation(msd, 7, 2)};
  const auto simulation = make(setup);
  simulation->sample_observables();
  auto states = simulation->observable_states();
  states[0].numbers["sums_0"].pop_back();
  EXPECT_THROW(simulation->restore_observables(states), InputError);
  states = simulation->observable_states();
  states[0].choice.parameters["length"] = 8.0;
  EXPECT_THROW(simulation->restore_observables(states), InputError);
}

TEST_F(Observed, AnOpenOrASmallBoxHasNoGOfR) {
  SimulationSetup setup = setup_of(thermal_crystal(4, 0.8442));
  const double half = 0.5 * setup.start.box.edges[0];
  setup.observables = {radial_distribution(half, 10)};
  EXPECT_NO_THROW(make(setup));
  setup.observables = {radial_distribution(half * 1.0001, 10)};
  EXPECT_THROW(make(setup), ObservableRefusal);
  EXPECT_THROW((void)host().check(setup), ObservableRefusal);
  setup.observables = {radial_distribution(1.0, 10)};
  setup.start.box.periodic[2] = false;
  EXPECT_THROW(make(setup), ObservableRefusal);
}

TEST_F(Observed, WhatItTakesIsCountedInTheMemory) {
  SimulationSetup setup = setup_of(thermal_crystal(4, 0.8442));
  const std::int64_t without = host().check(setup).device_bytes;
  setup.observables = {correlation(msd, 100, 10)};
  EXPECT_GE(host().check(setup).device_bytes - without, setup.start.size() * 12 * 24);
  setup.observables = {correlation(msd, 1000000, 1)};
  EXPECT_THROW(make(setup), ObservableRefusal);
}

}  // namespace
}  // namespace pencilbox::testing
