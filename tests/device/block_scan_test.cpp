// Algorithm 6 of "Few particles per cell", for every N from 1 to 1025.
#include "neighbor/backends/all_in_sm/block_scan.hpp"

#include <numeric>

#include <gtest/gtest.h>

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

constexpr Index longest = 1025;

/// Block b scans an array of b + 1 elements.
struct ScanEveryLength {
  static constexpr const char* name = "test: scan every length";
  const Index* in;
  Index* out;  // [longest][longest]

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto count = static_cast<Index>(block.index()) + 1;
    const auto values = block.template shared<Index>(count);
    for (Index i = block.thread(); i < count; i += block.threads()) values[i] = in[i];
    block_inclusive_scan(block, values, count);
    for (Index i = block.thread(); i < count; i += block.threads()) {
      out[static_cast<std::int64_t>(count - 1) * longest + i] = values[i];
    }
  }
};

class BlockScan : public ::testing::TestWithParam<int> {};

TEST_P(BlockScan, IsRightForEveryLength) {
  Stream stream;
  std::vector<Index> values(longest);
  for (Index i = 0; i < longest; ++i) values[static_cast<std::size_t>(i)] = (i * 7919) % 13;
  std::vector<Index> expected(values.size());
  std::inclusive_scan(values.begin(), values.end(), expected.begin());
  Buffer<Index> in;
  in.upload(values, stream);
  Buffer<Index> out(static_cast<std::int64_t>(longest) * longest);
  out.fill_bytes(0xff, stream);
  launch(stream, {longest, GetParam(), longest * sizeof(Index)},
         ScanEveryLength{in.data(), out.data()});
  const std::vector<Index> result = out.download(stream);
  for (std::size_t count = 1; count <= longest; ++count) {
    const auto first = result.begin() + static_cast<std::ptrdiff_t>((count - 1) * longest);
    ASSERT_TRUE(
        std::equal(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count), first))
        << "N = " << count;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, BlockScan, ::testing::Values(32, 96, 256));

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
