// XORWOW against numbers that NVIDIA's curand_init and curand gave (CUDA 13.0, compiled for the
// host).
#include "core/xorwow.hpp"

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

struct XorwowAnswer {
  std::uint64_t seed;
  std::uint64_t subsequence;
  std::array<std::uint32_t, 3> draws;
};

constexpr XorwowAnswer xorwow_answers[] = {
    {1234, 0, {0x253d5e15U, 0x6f558604U, 0xdee6daf2U}},
    {1234, 1, {0xd1f7605aU, 0xed29ae49U, 0x83030ed9U}},
    {1234, 2, {0x8ce6f6f8U, 0xcfd51210U, 0xc85b17c4U}},
    {1234, 31, {0xef5e740dU, 0x41508f19U, 0x753c91e2U}},
    {1234, 1000, {0x8fd7f983U, 0x7c0b2706U, 0xf973bba0U}},
    {1234, 3276799, {0xd0822369U, 0x02dc4f3fU, 0x6f9b589bU}},
    {0, 7, {0x1c246acaU, 0xdfd9e65fU, 0xfb12b9eaU}},
    {0x123456789abcdef, 7, {0x7864db92U, 0x7809b8ceU, 0xed7e2e8bU}}};

TEST(Xorwow, GivesTheNumbersOfCurandInEachSubsequence) {
  const XorwowJump jump;
  for (const XorwowAnswer& known : xorwow_answers) {
    Xorwow generator(known.seed);
    for (std::uint64_t k = 0; k < known.subsequence; ++k) jump(generator);
    for (const std::uint32_t draw : known.draws) {
      EXPECT_EQ(generator.next(), draw) << known.seed << " " << known.subsequence;
    }
  }
}

TEST(Xorwow, GivesTheFloatsOfCurand) {
  Xorwow generator(1234);
  EXPECT_EQ(generator.next_uniform(), 0x1.29eafp-3F);
  EXPECT_EQ(generator.next_uniform(), 0x1.bd5618p-2F);
  EXPECT_EQ(generator.next_uniform(), 0x1.bdcdb6p-1F);
}

TEST(Xorwow, AJumpTakesDrawsAlong) {
  const XorwowJump jump;
  Xorwow first(5);
  Xorwow second(5);
  first.next();
  jump(first);
  jump(second);
  second.next();
  for (int k = 0; k < 10; ++k) EXPECT_EQ(first.next(), second.next());
}

}  // namespace
}  // namespace pencilbox::testing
