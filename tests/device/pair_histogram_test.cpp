// Pairs by distance and types: in device memory and in the shared memory of blocks, of every shape,
// as a plain loop over all pairs counts them.
#include "tests/device/pair_histogram_cases.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

TEST(PairHistogram, CountsTheSameInDeviceMemoryAndInBlocks) {
  expect_all_ways_to_count_the_same<DoublePrecision>(32);
  expect_all_ways_to_count_the_same<SinglePrecision>(32);
}

TEST(PairHistogram, CountsOnWhereItWas) {
  Laid<MixedPrecision> laid(scattered(200, {{}, {6.1, 5.3, 7.7}, {true, true, true}}, 2), 1.5);
  PairHistogram once(2, 30, 2.0), twice(2, 30, 2.0);
  once.add(laid.state(), laid.stream);
  const std::vector<double> first = once.counts().so_far(laid.stream);
  twice.counts().restore(first, laid.stream);
  twice.add(laid.state(), laid.stream);
  const std::vector<double> second = twice.counts().so_far(laid.stream);
  for (std::size_t k = 0; k < first.size(); ++k) EXPECT_EQ(second[k], 2.0 * first[k]);
  once.counts().restore(first, laid.stream);
  EXPECT_EQ(once.counts().so_far(laid.stream), first) << "what was counted since is forgotten";
}

/// 12,288 numbers of four bytes are what a block may have.
TEST(PairHistogram, ThatDoesNotFitIsCountedInDeviceMemory) {
  Laid<DoublePrecision> laid(scattered(150, {{}, {6.1, 5.3, 7.7}, {true, true, true}}, 1), 1.5);
  PairHistogram fits(1, 12288, 2.0), large(1, 12289, 2.0);
  EXPECT_TRUE(fits.add_in_blocks(laid.state(), 32, laid.stream));
  EXPECT_FALSE(large.add_in_blocks(laid.state(), 32, laid.stream));
  const std::vector<double> nothing(12289, 0.0);
  EXPECT_EQ(large.counts().so_far(laid.stream), nothing);
  large.add(laid.state(), laid.stream);
  EXPECT_EQ(
      large.counts().so_far(laid.stream),
      counted_plainly(laid.frame(), {{}, {6.1, 5.3, 7.7}, {true, true, true}}, 1, 12289, 2.0));
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
