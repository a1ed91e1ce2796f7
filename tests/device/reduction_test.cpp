#include "core/reduction.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

/// Terms whose floating-point sum depends on the order.
struct Harmonic {
  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const {
    return (i % 2 == 0 ? 1.0 : -1.0) / (1.0 + i);
  }
};

/// The order of summation that the header promises.
double expected_sum(Index count) {
  const auto strided = [](const std::vector<double>& values, std::size_t width) {
    std::vector<double> sums(width, 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) sums[i % width] += values[i];
    return sums;
  };
  std::vector<double> values;
  for (Index i = 0; i < count; ++i) values.push_back(Harmonic{}(i));
  return strided(strided(strided(values, 16384), 128), 1)[0];
}

TEST(Reduction, HasTheSameBitsEverywhere) {
  Stream stream;
  Reduction reduction;
  for (const Index count : {0, 1, 127, 16384, 16385, 100003}) {
    const double sum = reduction.sum(Harmonic{}, count, stream);
    EXPECT_EQ(sum, expected_sum(count)) << count;
    EXPECT_EQ(sum, reduction.sum(Harmonic{}, count, stream)) << count;
  }
  EXPECT_NEAR(reduction.sum(Harmonic{}, 100003, stream), std::log(2.0), 1e-5);
}

struct HarmonicTwice {
  PENCILBOX_DEVICE_FUNCTION Numbers<2> operator()(Index i) const {
    const double term = Harmonic{}(i);
    return {{term, 3.0 * term}};
  }
};

TEST(Reduction, SumsSeveralAtOnceToTheSameBits) {
  Stream stream;
  Reduction reduction;
  for (const Index count : {0, 1, 127, 500, 16384, 16385, 100003}) {
    const auto sums = reduction.sums<2>(HarmonicTwice{}, count, stream);
    EXPECT_EQ(sums[0], expected_sum(count)) << count;
    EXPECT_NEAR(sums[1], 3.0 * sums[0], 1e-12) << count;
  }
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
