#include <gtest/gtest.h>

#include "app/engine/simulation_problem.hpp"

namespace pencilbox {
namespace {

Problem liquid(Index particles, bool emulates_blocks) {
  Problem problem;
  problem.particles = particles;
  problem.grid.cells = {8, 8, 8};
  problem.grid.side = {2.9, 2.9, 2.9};
  problem.potential = LennardJonesModel{};
  problem.skin = 0.3;
  problem.device.emulates_blocks = emulates_blocks;
  return problem;
}

bool looks_for_missed_pairs(const Problem& problem) { return list_bounds(problem).allow_strays(); }

TEST(ListUntil, APairIsMissedWhereThatPays) {
  EXPECT_FALSE(looks_for_missed_pairs(liquid(99'999, true)));
  EXPECT_TRUE(looks_for_missed_pairs(liquid(100'000, true)));
  EXPECT_FALSE(looks_for_missed_pairs(liquid(499'999, false)));
  EXPECT_TRUE(looks_for_missed_pairs(liquid(500'000, false)));
}

TEST(ListUntil, IsWhatTheDeckSays) {
  for (const bool emulates_blocks : {true, false}) {
    Problem few = liquid(1000, emulates_blocks), many = liquid(1'000'000, emulates_blocks);
    few.list_until = ListUntil::missed_pair;
    many.list_until = ListUntil::displacement;
    EXPECT_TRUE(looks_for_missed_pairs(few));
    EXPECT_FALSE(looks_for_missed_pairs(many));
  }
}

}  // namespace
}  // namespace pencilbox
