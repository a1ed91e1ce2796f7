// Particles at random: uniform, reproducible, and apart where that is asked for.
#include "core/random_start.hpp"

#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/point_grid.hpp"
#include "tests/support/start_states.hpp"

namespace pencilbox::testing {
namespace {

TEST(RandomStart, IsUniformInTheBox) {
  const Double3 box{5.0, 10.0, 20.0};
  const StartState start = make_random_start({100000, box, 7, 0.0}, {true, true, true});
  ASSERT_EQ(start.size(), 100000);
  for (std::size_t d = 0; d < 3; ++d) {
    std::array<int, 10> histogram{};
    for (const Double3& position : start.position) {
      ASSERT_GE(position[d], 0.0);
      ASSERT_LT(position[d], box[d]);
      ++histogram[static_cast<std::size_t>(10.0 * position[d] / box[d])];
    }
    for (const int count : histogram) EXPECT_NEAR(count, 10000, 5 * 95);  // 5 standard deviations
  }
}

TEST(RandomStart, DependsOnTheSeedOnly) {
  const StartState first = make_random_start({50, {9, 9, 9}, 3, 0.8}, {true, true, true});
  const StartState again = make_random_start({50, {9, 9, 9}, 3, 0.8}, {true, true, true});
  const StartState other = make_random_start({50, {9, 9, 9}, 4, 0.8}, {true, true, true});
  EXPECT_EQ(first.position, again.position);
  EXPECT_NE(first.position, other.position);
}

TEST(RandomStart, KeepsTheMinimumDistanceThroughPeriodicFacesOnly) {
  const RandomPlacement placement{500, {10, 10, 10}, 1, 0.9};
  const StartState periodic = make_random_start(placement, {true, true, true});
  EXPECT_EQ(periodic.size(), 500);
  EXPECT_GE(nearest_distance(periodic), 0.9);

  StartState open = make_random_start(placement, {false, false, false});
  EXPECT_GE(nearest_distance(open), 0.9);
  // The open box uses the room at its faces: with images, some pair is too near.
  open.box.periodic = {true, true, true};
  EXPECT_LT(nearest_distance(open), 0.9);
}

TEST(RandomStart, KeepsTheDistanceInABoxOfOneOrTwoCells) {
  const StartState start = make_random_start({6, {2.5, 2.5, 4.0}, 5, 1.2}, {true, true, true});
  EXPECT_GE(nearest_distance(start), 1.2);
}

TEST(RandomStart, SaysHowManyFoundAPlace) {
  try {
    make_random_start({1000, {5, 5, 5}, 1, 1.0}, {true, true, true});
    FAIL() << "1000 particles at distance 1 do not fit into 125 sigma^3";
  } catch (const InputError& error) {
    const std::string line = error.what();
    EXPECT_NE(line.find(" of 1000 particles placed"), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(RandomStart, RefusesADistanceToTheOwnImage) {
  EXPECT_THROW(make_random_start({1, {2, 5, 5}, 1, 3.0}, {true, true, true}), InputError);
  EXPECT_EQ(make_random_start({1, {2, 5, 5}, 1, 3.0}, {false, true, true}).size(), 1);
}

TEST(PointGrid, FindsNeighboursAcrossFacesAndFarOutsideAnOpenBox) {
  Box box{{-5, -5, -5}, {10, 10, 10}, {true, false, true}};
  PointGrid grid(box, 0.5, 0.5, 4);
  grid.insert({-4.9, 0.0, 4.9});
  EXPECT_EQ(grid.find_near({4.9, 0.0, -4.9}), 0);
  EXPECT_FALSE(grid.find_near({4.5, 0.0, -4.9}));
  EXPECT_FALSE(grid.find_near({-4.9, 10.0, 4.9}));  // y is open: no image
  grid.insert({0.0, 1e9, 0.0});
  EXPECT_EQ(grid.find_near({0.0, 1e9 + 0.25, 0.0}), 1);
}

}  // namespace
}  // namespace pencilbox::testing
