#include <gtest/gtest.h>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

/// In each round every thread adds up what two others, of other blocks, had after the round before.
/// It ends where a word says so that one of the blocks lowers on the way.
struct SumsOfOthers {
  static constexpr const char* name = "grid barrier test: sums of others";
  std::uint32_t* values;  ///< [2][blocks * threads]
  Index rounds;
  Index last;           ///< round that is done
  std::int32_t* limit;  ///< rounds that may run

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const std::int64_t all = block.blocks() * block.threads();
    const std::int64_t i = block.index() * block.threads() + block.thread();
    for (Index round = 0; round < rounds; ++round) {
      if (round > 0) block.grid_barrier();
      if (round >= *limit) return;
      const std::uint32_t* from = values + round % 2 * all;
      std::uint32_t* to = values + (1 - round % 2) * all;
      to[i] = from[(i + block.threads() + 1) % all] + 3 * from[(i * 7 + 5) % all] + 1;
      if (round == last && i == all / 2) atomic_min(limit, std::int32_t{round + 1});
    }
  }
};

std::vector<std::uint32_t> expected(std::vector<std::uint32_t> now, std::size_t threads,
                                    Index rounds) {
  const std::size_t all = now.size();
  for (Index round = 0; round < rounds; ++round) {
    std::vector<std::uint32_t> next(all);
    for (std::size_t i = 0; i < all; ++i) {
      next[i] = now[(i + threads + 1) % all] + 3 * now[(i * 7 + 5) % all] + 1;
    }
    now = next;
  }
  return now;
}

struct GridBarrier : ::testing::Test {
  static constexpr Index rounds = 40, last = 30;  // round 30 is the 31st: an odd number of them
  LaunchShape shape{emulates_blocks ? 8 : 96, 128, 0};
  std::size_t all = static_cast<std::size_t>(shape.blocks * shape.threads);

  std::vector<std::uint32_t> start() const {
    std::vector<std::uint32_t> values(2 * all, 0);
    for (std::size_t i = 0; i < all; ++i) values[i] = static_cast<std::uint32_t>(i * i);
    return values;
  }
  void expect_sums(Buffer<std::uint32_t>& values, Stream& stream) const {
    const std::vector<std::uint32_t> found = values.download(stream);
    const auto begin = start();
    const std::vector<std::uint32_t> first(begin.begin(),
                                           begin.begin() + static_cast<std::ptrdiff_t>(all));
    const std::vector<std::uint32_t> odd(found.begin() + static_cast<std::ptrdiff_t>(all),
                                         found.end());
    EXPECT_EQ(odd, expected(first, static_cast<std::size_t>(shape.threads), last + 1));
  }
};

TEST_F(GridBarrier, LetsEachBlockSeeWhatAllOthersHaveWritten) {
  Stream stream;
  Buffer<std::uint32_t> values;
  values.upload(start(), stream);
  Buffer<std::int32_t> limit;
  limit.upload(std::vector<std::int32_t>{rounds}, stream);
  ASSERT_TRUE(fit_at_once<SumsOfOthers>(shape));
  launch_at_once(stream, shape, SumsOfOthers{values.data(), rounds, last, limit.data()});
  expect_sums(values, stream);
}

TEST_F(GridBarrier, ComesInGraphsAndBehindGatesToo) {
  Stream stream;
  Buffer<std::uint32_t> values;
  values.upload(start(), stream);
  Buffer<std::int32_t> limit;
  limit.upload(std::vector<std::int32_t>{rounds}, stream);
  Graph graph(stream, [&] {
    const SumsOfOthers kernel{values.data(), rounds, last, limit.data()};
    {
      const GatedStream closed(stream, Gate{limit.data(), rounds});
      launch_at_once(stream, shape, kernel);
    }
    const GatedStream open(stream, Gate{limit.data(), 0});
    launch_at_once(stream, shape, kernel);
  });
  graph.replay(stream);
  expect_sums(values, stream);
}

TEST_F(GridBarrier, DoesNotTakeMoreBlocksThanFit) {
  shape.blocks = 1 << 20;
  EXPECT_FALSE(fit_at_once<SumsOfOthers>(shape));
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
