// The tail correction against NIST, and the mixing rule.
#include "core/interactions/lennard_jones_model.hpp"

#include <cmath>
#include <initializer_list>

#include <gtest/gtest.h>

#include "core/interactions/force_units.hpp"
#include "core/interactions/lennard_jones.hpp"
#include "core/interactions/potential.hpp"

namespace pencilbox::testing {
namespace {

struct NistTail {
  std::int64_t particles;
  double side;
  double cutoff;
  double energy;
};

class NistTailCorrection : public ::testing::TestWithParam<NistTail> {};

TEST_P(NistTailCorrection, IsThePrintedOne) {
  const NistTail nist = GetParam();
  LennardJonesModel model;
  model.cutoff = nist.cutoff;
  const double volume = nist.side * nist.side * nist.side;
  const TailCorrection tail = tail_correction(model, {nist.particles}, volume);
  EXPECT_NEAR(tail.energy / nist.energy, 1.0, 1e-14);
}

// "Lennard-Jones Fluid Reference Calculations: Cuboid Cell", 17 digits from the same formula.
INSTANTIATE_TEST_SUITE_P(Configurations, NistTailCorrection,
                         ::testing::Values(NistTail{800, 10, 3, -198.4888837441566},
                                           NistTail{800, 10, 4, -83.768986403337195},
                                           NistTail{200, 8, 3, -24.229600066425366},
                                           NistTail{200, 8, 4, -10.225706348063625},
                                           NistTail{400, 10, 3, -49.622220936039149},
                                           NistTail{400, 10, 4, -20.942246600834299},
                                           NistTail{30, 8, 3, -0.54516600149457073},
                                           NistTail{30, 8, 4, -0.23007839283143153}));

TEST(TailCorrection, VirialIsTheVolumeDerivativeOfTheEnergy) {
  // At fixed cutoff the tail energy is c / V with c independent of V, but its virial also counts
  // the pairs that a change of volume moves through the cutoff: W = 2 pi N^2 / V times the integral
  // of -r^3 u'(r), here by the trapezoidal rule in 1/r.
  LennardJonesModel model;
  model.cutoff = 2.5;
  const double n = 1000.0;
  const double volume = 1200.0;
  constexpr int steps = 200000;
  double integral = 0.0;
  for (int i = 0; i <= steps; ++i) {
    const double q = (1.0 / model.cutoff) * i / steps;  // 1/r, from 0
    // -r^3 u'(r) dr = (48 r^-10 - 24 r^-4) dr, dr = -dq / q^2
    const double value = 48.0 * std::pow(q, 8) - 24.0 * q * q;
    integral += (i == 0 || i == steps ? 0.5 : 1.0) * value / model.cutoff / steps;
  }
  const double expected = 2.0 * std::acos(-1.0) * n * n / volume * integral;
  EXPECT_NEAR(tail_correction(model, {1000}, volume).virial / expected, 1.0, 1e-8);
}

TEST(TailCorrection, OfAMixtureOfEqualTypesIsThatOfOneType) {
  LennardJonesModel one;
  LennardJonesModel two;
  two.types = 2;
  two.pairs.assign(4, PairCoefficients{});
  const TailCorrection single = tail_correction(one, {1000}, 1000.0);
  const TailCorrection split = tail_correction(two, {300, 700}, 1000.0);
  EXPECT_NEAR(split.energy / single.energy, 1.0, 1e-14);
  EXPECT_NEAR(split.virial / single.virial, 1.0, 1e-14);
}

TEST(TailCorrection, ScalesWithEpsilonAndSigma) {
  LennardJonesModel model;
  model.cutoff = 5.0;
  model.pairs = {{2.0, 2.0}};
  // In units of this sigma and epsilon: cutoff 2.5, volume 1000/8.
  LennardJonesModel unit;
  unit.cutoff = 2.5;
  const double expected = 2.0 * tail_correction(unit, {100}, 125.0).energy;
  EXPECT_NEAR(tail_correction(model, {100}, 1000.0).energy / expected, 1.0, 1e-14);
}

TEST(Mixing, IsLorentzBerthelot) {
  const PairCoefficients mixed = mix_lorentz_berthelot({4.0, 1.0}, {0.25, 2.0});
  EXPECT_DOUBLE_EQ(mixed.epsilon, 1.0);
  EXPECT_DOUBLE_EQ(mixed.sigma, 1.5);
  EXPECT_FALSE(mixed.cutoff);
}

TEST(Mixing, OfCutoffsTakesTheirMean) {
  EXPECT_DOUBLE_EQ(*mix_lorentz_berthelot({1.0, 1.0, 2.5}, {1.0, 1.0, 2.0}).cutoff, 2.25);
  EXPECT_DOUBLE_EQ(*mix_lorentz_berthelot({1.0, 1.0, 2.5}, {1.0, 1.0}).cutoff, 2.5);
  EXPECT_DOUBLE_EQ(*mix_lorentz_berthelot({1.0, 1.0}, {1.0, 1.0, 2.0}).cutoff, 2.0);
}

/// Two types, whose pairs have cutoffs 2.5 (that of the model), 2.0 and 3.0.
LennardJonesModel with_cutoffs_of_pairs(Truncation truncation) {
  LennardJonesModel model;
  model.types = 2;
  model.truncation = truncation;
  model.pairs = {{1.0, 1.0}, {1.5, 0.8, 2.0}, {1.5, 0.8, 2.0}, {0.5, 0.88, 3.0}};
  return model;
}

TEST(CutoffsOfPairs, TheLargestIsThatOfThePotential) {
  LennardJonesModel model = with_cutoffs_of_pairs(Truncation::cut);
  EXPECT_EQ(cutoff_of(model), 3.0);
  model.cutoff = 4.0;
  EXPECT_EQ(cutoff_of(model), 4.0);
  for (PairCoefficients& pair : model.pairs) pair.cutoff = 1.5;
  EXPECT_EQ(cutoff_of(model), 1.5);  // nobody has that of the model
}

TEST(CutoffsOfPairs, EachPairEndsAtItsOwn) {
  for (const Truncation truncation :
       {Truncation::cut, Truncation::shift, Truncation::force_shift}) {
    SCOPED_TRACE(name_of(truncation));
    const LennardJonesModel model = with_cutoffs_of_pairs(truncation);
    const auto rows = lennard_jones_constants<double>(model);
    using Pairs = TableOfPairs<LennardJonesConstants<double>>;
    using Functor = LennardJones<double, LennardJonesForm::force_shifted, Pairs>;
    const Functor functor{Pairs{rows.data(), 2}, 9.0, 9.0};
    for (const int a : {0, 1}) {
      for (const int b : {0, 1}) {
        const auto& [epsilon, sigma, own] = model.pair(a, b);
        const double cutoff = own.value_or(2.5);
        const auto energy = [&, epsilon = epsilon, sigma = sigma](double r) {
          return 4.0 * epsilon * (std::pow(sigma / r, 12) - std::pow(sigma / r, 6));
        };
        const auto force = [&, epsilon = epsilon, sigma = sigma](double r) {
          return 24.0 * epsilon * (2.0 * std::pow(sigma / r, 12) - std::pow(sigma / r, 6)) / r;
        };
        const double r = 0.999 * cutoff;
        double expected = energy(r), expected_force = force(r);
        if (truncation != Truncation::cut) expected -= energy(cutoff);
        if (truncation == Truncation::force_shift) {
          expected += (r - cutoff) * force(cutoff);
          expected_force -= force(cutoff);
        }
        const PairTerm<double> inside = functor(r * r, a, b);
        EXPECT_NEAR(inside.energy, expected, 1e-15) << a << b;
        EXPECT_NEAR(inside.force_over_r * r, expected_force, 1e-15) << a << b;
        EXPECT_NEAR(functor.force_over_r(r * r, a, b), inside.force_over_r, 1e-15) << a << b;
        const PairTerm<double> outside = functor(cutoff * cutoff, a, b);
        EXPECT_EQ(outside.energy, 0.0) << a << b;
        EXPECT_EQ(outside.force_over_r, 0.0) << a << b;
        EXPECT_EQ(functor.force_over_r(1.001 * cutoff * cutoff, a, b), 0.0) << a << b;
      }
    }
  }
}

TEST(CutoffsOfPairs, TailsBeginAtEach) {
  const LennardJonesModel model = with_cutoffs_of_pairs(Truncation::cut);
  const std::vector<std::int64_t> counts{300, 700};
  double expected = 0.0;
  for (const int a : {0, 1}) {
    for (const int b : {0, 1}) {
      LennardJonesModel one;
      one.cutoff = model.cutoff_of(model.pair(a, b));
      one.pairs = {{model.pair(a, b).epsilon, model.pair(a, b).sigma}};
      // Of 1000 particles of one type: in proportion to the ordered pairs.
      expected += tail_correction(one, {1000}, 1000.0).energy * 1e-6 *
                  static_cast<double>(counts[static_cast<std::size_t>(a)] *
                                      counts[static_cast<std::size_t>(b)]);
    }
  }
  EXPECT_NEAR(tail_correction(model, counts, 1000.0).energy / expected, 1.0, 1e-14);
}

TEST(Minimum, HasNoForce) {
  for (const double sigma : {0.5, 1.0, 3.0}) {
    LennardJonesModel model;
    model.pairs[0].sigma = sigma;
    const auto constants = lennard_jones_constants<double>(model)[0];
    const double r = distance_of_minimum(sigma);
    const PairTerm<double> term = lennard_jones(constants, 1.0 / (r * r));
    EXPECT_NEAR(term.force_over_r * r, 0.0, 1e-13 / sigma);
    EXPECT_NEAR(term.energy, -1.0, 1e-14);
  }
}

template <LennardJonesForm form>
void expect_force_in_units_to_be_the_force(Truncation truncation) {
  LennardJonesModel model;
  model.pairs = {{.epsilon = 1.7, .sigma = 0.9}};
  model.truncation = truncation;
  using Pairs = OnePairOfTypes<LennardJonesConstants<double>>;
  const Pairs pairs{lennard_jones_constants<double>(model).front()};
  const LennardJones<double, form, Pairs> plain{pairs, 6.25, 6.26};
  const LennardJonesInUnits<double, form> in_units = in_force_units(plain);
  EXPECT_EQ(in_units.in_range(6.24), plain.in_range(6.24));
  for (double r = 0.7; r < 2.5; r += 0.01) {
    const double expected = plain.force_over_r(r * r, 0, 0);
    const Vec3<double> whole =
        out_of_force_units(in_units, Vec3<double>{in_units.force_over_r(r * r, 0, 0), 0.0, 0.0});
    const double terms = 48.0 * 1.7 * std::pow(0.9, 12) / std::pow(r, 14) + 1.0;
    ASSERT_NEAR(whole.x, expected, 4e-15 * terms) << r;
  }
}

TEST(ForceUnits, TimesTheUnitAreTheForce) {
  expect_force_in_units_to_be_the_force<LennardJonesForm::shifted>(Truncation::cut);
  expect_force_in_units_to_be_the_force<LennardJonesForm::force_shifted>(Truncation::force_shift);
}

TEST(ForceUnits, AFormWithoutAShiftOfTheForceHasTheSameBits) {
  const auto constants = lennard_jones_constants<float>(LennardJonesModel{}).front();
  const OnePairOfTypes<LennardJonesConstants<float>> pairs{constants};
  using Pairs = OnePairOfTypes<LennardJonesConstants<float>>;
  const LennardJones<float, LennardJonesForm::shifted, Pairs> one{pairs, 6.25F, 6.26F};
  const LennardJones<float, LennardJonesForm::force_shifted, Pairs> other{pairs, 6.25F, 6.26F};
  for (float r2 = 0.7F; r2 < 6.25F; r2 += 0.01F) {
    ASSERT_EQ(in_force_units(one).force_over_r(r2, 0, 0),
              in_force_units(other).force_over_r(r2, 0, 0));
  }
}

TEST(ForceUnits, TablesOfPairsStayAsTheyAre) {
  const LennardJones<double, LennardJonesForm::shifted, TableOfPairs<LennardJonesConstants<double>>>
      table{{nullptr, 2}, 6.25, 6.26};
  const Vec3<double> force = out_of_force_units(in_force_units(table), Vec3<double>{1.0, 2.0, 3.0});
  EXPECT_EQ(force.y, 2.0);
}

}  // namespace
}  // namespace pencilbox::testing
