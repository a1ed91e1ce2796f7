// The tail correction against NIST, and the mixing rule.
#include "core/interactions/lennard_jones_model.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pencilbox {
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
}

}  // namespace
}  // namespace pencilbox
