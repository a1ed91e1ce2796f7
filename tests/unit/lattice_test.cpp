// Crystals: how many, how dense, how near, and in the order of LAMMPS.
#include "core/lattice.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/support/start_states.hpp"

namespace pencilbox::testing {
namespace {

struct Crystal {
  LatticeType type;
  int basis;
  double nearest;  ///< neighbour distance in lattice constants
};

class EveryLattice : public ::testing::TestWithParam<Crystal> {};

TEST_P(EveryLattice, HasItsCountDensityAndNeighbourDistance) {
  const Crystal crystal = GetParam();
  const Lattice lattice{crystal.type, 0.7, {2, 3, 4}};
  const StartState start = make_lattice(lattice, {true, false, true});
  EXPECT_EQ(start.size(), 24 * crystal.basis);
  EXPECT_EQ(start.size(), particle_count(lattice));
  EXPECT_NEAR(static_cast<double>(start.size()) / start.box.volume(), 0.7, 1e-14);
  EXPECT_EQ(start.box.lower, (Double3{0.0, 0.0, 0.0}));
  EXPECT_EQ(start.box.periodic, (Bool3{true, false, true}));
  const double constant = start.box.edges[0] / 2.0;
  EXPECT_NEAR(start.box.edges[1] / constant, 3.0, 1e-14);
  EXPECT_NEAR(start.box.edges[2] / constant, 4.0, 1e-14);
  EXPECT_NEAR(nearest_distance(start), crystal.nearest * constant, 1e-13);
  for (const Double3& position : start.position) {
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_GE(position[d], 0.0);
      EXPECT_LT(position[d], start.box.edges[d]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, EveryLattice,
                         ::testing::Values(Crystal{LatticeType::sc, 1, 1.0},
                                           Crystal{LatticeType::bcc, 2, std::sqrt(3.0) / 2.0},
                                           Crystal{LatticeType::fcc, 4, std::sqrt(0.5)}));

TEST(Lattice, IsTheMeltOfLammps) {
  const StartState start =
      make_lattice({LatticeType::fcc, 0.8442, {20, 20, 20}}, {true, true, true});
  ASSERT_EQ(start.size(), 32000);
  // The box and the first atoms as LAMMPS ("29 Sep 2021 - Update 2") writes them.
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(start.box.edges[d], 33.59192382765015, 1e-13);
  const Double3 expected[] = {{0, 0, 0},
                              {0.8397980956912536, 0.8397980956912536, 0},
                              {0.8397980956912536, 0, 0.8397980956912536},
                              {0, 0.8397980956912536, 0.8397980956912536},
                              {1.6795961913825073, 0, 0}};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(start.id[i], static_cast<ParticleId>(i + 1));
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(start.position[i][d], expected[i][d], 1e-15);
  }
  // Then y: atom 81 begins the second row.
  EXPECT_NEAR(start.position[80][0], 0.0, 1e-15);
  EXPECT_NEAR(start.position[80][1], 1.6795961913825073, 1e-15);
  EXPECT_EQ(start.id.back(), 32000);
}

TEST(Lattice, LiesInTheMiddleOfItsGap) {
  const Lattice filled{LatticeType::fcc, 0.8, {2, 2, 3}};
  Lattice slab = filled;
  slab.gap = {0.0, 1.5, 20.0};
  const StartState start = make_lattice(filled, {true, true, true});
  const StartState moved = make_lattice(slab, {true, true, true});
  ASSERT_EQ(moved.size(), start.size());
  EXPECT_EQ(moved.box.lower, (Double3{0.0, 0.0, 0.0}));
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_DOUBLE_EQ(moved.box.edges[d], start.box.edges[d] + slab.gap[d]);
    for (std::size_t i = 0; i < start.position.size(); ++i) {
      EXPECT_DOUBLE_EQ(moved.position[i][d], start.position[i][d] + slab.gap[d] / 2.0);
    }
  }
}

TEST(Lattice, StartsAtRestWithOneType) {
  const StartState start = make_lattice({LatticeType::sc, 1.0, {1, 1, 1}}, {true, true, true});
  ASSERT_EQ(start.size(), 1);
  EXPECT_EQ(start.types.size(), 1U);
  EXPECT_EQ(start.velocity[0], (Double3{0, 0, 0}));
  EXPECT_EQ(start.image[0], (std::array<std::int32_t, 3>{0, 0, 0}));
}

TEST(Lattice, RefusesMoreThanAnIdCanCount) {
  EXPECT_THROW(particle_count({LatticeType::sc, 1.0, {1 << 16, 1 << 15, 1}}), InputError);
  EXPECT_EQ(particle_count({LatticeType::sc, 1.0, {2147483647, 1, 1}}), 2147483647);
  EXPECT_THROW(particle_count({LatticeType::fcc, 1.0, {2147483647, 2147483647, 2147483647}}),
               InputError);
}

}  // namespace
}  // namespace pencilbox::testing
