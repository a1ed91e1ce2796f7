// The words of a block mean the same on every device: indices, warp operations, shared atomics.
#include <gtest/gtest.h>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

struct WarpWords {
  static constexpr const char* name = "test: warp words";
  double* rotated;
  std::int32_t* swapped;
  float* moved_down;
  std::uint64_t* odd_lanes;
  std::uint32_t* bits_of_any;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto i = static_cast<Index>(block.index()) * block.threads() + block.thread();
    const int lane = block.lane();
    rotated[i] = block.shuffle(0.5 + lane, (lane + 1) % block.warp_size());
    swapped[i] = block.shuffle_xor(lane, 1);
    moved_down[i] = block.shuffle_down(static_cast<float>(lane), 4);
    odd_lanes[i] = block.ballot(lane % 2 == 1);
    bits_of_any[i] = block.bits_of_any(lane % 3 == 0 ? 1U << lane % 32 : 0U);
  }
};

TEST(Block, WarpOperations) {
  Stream stream;
  const int warp_size = device_properties().warp_size;
  const int threads = 2 * warp_size;
  const int blocks = 3;
  const int total = threads * blocks;
  Buffer<double> rotated(total);
  Buffer<std::int32_t> swapped(total);
  Buffer<float> moved_down(total);
  Buffer<std::uint64_t> odd_lanes(total);
  Buffer<std::uint32_t> bits_of_any(total);
  launch(stream, {blocks, threads, 0},
         WarpWords{rotated.data(), swapped.data(), moved_down.data(), odd_lanes.data(),
                   bits_of_any.data()});
  const std::uint64_t odd = 0xaaaaaaaaaaaaaaaaULL >> (64 - warp_size);
  const auto rotated_here = rotated.download(stream);
  const auto swapped_here = swapped.download(stream);
  const auto moved_here = moved_down.download(stream);
  const auto odd_here = odd_lanes.download(stream);
  const auto bits_here = bits_of_any.download(stream);
  for (int i = 0; i < total; ++i) {
    const int lane = i % warp_size;
    const auto k = static_cast<std::size_t>(i);
    EXPECT_EQ(rotated_here[k], 0.5 + (lane + 1) % warp_size);
    EXPECT_EQ(swapped_here[k], lane ^ 1);
    if (lane + 4 < warp_size) {
      EXPECT_EQ(moved_here[k], static_cast<float>(lane + 4));
    }
    EXPECT_EQ(odd_here[k], odd);
    // Every third lane, counted over the whole warp.
    EXPECT_EQ(bits_here[k], lane < 32 ? 0x49249249U : 0x92492492U);
  }
}

/// Each block counts its threads by remainder, in shared memory, and adds the counts to the total.
struct CountByRemainder {
  static constexpr const char* name = "test: count by remainder";
  Index* totals;  // [5]

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto counts = block.template shared<Index>(5);
    if (block.thread() < 5) counts[block.thread()] = 0;
    block.barrier();
    block.atomic_add(counts[block.thread() % 5], Index{1});
    block.barrier();
    if (block.thread() < 5) atomic_add(totals + block.thread(), Index{counts[block.thread()]});
  }
};

TEST(Block, AtomicsInSharedAndDeviceMemory) {
  Stream stream;
  Buffer<Index> totals(5);
  totals.fill_bytes(0, stream);
  launch(stream, {7, 128, 5 * sizeof(Index)}, CountByRemainder{totals.data()});
  EXPECT_EQ(totals.download(stream), (std::vector<Index>{182, 182, 182, 175, 175}));
}

struct FromIndex {
  static constexpr const char* name = "test: from index";
  Index* out;
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const { out[i] = 3 * i; }
};

TEST(ForEach, VisitsEveryIndexOnce) {
  Stream stream;
  for (const Index count : {0, 1, 127, 128, 129, 5000}) {
    Buffer<Index> out(count);
    out.fill_bytes(0xff, stream);
    for_each(stream, count, FromIndex{out.data()});
    const auto values = out.download(stream);
    for (Index i = 0; i < count; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], 3 * i);
  }
}

TEST(Event, MeasuresTime) {
  Stream stream;
  Event before;
  Event after;
  Buffer<Index> out(1 << 20);
  before.record(stream);
  for_each(stream, 1 << 20, FromIndex{out.data()});
  after.record(stream);
  stream.synchronize();
  EXPECT_GT(after.seconds_since(before), 0.0);
  EXPECT_LT(after.seconds_since(before), 60.0);
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
