// Back ends that sum forces in whole quanta in mixed precision. What they share with all back ends
// is tested over the registry.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/every_backend.hpp"
#include "tests/support/exact_state.hpp"
#include "tests/support/forces_in_time.hpp"
#include "tests/support/heat_bath.hpp"
#include "tests/support/pairs_that_cancel.hpp"

namespace pencilbox::testing {
namespace {

std::vector<BackendCase> backends_with_quanta() {
  return cases_where([](const BackendCase& one) {
    return one.backend.info.sums_quanta && one.precision == Precision::mixed;
  });
}

class Quanta : public EveryBackend {
 protected:
  /// Relative to the largest force.
  static constexpr double bar = 2e-5;

  void expect_right(const SimulationSetup& setup) const {
    const Evaluation truth = evaluate_reference(setup);
    const Evaluation mine = run(setup);
    EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
              bar * largest_component(truth.frame.force));
    expect_to_cancel(mine.frame.force);
  }
};

SimulationSetup crowd(double distance, Truncation truncation, double cutoff = 2.5) {
  return make_lj_setup(random_liquid(400, periodic_box(8.3, 9.1, 8.7), distance, 31), cutoff,
                       truncation);
}

TEST_P(Quanta, ForcesOfPairsCancelToTheLastBit) {
  for (const double distance : {0.93, 0.7}) {  // of which the second has pairs that are too near
    for (const Truncation truncation : {Truncation::cut, Truncation::force_shift}) {
      SCOPED_TRACE(distance);
      expect_to_cancel(run(crowd(distance, truncation)).frame.force);
    }
  }
}

/// Where the largest force is a million times the others', they are as exact as without it: in a
/// row of four targets, and of a target's row alone.
TEST_P(Quanta, PairsThatAreTooNearAreExact) {
  for (const double apart : {0.45, 0.8}) {
    SCOPED_TRACE(apart);
    SimulationSetup setup = crowd(0.93, Truncation::force_shift);
    setup.start.position[1] = setup.start.position[0];
    setup.start.position[1][2] += apart;
    const Evaluation truth = evaluate_reference(setup);
    const Evaluation mine = run(setup);
    expect_exact_beside_a_near_pair(mine, truth, 500.0, bar);
    expect_to_cancel(mine.frame.force);
  }
}

/// More sources than the sum of all lanes may have in a word.
TEST_P(Quanta, RowsMayBeLong) {
  const StartState start = random_liquid(600, periodic_box(9.4, 9.4, 9.4), 0.85, 31);
  expect_right(make_lj_setup(start, 5.5, Truncation::force_shift));
}

/// Forces in a gas are too small for the quanta of a liquid.
TEST_P(Quanta, AreNotForAGas) {
  const SimulationSetup setup = make_lj_setup(random_liquid(300, periodic_box(30, 31, 32), 1.6, 7),
                                              2.5, Truncation::force_shift);
  const Evaluation truth = evaluate_reference(setup);
  EXPECT_LE(largest_difference(run(setup).frame.force, truth.frame.force),
            3e-6 * largest_component(truth.frame.force));
}

/// A lattice that reaches as far as a cutoff of many sigma is too coarse for these.
TEST_P(Quanta, AreNotForCutoffsOfManySigma) {
  constexpr double sigma = 0.12;
  Box crowded = periodic_box(1.2, 1.1, 1.2);
  crowded.periodic = {false, false, false};
  StartState start = random_liquid(700, crowded, 0.9 * sigma, 17, 1);
  start.box = periodic_box(9.0, 9.5, 8.9);
  SimulationSetup setup = make_lj_setup(start, 2.5, Truncation::shift);
  std::get<LennardJonesModel>(setup.potential).pairs[0].sigma = sigma;
  const Evaluation truth = evaluate_reference(setup);
  EXPECT_LE(largest_difference(run(setup).frame.force, truth.frame.force),
            bar * largest_component(truth.frame.force));
}

/// Who asks for doubles has their digits.
TEST_P(Quanta, AreNotWhereDoublesAreAskedFor) {
  SimulationSetup setup = crowd(0.93, Truncation::force_shift);
  const Evaluation truth = evaluate_reference(setup);
  const auto error = [&](const std::string& sums) {
    setup.options = default_options(backend().info);
    setup.options.at("sums") = sums;
    double squares = 0.0;
    const Evaluation mine = run(setup);
    for (std::size_t i = 0; i < mine.frame.force.size(); ++i) {
      for (std::size_t d = 0; d < 3; ++d) {
        const double off = mine.frame.force[i][d] - truth.frame.force[i][d];
        squares += off * off;
      }
    }
    return std::sqrt(squares);
  };
  EXPECT_LT(3.0 * error("double"), error("auto"));
}

/// Any sigma, epsilon and mass of numbers: the quantum follows the pair.
TEST_P(Quanta, FollowSigmaAndEpsilon) {
  for (const double sigma : {0.02, 3.4}) {
    SimulationSetup setup = crowd(0.93, Truncation::cut);
    auto& model = std::get<LennardJonesModel>(setup.potential);
    model.pairs[0] = {.epsilon = 120.0, .sigma = sigma};
    model.cutoff *= sigma;
    for (std::size_t d = 0; d < 3; ++d) setup.start.box.edges[d] *= sigma;
    for (Double3& position : setup.start.position) {
      for (double& component : position) component *= sigma;
    }
    expect_right(setup);
  }
}

/// Through an open face coordinates become as large as they like.
TEST_P(Quanta, HoldBeyondOpenFaces) {
  SimulationSetup setup = crowd(0.93, Truncation::shift);
  setup.start.box.periodic = {false, true, false};
  const std::size_t pair = setup.start.position.size() - 2;
  setup.start.position[pair][0] = setup.start.position[pair + 1][0] = 700.0;
  setup.start.position[pair + 1] = setup.start.position[pair];
  setup.start.position[pair + 1][0] += 1.05;
  expect_right(setup);
}

/// Four that follow each other in an almost empty part of the box are as far apart as they like.
TEST_P(Quanta, HoldWhereFewAreFarApart) {
  SimulationSetup setup = make_lj_setup(random_liquid(1300, periodic_box(20.0, 9.1, 8.7), 0.85, 31),
                                        2.5, Truncation::cut);
  setup.start.box.edges[0] = 60.0;
  auto next = setup.start.position.rbegin();
  for (const double x : {24.0, 37.0, 49.0}) {
    for (int k = 0; k < 5; ++k) *next++ = {x + 1.01 * k, 4.1 + 0.1 * k, 4.7};
  }
  expect_right(setup);
}

/// A run from a lattice, whose forces are small at first.
class QuantaOfACrystal : public Quanta {
 protected:
  SimulationSetup crystal() const {
    SimulationSetup setup = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::cut);
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.precision = precision();
    setup.timestep = 0.005;
    return setup;
  }
  std::unique_ptr<Simulation> started(const SimulationSetup& setup) const {
    return backend().device->make(setup);
  }
};

TEST_P(QuantaOfACrystal, AreNotForItsFirstSteps) {
  const SimulationSetup setup = crystal();
  const auto simulation = started(setup);
  for (int step = 0; step <= 24; step += 2) {
    SCOPED_TRACE(step);
    expect_right_forces(*simulation, setup);
    EXPECT_TRUE(step > 4 || !has_large_forces(simulation->exact_state()));
    simulation->advance(2, step % 4 == 0 ? LastStep::forces_only : LastStep::with_energies);
  }
  EXPECT_TRUE(has_large_forces(simulation->exact_state()));
}

/// Between two looks at its forces, and before and behind the one that finds them large.
TEST_P(QuantaOfACrystal, GoOnAsTheyWere) {
  if (!has_a_fixed_order(GetParam())) GTEST_SKIP() << "its bits are not the same each time";
  SimulationSetup setup = crystal();
  setup.deterministic = true;
  setup.steps = 40;
  const auto whole = started(setup);
  std::vector<ExactState> on_the_way;
  for (const std::int64_t step : {3, 8, 12, 16, 20}) {
    whole->advance(step - whole->step(), LastStep::forces_only);
    on_the_way.push_back(whole->exact_state());
  }
  whole->advance(40 - whole->step());
  for (const ExactState& state : on_the_way) {
    SCOPED_TRACE(state.step);
    const auto resumed = backend().device->resume(setup, state);
    expect_same(resumed->exact_state(), state);
    resumed->advance(40 - state.step);
    expect_same(resumed->exact_state(), whole->exact_state());
  }
}

/// Forces of a minimum are smaller than any quantum.
TEST_P(QuantaOfACrystal, AreNotWhereAMinimumIsSought) {
  constexpr double tolerance = 1e-5;
  SimulationSetup setup = with_integrator(
      crystal(), "fire", {{"force_tolerance", tolerance}, {"max_displacement", 0.1}});
  for (std::size_t i = 0; i < setup.start.position.size(); i += 3) {
    setup.start.position[i][i % 2] += 0.08;
  }
  const auto simulation = started(setup);
  for (int k = 0; k < 8 && !simulation->minimisation()->converged(); ++k) {
    simulation->advance(128, LastStep::forces_only);
  }
  EXPECT_LE(simulation->minimisation()->largest_force, tolerance);
  EXPECT_FALSE(has_large_forces(simulation->exact_state()));
}

INSTANTIATE_TEST_SUITE_P(, Quanta, ::testing::ValuesIn(backends_with_quanta()), case_name);
INSTANTIATE_TEST_SUITE_P(, QuantaOfACrystal, ::testing::ValuesIn(backends_with_quanta()),
                         case_name);

}  // namespace
}  // namespace pencilbox::testing
