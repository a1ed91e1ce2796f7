#include "app/engine/large_forces.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace pencilbox {
namespace {

TEST(LargeForces, AreLookedForSoonAfterTheStartAndThenSeldom) {
  StageSettings stage;
  stage.first_step = 100;
  std::vector<std::int64_t> looks;
  for (std::int64_t step = 0; step <= 50000; ++step) {
    if (looks_at_forces_at(step, stage)) looks.push_back(step);
  }
  const std::vector<std::int64_t> expected = {8,    16,   32,   64,   100,   128,   256,  512,
                                              1024, 2048, 4096, 8192, 16384, 32768, 49152};
  EXPECT_EQ(looks, expected);
}

TEST(LargeForces, NoLookIsPassed) {
  for (std::int64_t step = 0; step <= 3000; ++step) {
    const std::int64_t next = step + steps_to_look_at_forces(step);
    ASSERT_GT(next, step);
    StageSettings stage;
    stage.first_step = -1;
    ASSERT_TRUE(looks_at_forces_at(next, stage)) << next;
    for (std::int64_t between = step + 1; between < next; ++between) {
      ASSERT_FALSE(looks_at_forces_at(between, stage)) << between;
    }
  }
}

Problem liquid(double epsilon, double sigma) {
  Problem problem;
  problem.precision = Precision::mixed;
  problem.particles = 8442;
  problem.grid.cells = {8, 8, 8};
  const double edge = std::cbrt(1e4) * sigma;
  problem.grid.side = {edge / 8, edge / 8, edge / 8};
  LennardJonesModel model;
  model.cutoff = 2.5 * sigma;
  model.types = 1;
  model.pairs = {{.epsilon = epsilon, .sigma = sigma}};
  problem.potential = model;
  return problem;
}

/// Of 55 partners each is off by 0.29 quanta of 4.6e-5 in the mean of squares.
TEST(LargeForces, AreThoseThatQuantaAreTooSmallFor) {
  for (const double sigma : {0.02, 1.0, 3.4}) {
    for (const double epsilon : {1.0, 120.0}) {
      const Problem problem = liquid(epsilon, sigma);
      const double least = 3.95 * epsilon / sigma;
      EXPECT_NEAR(least_force_for_quanta(problem), least, 0.01 * least);
      const double squares = 3.0 * problem.particles * least * least;
      EXPECT_TRUE(are_forces_large(problem, 1.03 * squares));
      EXPECT_FALSE(are_forces_large(problem, 0.97 * squares));
      EXPECT_FALSE(are_forces_large(problem, std::nan("")));
    }
  }
}

TEST(LargeForces, AreInNoDouble) {
  Problem problem = liquid(1.0, 1.0);
  problem.precision = Precision::double_;
  EXPECT_FALSE(are_forces_large(problem, 1e12));
  NamedNumbers carried;
  put_forces_into(carried, problem);
  EXPECT_TRUE(carried.empty());
}

TEST(LargeForces, GoIntoACheckpointAndOutAgain) {
  for (const bool large : {false, true}) {
    Problem problem = liquid(1.0, 1.0);
    problem.forces_are_large = large;
    NamedNumbers carried{{"another", {1.0}}};
    put_forces_into(carried, problem);
    EXPECT_EQ(carried.size(), 2U);
    Problem other = liquid(1.0, 1.0);
    other.forces_are_large = !large;
    take_forces_from(carried, {}, other);
    EXPECT_EQ(other.forces_are_large, large);
    EXPECT_EQ(carried.size(), 1U);
  }
}

/// One of before, which has forces.
TEST(LargeForces, OfAnotherCheckpointAreLookedUp) {
  ExactState state;
  NamedNumbers carried;
  Problem problem = liquid(1.0, 1.0);
  state.force.assign(static_cast<std::size_t>(problem.particles), {5.0, -5.0, 5.0});
  take_forces_from(carried, state, problem);
  EXPECT_TRUE(problem.forces_are_large);
  state.force.assign(static_cast<std::size_t>(problem.particles), {3.0, -3.0, 3.0});
  take_forces_from(carried, state, problem);
  EXPECT_FALSE(problem.forces_are_large);
}

}  // namespace
}  // namespace pencilbox
