#include "core/exact_sum.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

/// Of very different sizes and both signs, whose sum in floating point depends on the order.
double term_of(Index i) {
  const double size = std::ldexp(1.0 + 1.0 / (3.0 + i), (i * 37) % 90 - 45);
  return i % 3 == 0 ? -size : size;
}

struct Listed {
  const double* terms;
  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const { return terms[i]; }
};

double sum_on_device(const std::vector<double>& terms) {
  Stream stream;
  Buffer<double> there;
  there.upload(terms, stream);
  Buffer<ExactParts> result(1);
  ExactSum sum;
  sum.into(result.data(), Listed{there.data()}, static_cast<Index>(terms.size()), stream);
  return result.download(stream).front().value();
}

TEST(ExactSum, DependsOnNoOrder) {
  for (const Index count : {0, 1, 127, 16384, 16385, 50003}) {
    std::vector<double> terms;
    for (Index i = 0; i < count; ++i) terms.push_back(term_of(i));
    const double forward = sum_on_device(terms);
    EXPECT_EQ(sum_on_device({terms.rbegin(), terms.rend()}), forward) << count;
    const auto exact = std::accumulate(terms.begin(), terms.end(), 0.0L);
    const double scale = count > 0 ? std::abs(static_cast<double>(exact)) : 0.0;
    EXPECT_NEAR(forward, static_cast<double>(exact), 4e-16 * scale) << count;
  }
}

/// What others hold adds up to the same.
TEST(ExactSum, DependsOnNoCut) {
  ExactParts whole{}, parts[3]{};
  for (Index i = 0; i < 1000; ++i) {
    whole.add(term_of(i));
    parts[i % 7 % 3].add(term_of(i));
  }
  ExactParts together{};
  for (const ExactParts& part : parts) together.add(part);
  EXPECT_EQ(together.value(), whole.value());
  const SumsOfRanks sums{parts, 3, 1, 1000};
  EXPECT_EQ(sums[0], whole.value());
}

TEST(ExactSum, HoldsWhatADoubleHolds) {
  for (const double term :
       {0.0, 1.0, -1.0, 1.0 / 3.0, -2.0 / 3e-7, 0x1.fffffffffffffp83, -0x1.fffffffffffffp83,
        0x1.fffffffffffffp63, 0x1.fffffffffffffp-43, -0x1.8p-95, 0x1p-96}) {
    ExactParts sum{};
    sum.add(term);
    EXPECT_EQ(sum.value(), term);
    sum.add(-term);
    EXPECT_EQ(sum.value(), 0.0);
  }
}

TEST(ExactSum, LeavesOutWhatIsLessThanAQuantum) {
  for (const double term : {0x1.8p-97, -0x1p-200, 5e-324}) {
    ExactParts sum{};
    sum.add(term);
    EXPECT_EQ(sum.value(), 0.0) << term;
  }
  ExactParts sum{};
  sum.add(-0x1.8p-96);
  EXPECT_EQ(sum.value(), -0x1p-96);
}

TEST(ExactSum, IsNoNumberWhereATermIsNone) {
  for (const double term : {0x1p84, -0x1p90, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    ExactParts sum{};
    sum.add(1.0);
    sum.add(term);
    EXPECT_TRUE(std::isnan(sum.value())) << term;
  }
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
