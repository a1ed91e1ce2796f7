// Division by multiplication is exact wherever it could be off by one.
#include "core/device/launch_divisor.hpp"

#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

constexpr Index largest = std::numeric_limits<Index>::max();

void expect_exact(Index dividend, Index divisor) {
  ASSERT_EQ(LaunchDivisor(divisor).quotient(dividend), dividend / divisor)
      << dividend << " by " << divisor;
}

TEST(LaunchDivisor, IsExactBesideEveryMultiple) {
  for (const Index divisor : {1, 2, 3, 5, 7, 13, 64, 641, 1000, 65535, 65536, 65537, 16777217,
                              1073741823, 1073741824, 1073741825, largest - 1, largest}) {
    const Index last = largest / divisor;
    for (const Index k : {0, 1, 2, 3, last / 2, last - 1, last}) {
      if (k < 0 || k > last) continue;
      const Index multiple = k * divisor;
      expect_exact(multiple, divisor);
      if (multiple > 0) expect_exact(multiple - 1, divisor);
      if (multiple < largest) expect_exact(multiple + 1, divisor);
    }
    expect_exact(largest, divisor);
  }
}

TEST(LaunchDivisor, IsExactForRandomNumbers) {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    const auto dividend = static_cast<Index>(random() >> 1U);
    const auto divisor = static_cast<Index>((random() >> 1U) >> (random() % 31U));
    if (divisor > 0) expect_exact(dividend, divisor);
  }
}

TEST(LaunchDivisor, WithoutANumberDividesByOne) {
  EXPECT_EQ(LaunchDivisor().quotient(0), 0);
  EXPECT_EQ(LaunchDivisor().quotient(largest), largest);
}

}  // namespace
}  // namespace pencilbox::testing
