// Statistics of the validation: errors of correlated means, trends, distributions, and peaks.
#include "app/validate/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

/// Each number remembers a share of the one before; variance 1, mean 2.
std::vector<double> correlated_series(std::size_t count, double memory, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> series;
  double x = normal(random);
  for (std::size_t k = 0; k < count; ++k) {
    x = memory * x + std::sqrt(1.0 - memory * memory) * normal(random);
    series.push_back(2.0 + x);
  }
  return series;
}

/// Its mean has the variance (1 + memory) / (1 - memory) / count, if that is long.
TEST(BlockAverage, KnowsTheErrorOfACorrelatedMean) {
  constexpr std::size_t count = 32000;
  for (const double memory : {0.0, 0.5, 0.9}) {
    const double expected = std::sqrt((1.0 + memory) / (1.0 - memory) / count);
    double squares = 0.0, within = 0.0;
    constexpr int series = 100;
    for (unsigned seed = 1; seed <= series; ++seed) {
      const Estimate estimate = block_average(correlated_series(count, memory, seed));
      squares += estimate.standard_error * estimate.standard_error;
      within += std::abs(estimate.mean - 2.0) <= 3.0 * estimate.standard_error ? 1.0 : 0.0;
    }
    EXPECT_NEAR(std::sqrt(squares / series) / expected, 1.0, 0.06) << memory;
    EXPECT_GE(within, 97.0) << memory;
  }
}

TEST(BlockAverage, SaysWhereTooLittleIsKnown) {
  EXPECT_TRUE(std::isnan(block_average({}).mean));
  const Estimate few = block_average({1.0, 2.0, 6.0});
  EXPECT_EQ(few.mean, 3.0);
  EXPECT_TRUE(std::isnan(few.standard_error));
}

TEST(BlockAverage, WhatFillsNoBlockIsLeftOutAtTheBeginning) {
  std::vector<double> series{1000.0};
  series.resize(1 + 2 * blocks_of_a_series, 4.0);
  EXPECT_EQ(block_average(series).mean, 4.0);
  EXPECT_EQ(block_average(series).standard_error, 0.0);
}

/// A weight of exp(c x) moves a normal distribution of variance 1 by c, as it moves the mean of
/// x^2.
TEST(ReweightedAverage, IsTheMeanOfTheOtherEnsemble) {
  constexpr double c = 0.3, of_weights = 17.0;
  double within = 0.0, squares = 0.0, errors = 0.0;
  constexpr int series = 100;
  for (unsigned seed = 1; seed <= series; ++seed) {
    const std::vector<double> x = correlated_series(32000, 0.5, seed);
    std::vector<double> log_weights;
    for (const double one : x) log_weights.push_back(of_weights + c * one);
    const Estimate estimate = reweighted_average(x, log_weights);
    const double off = estimate.mean - (2.0 + c);
    within += std::abs(off) <= 3.0 * estimate.standard_error ? 1.0 : 0.0;
    squares += off * off;
    errors += estimate.standard_error * estimate.standard_error;
  }
  EXPECT_GE(within, 97.0);
  EXPECT_NEAR(std::sqrt(squares / errors), 1.0, 0.2);
}

TEST(ReweightedAverage, OfEqualWeightsIsTheMean) {
  const std::vector<double> x = correlated_series(32000, 0.5, 1);
  const Estimate plain = block_average(x);
  const Estimate estimate = reweighted_average(x, std::vector<double>(x.size(), 1000.0));
  EXPECT_NEAR(estimate.mean, plain.mean, 1e-12);
  EXPECT_NEAR(estimate.standard_error, plain.standard_error, 1e-12);
  EXPECT_TRUE(std::isnan(reweighted_average({}, {}).mean));
}

TEST(TrendOfPoints, IsTheLineThatTheyLieOn) {
  const Trend trend = trend_of({1.0, 2.0, 3.0, 4.0}, {5.0, 3.0, 1.0, -1.0});
  EXPECT_NEAR(trend.slope, -2.0, 1e-14);
  EXPECT_NEAR(trend.deviation, std::sqrt(5.0), 1e-14);
}

TEST(KolmogorovSmirnov, TellsDistributionsApart) {
  const auto uniform = [](double x) { return std::clamp(x, 0.0, 1.0); };
  int good = 0, found_normal = 0, found_wide = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> flat(0.0, 1.0);
    std::normal_distribution<double> normal;
    std::vector<double> from_uniform, from_normal, too_wide;
    for (int k = 0; k < 3000; ++k) {
      from_uniform.push_back(flat(random));
      from_normal.push_back(normal(random));
      too_wide.push_back(1.1 * from_normal.back());
    }
    good += kolmogorov_smirnov(from_uniform, uniform) > 0.01 ? 1 : 0;
    good += kolmogorov_smirnov(from_normal, cumulative_normal) > 0.01 ? 1 : 0;
    found_normal += kolmogorov_smirnov(from_normal, uniform) < 1e-6 ? 1 : 0;
    found_wide += kolmogorov_smirnov(too_wide, cumulative_normal) < 0.1 ? 1 : 0;
  }
  EXPECT_GE(good, 38);
  EXPECT_EQ(found_normal, 20);
  EXPECT_GE(found_wide, 15);
}

/// The distribution of the statistic is known: D sqrt(n) = 1.6276 has the probability 0.01.
TEST(KolmogorovSmirnov, GivesTheProbabilityOfTheTables) {
  constexpr int n = 10000;
  const double shift = 1.6276 / std::sqrt(n);
  std::vector<double> numbers;
  for (int k = 0; k < n; ++k) numbers.push_back((k + 0.5) / n);
  const auto shifted = [&](double x) { return std::min(1.0, x + shift); };
  EXPECT_NEAR(kolmogorov_smirnov(numbers, shifted), 0.01, 5e-4);
  EXPECT_EQ(kolmogorov_smirnov(numbers, [](double x) { return x; }), 1.0);
}

TEST(KolmogorovSmirnov, WhatIsNoNumberHasNoProbability) {
  EXPECT_TRUE(std::isnan(kolmogorov_smirnov({0.1, std::nan(""), 0.3}, cumulative_normal)));
  EXPECT_TRUE(std::isnan(kolmogorov_smirnov({}, cumulative_normal)));
}

/// The middles of bins, and a parabola over them: its top is found between the middles.
TEST(HighestPeak, IsFoundBetweenBins) {
  constexpr double top = 1.083;
  std::vector<double> x, y;
  for (int bin = 0; bin < 150; ++bin) {
    x.push_back(0.01 * (bin + 0.5));
    y.push_back(std::max(0.0, 3.0 - 100.0 * (x.back() - top) * (x.back() - top)));
  }
  EXPECT_NEAR(highest_peak(x, y).position, top, 1e-12);
  EXPECT_NEAR(highest_peak(x, y).height, 3.0, 1e-12);
}

TEST(HighestPeak, WithoutOneThereIsNone) {
  std::vector<double> x, rising, unknown;
  for (int bin = 0; bin < 150; ++bin) {
    x.push_back(0.01 * (bin + 0.5));
    rising.push_back(bin);
    unknown.push_back(std::nan(""));
  }
  EXPECT_TRUE(std::isnan(highest_peak(x, rising).position));
  EXPECT_TRUE(std::isnan(highest_peak(x, unknown).position));
}

}  // namespace
}  // namespace pencilbox::testing
