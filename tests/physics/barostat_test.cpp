// Stochastic cell rescaling beside each thermostat: pressure and volumes of the ensemble, what is
// conserved, ramps, and that it is the same everywhere.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/validate/statistics.hpp"
#include "core/error.hpp"
#include "core/ramp_parameter.hpp"
#include "tests/physics/observed.hpp"
#include "tests/support/exact_state.hpp"
#include "tests/support/heat_bath.hpp"

namespace pencilbox::testing {
namespace {

IntegratorParameters bath(const std::string& thermostat) {
  return bath_parameters(thermostat, 1.0, 2.0, 0.2);
}

Barostat under(double pressure, double relaxation_time, std::int64_t every) {
  return {stochastic_cell_rescaling,
          {{"pressure", pressure},
           {"relaxation_time", relaxation_time},
           {"compressibility", 0.1},
           {"every", static_cast<double>(every)},
           {"seed", 3.0}}};
}

SimulationSetup liquid(const std::string& thermostat, int cells, const Barostat& barostat) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(cells, 0.75), 2.5, Truncation::force_shift);
  setup.timestep = 0.004;
  setup.precision = Precision::double_;
  setup = with_integrator(std::move(setup), thermostat, bath(thermostat));
  setup.barostat = barostat;
  return setup;
}

class UnderPressure : public ::testing::TestWithParam<std::string> {
 protected:
  static SimulationSetup liquid(int cells, const Barostat& barostat) {
    return testing::liquid(GetParam(), cells, barostat);
  }
};

/// Of p(V) ~ exp(-(F(V) + P0 V)/T) follow <P> = P0 and <V (P - P0)> = -T by partial integration:
/// the second is wrong where the volume has the right mean and wrong fluctuations. Where momentum
/// stays, 3N - 3 degrees of freedom are in P, and nothing else changes.
TEST_P(UnderPressure, PressureAndVolumeAreThoseOfTheEnsemble) {
  constexpr double pressure = 2.0;
  const auto simulation = host().make(liquid(3, under(pressure, 0.5, 5)));
  simulation->advance(2000);
  std::vector<double> pressures, products;
  for (int k = 0; k < 4800; ++k) {
    simulation->advance(5);
    const Observation sums = simulation->observe();
    pressures.push_back(sums.pressure);
    products.push_back(sums.volume * (sums.pressure - pressure));
  }
  const Estimate mean = block_average(pressures), product = block_average(products);
  EXPECT_LT(mean.standard_error, 0.05);
  EXPECT_NEAR(mean.mean, pressure, 4.0 * mean.standard_error);
  // The product's mean is that of the pressure's error times the volume, and -T; without that
  // error:
  const double volume = simulation->observe().volume;
  EXPECT_NEAR(product.mean - volume * (mean.mean - pressure), -1.0, 0.35) << product.mean;
}

TEST_P(UnderPressure, ConservesWhatBathAndBarostatDidNotGive) {
  const LargestChanges largest = changes_in_bath(liquid(4, under(3.0, 1.0, 10)));
  EXPECT_GT(largest.total_energy, 0.02) << "they were to give and take";
  EXPECT_LT(largest.conserved_energy, 3e-3);
}

/// In steps taken one by one, or several at once; with and without a list.
TEST_P(UnderPressure, EveryBackEndHasTheSameTrajectory) {
  expect_same_trajectory_everywhere(liquid(4, under(3.0, 0.2, 4)));
}

TEST_P(UnderPressure, LookingChangesNoBit) {
  SimulationSetup setup = liquid(4, under(3.0, 0.2, 4));
  setup.deterministic = true;
  for (const Precision precision : {Precision::single, Precision::mixed, Precision::double_}) {
    setup.precision = precision;
    const auto looked_at = host().make(setup);
    const auto alone = host().make(setup);
    for (int k = 0; k < 22; ++k) looked_at->advance(1, LastStep::forces_only);
    alone->advance(22, LastStep::forces_only);
    expect_same(looked_at->exact_state(), alone->exact_state());
  }
}

INSTANTIATE_TEST_SUITE_P(Beside, UnderPressure,
                         ::testing::Values("langevin", "velocity-rescaling", "nose-hoover"),
                         [](const auto& kind) {
                           std::string name = kind.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Barostat, MomentumStays) {
  const auto simulation = host().make(liquid("velocity-rescaling", 4, under(3.0, 0.5, 5)));
  const double before = simulation->observe().volume;
  simulation->advance(1000);
  const Observation sums = simulation->observe();
  EXPECT_GT(std::abs(sums.volume / before - 1.0), 0.01) << "the box was to change";
  const double scale = std::sqrt(2.0 * sums.kinetic_energy);
  for (const double component : sums.momentum) EXPECT_LT(std::abs(component) / scale, 1e-12);
}

TEST(Barostat, ARampEndsAtItsPressure) {
  Barostat barostat = under(1.0, 0.3, 5);
  barostat.parameters[ramp_end("pressure")] = 4.0;
  SimulationSetup setup = liquid("langevin", 4, barostat);
  setup.steps = 4000;
  const auto simulation = host().make(setup);
  const auto mean = [&](int samples) {
    double sum = 0.0;
    for (int k = 0; k < samples; ++k) {
      simulation->advance(5);
      sum += simulation->observe().pressure;
    }
    return sum / samples;
  };
  simulation->advance(1500);
  EXPECT_NEAR(mean(200), 2.5, 0.3) << "half-way";
  simulation->advance(1500);
  EXPECT_NEAR(mean(800), 4.0, 0.2) << "and stays there";
}

/// The number of a stage's own parameters; the box that it begins with is that of the stage before.
TEST(Barostat, EndsWithItsStage) {
  SimulationSetup setup = liquid("langevin", 4, under(3.0, 0.5, 5));
  setup.steps = 100;
  const auto simulation = host().make(setup);
  simulation->advance(100);
  const double volume = simulation->observe().volume;
  EXPECT_NE(volume, setup.start.box.volume());
  StageSettings next = setup;
  next.barostat.reset();
  next.first_step = 100;
  simulation->begin_stage(next);
  simulation->advance(100);
  EXPECT_EQ(simulation->observe().volume, volume);
}

TEST(Barostat, TakesTheTailWithIt) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(3, 0.75), 2.5, Truncation::cut);
  setup.timestep = 0.004;
  setup = with_integrator(std::move(setup), "langevin", bath("langevin"));
  std::get<LennardJonesModel>(setup.potential).tail_correction = true;
  setup.barostat = under(1.0, 0.5, 5);
  const auto simulation = host().make(setup);
  simulation->advance(2000);
  std::vector<double> pressures;
  for (int k = 0; k < 1600; ++k) {
    simulation->advance(5);
    pressures.push_back(simulation->observe().pressure);
  }
  const Estimate mean = block_average(pressures);
  EXPECT_NEAR(mean.mean, 1.0, 4.0 * mean.standard_error);
  EXPECT_LT(mean.standard_error, 0.08) << "the tail is -0.5";
}

TEST(Barostat, WithoutAHeatBathThereIsNone) {
  SimulationSetup setup = liquid("langevin", 3, under(1.0, 0.5, 5));
  setup = with_integrator(std::move(setup), "velocity-verlet", {});
  EXPECT_THROW((void)host().make(setup), InputError);
}

TEST(Barostat, ABoxThatBecomesTooSmallIsRefusedInWords) {
  SimulationSetup setup = liquid("langevin", 2, under(8.0, 2.0, 5));  // 3.5 wide
  std::get<LennardJonesModel>(setup.potential).cutoff = 3.4;
  try {
    host().make(setup)->advance(3000);
    FAIL() << "went on";
  } catch (const PhysicsError& error) {
    EXPECT_NE(std::string(error.what()).find("in the box that the barostat has made"),
              std::string::npos)
        << error.what();
  }
}

/// A gas that is pressed to half its volume: g(r) is one, relative to the density of each sample,
/// where that of the first would give 1.4.
SimulationSetup pressed_gas(double distance) {
  SimulationSetup setup =
      make_lj_setup(random_particles(6000, periodic_box(19, 18, 20), 3), 1.0, Truncation::cut);
  std::get<LennardJonesModel>(setup.potential).pairs = {{1e-300, 1.0}};
  setup.timestep = 0.02;
  setup.precision = Precision::double_;
  setup = with_integrator(std::move(setup), "langevin", bath("langevin"));
  setup.barostat = under(3.0, 0.5, 5);
  setup.observables = {{"radial-distribution", 10, 0, {{"bins", 8}, {"max_distance", distance}}},
                       {"pressure-tensor", 10, 0, {{"blocks", 10}}}};
  return setup;
}

TEST(ObservedUnderPressure, EachSampleHasItsOwnVolume) {
  const SimulationSetup setup = pressed_gas(4.0);
  const auto simulation = host().make(setup);
  std::vector<double> pressures;
  for (int k = 0; k < 30; ++k) {
    simulation->advance(10);
    simulation->sample_observables();
    pressures.push_back(simulation->observe().pressure);
  }
  EXPECT_LT(simulation->observe().volume, 0.6 * setup.start.box.volume());
  const std::vector<ObservableResult> results = simulation->observable_results();
  const auto& g = column(results[0], "g");
  for (std::size_t k = 1; k < g.size(); ++k) EXPECT_NEAR(g[k], 1.0, 0.02) << k;
  const auto& tensor = column(results[1], "pressure");
  ASSERT_EQ(tensor.size(), pressures.size());
  for (std::size_t k = 0; k < tensor.size(); ++k) EXPECT_NEAR(tensor[k], pressures[k], 1e-10);
}

TEST(ObservedUnderPressure, ADistanceThatNoLongerFitsIsRefusedInWords) {
  const auto simulation = host().make(pressed_gas(8.9));
  try {
    for (int k = 0; k < 30; ++k) {
      simulation->advance(10);
      simulation->sample_observables();
    }
    FAIL() << "went on";
  } catch (const PhysicsError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("in the box that the barostat has made: observables: radial-distribution: "
                        "max_distance: more than half of the shortest side"),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace pencilbox::testing
