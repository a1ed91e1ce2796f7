#include "core/interactions/force_quanta.hpp"

#include <gtest/gtest.h>

#include "core/pair_coordinates.hpp"

namespace pencilbox::testing {
namespace {

template <LennardJonesForm form>
LennardJonesInQuanta<form> in_quanta(double epsilon, double sigma) {
  LennardJonesModel model;
  model.cutoff = 2.5 * sigma;
  model.pairs = {{.epsilon = epsilon, .sigma = sigma}};
  model.truncation = form == LennardJonesForm::shifted ? Truncation::cut : Truncation::force_shift;
  using Pair = OnePairOfTypes<LennardJonesConstants<float>>;
  const Pair pair{lennard_jones_constants<float>(model).front()};
  const auto squared = static_cast<float>(model.cutoff * model.cutoff);
  return in_force_quanta(LennardJones<float, form, Pair>{pair, squared, squared});
}

template <LennardJonesForm form>
void expect_quanta_of(double epsilon, double sigma) {
  const auto pair = in_quanta<form>(epsilon, sigma);
  const double nearest = std::sqrt(static_cast<double>(pair.nearest_squared));
  EXPECT_NEAR(nearest, 0.9 * sigma, 0.05 * sigma);
  for (double r = nearest; r < 2.5 * sigma; r += 0.003 * sigma) {
    const auto along = static_cast<float>(r);
    if (pair.is_too_near(along * along)) continue;
    Vec3<std::uint32_t> sum = pair.bits(along * along, {along, 0.0F, -along}, true);
    sum += pair.bits(along * along, {-along, 0.0F, along}, true);
    const Vec3<std::uint32_t> both = pair.quanta(sum, 2);
    ASSERT_EQ(both.x, 0U) << r;
    ASSERT_EQ(both.z, 0U) << r;
    const Vec3<std::uint32_t> one =
        pair.quanta(pair.bits(along * along, {along, 0.0F, -along}, true), 1);
    const double force = pair.quantum * static_cast<std::int32_t>(one.x);
    const double wanted = static_cast<double>(pair.force_over_r(along * along, 0, 0)) * r;
    ASSERT_NEAR(force, wanted, 0.51 * pair.quantum + 1e-6 * std::abs(wanted)) << r;
    ASSERT_LE(std::abs(static_cast<double>(static_cast<std::int32_t>(one.x))), 1 << 22) << r;
  }
}

TEST(ForceQuanta, CancelAndAreTheForce) {
  for (const double sigma : {1.0, 0.01, 3.4}) {
    for (const double epsilon : {1.0, 1e3, 1e-3}) {
      expect_quanta_of<LennardJonesForm::shifted>(epsilon, sigma);
      expect_quanta_of<LennardJonesForm::force_shifted>(epsilon, sigma);
    }
  }
}

TEST(ForceQuanta, SumsOfAsManyAsFitAreExact) {
  const auto pair = in_quanta<LennardJonesForm::shifted>(1.0, 1.0);
  const float nearest = 1.001F * std::sqrt(pair.nearest_squared);
  Vec3<std::uint32_t> sum{};
  for (int k = 0; k < pair.most_forces; ++k) {
    sum += pair.bits(nearest * nearest, {nearest, -nearest, 0.0F}, true);
  }
  const auto one = static_cast<std::int32_t>(
      pair.quanta(pair.bits(nearest * nearest, {nearest, 0.0F, 0.0F}, true), 1).x);
  EXPECT_GT(one, 1 << 21);
  const Vec3<std::uint32_t> all = pair.quanta(sum, pair.most_forces);
  EXPECT_EQ(static_cast<std::int32_t>(all.x), pair.most_forces * one);
  EXPECT_EQ(static_cast<std::int32_t>(all.y), -pair.most_forces * one);
  EXPECT_EQ(all.z, 0U);
}

TEST(ForceQuanta, WhatDoesNotCountIsNoForce) {
  const auto pair = in_quanta<LennardJonesForm::shifted>(1.0, 1.0);
  const Vec3<float> separation{1.1F, 0.0F, 0.0F};
  EXPECT_EQ(pair.bits(1.21F, separation, false).x, pair.no_force().x);
  EXPECT_EQ(pair.bits(6.3F, separation, true).x, pair.no_force().x);
  EXPECT_NE(pair.bits(1.21F, separation, true).x, pair.no_force().x);
}

TEST(ForceQuanta, NearPairsAreInDouble) {
  const auto pair = in_quanta<LennardJonesForm::shifted>(1.0, 1.0);
  const Vec3<double> force = pair.exact_force({0.25F, 0.0F, 0.0F});
  EXPECT_NEAR(48.0 * force.x, 48.0 * std::pow(4.0, 13) - 24.0 * std::pow(4.0, 7), 10.0);
}

TEST(PairCoordinates, LieOnTheLattice) {
  const double spacing = lattice_spacing(4.3);
  EXPECT_EQ(spacing, 0x1p-21);
  EXPECT_EQ(lattice_spacing(4.0), 0x1p-22);
  const auto coordinates = PairCoordinates<double, float>::with(spacing);
  for (double x = -4.3; x < 4.3; x += 0.0137) {
    const Vec3<float> place = coordinates(Vec3<double>{x, -x, 0.1 * x});
    for (const float component : {place.x, place.y, place.z}) {
      const double steps = static_cast<double>(component) / spacing;
      ASSERT_EQ(steps, std::round(steps));
    }
    ASSERT_NEAR(static_cast<double>(place.x), x, 0.5 * spacing);
    ASSERT_EQ(place.y, -place.x);
  }
}

TEST(PairCoordinates, AreAsFineAsAPairWithoutALattice) {
  const PairCoordinates<double, float> fine;
  EXPECT_EQ(fine(Vec3<double>{0.1, 1.0, 2.0}).x, 0.1F);
  const auto same = PairCoordinates<float, float>::with(0.25);
  EXPECT_EQ(same(Vec3<float>{0.1F, 1.0F, 2.0F}).x, 0.1F);
}

}  // namespace
}  // namespace pencilbox::testing
