// Philox against the known answers of its authors, and the distributions made from it.
#include "core/rng.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

struct PhiloxAnswer {
  PhiloxCounter counter;
  PhiloxKey key;
  PhiloxCounter answer;
};

// Random123, file kat_vectors, lines "philox4x32 10".
constexpr PhiloxAnswer philox_answers[] = {
    {{{0, 0, 0, 0}}, {{0, 0}}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
    {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     {{0xffffffff, 0xffffffff}},
     {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     {{0xa4093822, 0x299f31d0}},
     {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}}};

TEST(Rng, GivesTheKnownAnswersOfRandom123) {
  for (const PhiloxAnswer& known : philox_answers) {
    const PhiloxCounter bits = philox4x32(known.counter, known.key);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(bits.word[i], known.answer.word[i]) << "word " << i;
  }
}

TEST(Rng, IsAConstantExpression) {
  static_assert(philox4x32({{0, 0, 0, 0}}, {{0, 0}}).word[0] == 0x6627e8d5U);
}

TEST(Rng, DiffersInEverySeedStreamIdAndIndex) {
  std::set<std::uint32_t> words;
  const auto add = [&](std::uint64_t seed, RandomStream stream, std::uint32_t id,
                       std::uint32_t index) {
    words.insert(random_bits(seed, stream, id, index).word[0]);
  };
  add(1, RandomStream::velocity, 1, 0);
  add(2, RandomStream::velocity, 1, 0);
  add(1ULL << 32, RandomStream::velocity, 1, 0);
  add(1, RandomStream::position, 1, 0);
  add(1, RandomStream::velocity, 2, 0);
  add(1, RandomStream::velocity, 1, 1);
  EXPECT_EQ(words.size(), 6U);
}

TEST(Rng, UniformNeverReachesItsEnds) {
  EXPECT_GT(uniform_open(0, 0), 0.0);
  EXPECT_LT(uniform_open(0xffffffff, 0xffffffff), 1.0);
  EXPECT_TRUE(std::isfinite(gaussian_pair({{0, 0, 0, 0}}).first));
}

TEST(Rng, UniformAndGaussianHaveTheirMoments) {
  constexpr int draws = 200000;
  double uniform_sum = 0.0, uniform_square = 0.0;
  double sum = 0.0, square = 0.0, fourth = 0.0, cross = 0.0;
  for (std::uint32_t i = 0; i < draws; ++i) {
    const PhiloxCounter bits = random_bits(42, RandomStream::velocity, i, 0);
    const RandomPair uniform = uniform_pair(bits);
    uniform_sum += uniform.first;
    uniform_square += uniform.first * uniform.first;
    const RandomPair gaussian = gaussian_pair(bits);
    for (const double x : {gaussian.first, gaussian.second}) {
      sum += x;
      square += x * x;
      fourth += x * x * x * x;
    }
    cross += gaussian.first * gaussian.second;
  }
  const double n = draws;
  // Five standard errors each; the standard deviations are those of the exact distributions.
  EXPECT_NEAR(uniform_sum / n, 0.5, 5.0 * std::sqrt(1.0 / 12.0 / n));
  EXPECT_NEAR(uniform_square / n, 1.0 / 3.0, 5.0 * std::sqrt(4.0 / 45.0 / n));
  EXPECT_NEAR(sum / (2 * n), 0.0, 5.0 * std::sqrt(1.0 / (2 * n)));
  EXPECT_NEAR(square / (2 * n), 1.0, 5.0 * std::sqrt(2.0 / (2 * n)));
  EXPECT_NEAR(fourth / (2 * n), 3.0, 5.0 * std::sqrt(96.0 / (2 * n)));
  EXPECT_NEAR(cross / n, 0.0, 5.0 * std::sqrt(1.0 / n));
}

}  // namespace
}  // namespace pencilbox::testing
