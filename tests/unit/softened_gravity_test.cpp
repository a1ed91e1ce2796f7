// Softened gravity: hand values, and the force against the derivative of the energy.
#include "core/interactions/softened_gravity.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/interactions/potential.hpp"

namespace pencilbox::testing {
namespace {

template <class Real>
SoftenedGravity<Real, OnePairOfTypes<Real>> gravity(double strength, double softening) {
  return {OnePairOfTypes<Real>{static_cast<Real>(strength)},
          static_cast<Real>(softening * softening)};
}

TEST(SoftenedGravity, HasTheValuesOfTheFormula) {
  // 3-4-5: sqrt(r^2 + softening^2) is 5, so u = -10/5 and force over distance -10/125.
  const auto term = gravity<double>(10.0, 4.0)(9.0, 0, 0);
  EXPECT_DOUBLE_EQ(term.energy, -2.0);
  EXPECT_DOUBLE_EQ(term.force_over_r, -0.08);
  const auto single = gravity<float>(10.0, 4.0)(9.0F, 0, 0);
  EXPECT_FLOAT_EQ(single.energy, -2.0F);
  EXPECT_FLOAT_EQ(single.force_over_r, -0.08F);
}

TEST(SoftenedGravity, IsNewtonsFarAwayAndFiniteAtContact) {
  const auto far = gravity<double>(3.0, 0.01)(1e8, 0, 0);  // r = 1e4
  EXPECT_NEAR(far.energy, -3e-4, 3e-4 * 1e-12);
  EXPECT_NEAR(far.force_over_r * 1e4, -3e-8, 3e-8 * 3e-12);
  const auto contact = gravity<double>(3.0, 0.01)(0.0, 0, 0);
  EXPECT_NEAR(contact.energy, -300.0, 1e-10);
  EXPECT_NEAR(contact.force_over_r, -3e6, 1e-6);
}

TEST(SoftenedGravity, ForceIsTheDerivativeOfTheEnergy) {
  const auto pair = gravity<double>(2.5, 0.3);
  constexpr double h = 1e-5;
  for (const double r : {0.01, 0.1, 0.3, 1.0, 4.0, 20.0}) {
    const double slope =
        (pair((r + h) * (r + h), 0, 0).energy - pair((r - h) * (r - h), 0, 0).energy) / (2.0 * h);
    const double force = pair(r * r, 0, 0).force_over_r * r;
    EXPECT_NEAR(force, -slope, 1e-8 * std::max(1.0, std::abs(force))) << r;
  }
}

TEST(SoftenedGravity, ActsAtAnyDistanceWithTheMassesOfTheTypes) {
  EXPECT_TRUE(gravity<float>(1.0, 0.1).in_range(1e30F));
  SoftenedGravityModel model;
  model.gravitational_constant = 2.0;
  model.masses = {1.0, 3.0};
  EXPECT_EQ(gravity_strengths<double>(model), (std::vector<double>{2.0, 6.0, 6.0, 18.0}));
  EXPECT_TRUE(std::isinf(cutoff_of(model)));
  EXPECT_EQ(types_of(model), 2);
}

}  // namespace
}  // namespace pencilbox::testing
