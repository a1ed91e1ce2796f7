// What is asked of back ends whose sums keep more digits than their pairs have.
#pragma once

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/configurations.hpp"

namespace pencilbox::testing {

inline void expect_to_cancel(const std::vector<Double3>& forces) {
  Double3 sum{};
  for (const Double3& force : forces) {
    for (std::size_t d = 0; d < 3; ++d) sum[d] += force[d];
  }
  for (const double component : sum) {
    EXPECT_LE(std::abs(component), 1e-12 * largest_component(forces));
  }
}

/// Particles 0 and 1 are very near each other: `bar`, relative to the largest force, holds for
/// them, and relative to the largest of the others for these.
inline void expect_exact_beside_a_near_pair(const Evaluation& mine, const Evaluation& truth,
                                            double least_force_of_the_pair, double bar) {
  const double near = largest_component(truth.frame.force);
  ASSERT_GT(near, least_force_of_the_pair);
  double others = 1.0;
  for (std::size_t i = 2; i < truth.frame.force.size(); ++i) {
    for (const double component : truth.frame.force[i]) {
      others = std::max(others, std::abs(component));
    }
  }
  for (std::size_t i = 0; i < truth.frame.force.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_NEAR(mine.frame.force[i][d], truth.frame.force[i][d], bar * (i < 2 ? near : others));
    }
  }
}

}  // namespace pencilbox::testing
