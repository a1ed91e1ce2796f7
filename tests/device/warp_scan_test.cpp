// Prefix sums by shuffles, for arrays shorter and longer than a block, and the bits of a ballot.
#include "neighbor/walks/warp_scan.hpp"

#include <bit>
#include <numeric>

#include <gtest/gtest.h>

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

constexpr Index longest_in_warp = 700;

/// Block b sums an array of b elements.
struct SumEveryLength {
  static constexpr const char* name = "test: exclusive sum of every length";
  const Index* in;
  Index* out;  // [longest_in_warp + 1][longest_in_warp + 1]

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto count = static_cast<Index>(block.index());
    const auto values = block.template shared<Index>(count + 1);
    const auto warp_sums = block.template shared<Index>(32);
    for (Index i = block.thread(); i < count; i += block.threads()) values[i] = in[i];
    block.barrier();
    block_exclusive_sum(block, values, count, warp_sums);
    for (Index i = block.thread(); i <= count; i += block.threads()) {
      out[static_cast<std::int64_t>(count) * (longest_in_warp + 1) + i] = values[i];
    }
  }
};

class WarpScan : public ::testing::TestWithParam<int> {};

TEST_P(WarpScan, IsRightForEveryLength) {
  Stream stream;
  std::vector<Index> values(longest_in_warp);
  for (Index i = 0; i < longest_in_warp; ++i) values[static_cast<std::size_t>(i)] = (i * 7919) % 13;
  std::vector<Index> expected(values.size() + 1, 0);
  std::partial_sum(values.begin(), values.end(), expected.begin() + 1);
  Buffer<Index> in;
  in.upload(values, stream);
  Buffer<Index> out(static_cast<std::int64_t>(longest_in_warp + 1) * (longest_in_warp + 1));
  out.fill_bytes(0xff, stream);
  launch(stream, {longest_in_warp + 1, GetParam(), (longest_in_warp + 1 + 32) * sizeof(Index)},
         SumEveryLength{in.data(), out.data()});
  const std::vector<Index> result = out.download(stream);
  for (std::ptrdiff_t count = 0; count <= longest_in_warp; ++count) {
    const auto first = result.begin() + count * (longest_in_warp + 1);
    ASSERT_TRUE(std::equal(expected.begin(), expected.begin() + count + 1, first))
        << "N = " << count;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, WarpScan, ::testing::Values(32, 64, 256));

struct CountBits {
  static constexpr const char* name = "test: count bits";
  const std::uint64_t* bits;
  Index* counts;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const { counts[i] = count_bits(bits[i]); }
};

TEST(BallotBits, AreCountedOnTheDevice) {
  Stream stream;
  std::vector<std::uint64_t> patterns{0, ~std::uint64_t{0}, 1, std::uint64_t{1} << 63U};
  for (std::uint64_t k = 1; k < 200; ++k) patterns.push_back(k * 0x9e3779b97f4a7c15U);
  Buffer<std::uint64_t> bits;
  bits.upload(patterns, stream);
  Buffer<Index> counts(bits.size());
  for_each(stream, static_cast<Index>(patterns.size()), CountBits{bits.data(), counts.data()});
  const std::vector<Index> result = counts.download(stream);
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    EXPECT_EQ(result[k], std::popcount(patterns[k])) << patterns[k];
  }
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
