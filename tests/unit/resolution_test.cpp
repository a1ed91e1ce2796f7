// What an arithmetic cannot resolve is found, and what it can is left alone.
#include "neighbor/cells/resolution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "neighbor/cells/unresolved.hpp"
#include "neighbor/problem.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::HasSubstr;

constexpr double cutoff = 2.5;

std::optional<Unresolved> unresolved(const std::vector<Double3>& positions, Precision precision,
                                     Bool3 periodic = {false, false, false}) {
  CellGrid grid;
  grid.side = {cutoff, cutoff, cutoff};
  grid.cells = {4, 4, 4};
  grid.periodic = periodic;
  return first_unresolved(grid, cutoff, places_of(grid, positions),
                          resolution_of(LennardJonesModel{}, precision));
}

TEST(Resolution, FollowsTheSmallestSigma) {
  LennardJonesModel mixture;
  mixture.types = 2;
  mixture.pairs = {{1, 1}, {1, 0.5}, {1, 0.5}, {1, 0.02}};
  const Resolution small = resolution_of(mixture, Precision::mixed);
  const Resolution one = resolution_of(LennardJonesModel{}, Precision::mixed);
  EXPECT_DOUBLE_EQ(small.widest_cell(), 0.02 * one.widest_cell());
  EXPECT_LT(one.farthest_with_partner(), 1e3);
  EXPECT_GT(one.farthest(), 1e10);
  EXPECT_LT(resolution_of(LennardJonesModel{}, Precision::single).farthest(), 1e3);
}

TEST(Resolution, AloneAParticleMayBeAsFarAsItsStateIsFine) {
  const std::vector<Double3> positions{{2, 2, 2}, {3, 2, 2}, {1e5, 2, 2}, {2, -1e6, 2}};
  EXPECT_FALSE(unresolved(positions, Precision::double_));
  EXPECT_FALSE(unresolved(positions, Precision::mixed));
  const auto found = unresolved(positions, Precision::single);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->row, 2U);
  EXPECT_FALSE(found->partner);
}

TEST(Resolution, AFarParticleMayHaveNoPartner) {
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<Double3> positions(4, Double3{2, 2, 2});
    positions[2][d] = -1e5;
    positions[3] = positions[2];
    positions[3][(d + 1) % 3] += 1.1;
    const auto found = unresolved(positions, Precision::mixed);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->row + found->partner.value(), 2U + 3U);
    EXPECT_FALSE(unresolved(positions, Precision::double_));
  }
}

TEST(Resolution, APartnerMayBeAcrossAPeriodicFace) {
  const std::vector<Double3> positions{{2, 1e5, 0.2}, {2, 1e5, 9.8}};
  EXPECT_TRUE(unresolved(positions, Precision::mixed, {false, false, true}));
  EXPECT_FALSE(unresolved(positions, Precision::mixed));
}

TEST(Resolution, SidesAreCounted) {
  EXPECT_FALSE(unresolved({{2, 2, 2}, {1e9, 2, 2}}, Precision::double_));
  EXPECT_TRUE(unresolved({{2, 2, 2}, {1e10, 2, 2}}, Precision::double_));
}

Problem periodic_problem(double side, double cell, double sigma) {
  LennardJonesModel model;
  model.pairs = {{1.0, sigma}};
  Problem problem;
  problem.potential = model;
  problem.box = {{0, 0, 0}, {side, side, side}, {true, true, true}};
  problem.grid.periodic = {true, true, true};
  problem.grid.side = {cutoff, cell, cutoff};
  return problem;
}

TEST(Resolution, WideCellsAreRefusedWhereSeparationsAreTooCoarse) {
  EXPECT_FALSE(separations_too_coarse(periodic_problem(1e4, 200, 1), Precision::mixed));
  for (const Precision precision : {Precision::single, Precision::mixed}) {
    for (const auto& [cell, sigma] : {std::pair{220.0, 1.0}, {2.2, 0.01}, {2.2e4, 100.0}}) {
      const Problem problem = periodic_problem(1e6, cell, sigma);
      const auto reason = separations_too_coarse(problem, precision);
      ASSERT_TRUE(reason) << cell;
      EXPECT_THAT(*reason, HasSubstr(std::string(name_of(precision)) + " precision"));
      EXPECT_THAT(*reason, HasSubstr("run.precision: double"));
      EXPECT_FALSE(separations_too_coarse(problem, Precision::double_));
    }
  }
}

TEST(Resolution, InDoubleTheSizeOfTheBoxCounts) {
  EXPECT_FALSE(separations_too_coarse(periodic_problem(1e7, 1e5, 1), Precision::double_));
  EXPECT_TRUE(separations_too_coarse(periodic_problem(1e15, 1e5, 1), Precision::double_));
  EXPECT_TRUE(separations_too_coarse(periodic_problem(1e15, 1e13, 1), Precision::double_));
}

}  // namespace
}  // namespace pencilbox::testing
