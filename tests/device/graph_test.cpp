#include <stdexcept>

#include <gtest/gtest.h>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

/// Depends on what stood there, so that the order and the number of runs show.
struct TwiceAndAdd {
  static constexpr const char* name = "graph test: twice and add";
  Index* values;
  Index addend;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    values[i] = 2 * values[i] + addend + i;
  }
};

constexpr Index count = 1000;

std::vector<Index> values_after(const std::vector<Index>& addends) {
  std::vector<Index> values(count, 0);
  for (const Index addend : addends) {
    for (Index i = 0; i < count; ++i) {
      Index& value = values[static_cast<std::size_t>(i)];
      value = 2 * value + addend + i;
    }
  }
  return values;
}

TEST(Graph, RunsWhatWasEnqueuedInOrderAtEachReplayAndNotBefore) {
  Stream stream;
  Buffer<Index> values(count);
  values.fill_bytes(0, stream);
  Graph graph(stream, [&] {
    for (const Index addend : {3, 5}) {
      for_each(stream, count, TwiceAndAdd{values.data(), addend});
    }
  });
  EXPECT_EQ(values.download(stream), values_after({}));
  graph.replay(stream);
  EXPECT_EQ(values.download(stream), values_after({3, 5}));
  graph.replay(stream);
  graph.replay(stream);
  EXPECT_EQ(values.download(stream), values_after({3, 5, 3, 5, 3, 5}));
}

TEST(Graph, TakesItsPlaceAmongWhatElseIsEnqueued) {
  Stream stream;
  Buffer<Index> values(count);
  values.fill_bytes(0, stream);
  Graph graph(stream, [&] { for_each(stream, count, TwiceAndAdd{values.data(), 7}); });
  for_each(stream, count, TwiceAndAdd{values.data(), 1});
  graph.replay(stream);
  for_each(stream, count, TwiceAndAdd{values.data(), 2});
  EXPECT_EQ(values.download(stream), values_after({1, 7, 2}));
}

TEST(Graph, AnErrorWhileItIsMadeOrReplayedLeavesTheStreamUsable) {
  Stream stream;
  Buffer<Index> values(count);
  values.fill_bytes(0, stream);
  const auto fail = [&] {
    Graph graph(stream, [] { throw std::runtime_error("refused"); });
    graph.replay(stream);
  };
  EXPECT_THROW(fail(), std::runtime_error);
  for_each(stream, count, TwiceAndAdd{values.data(), 1});
  EXPECT_EQ(values.download(stream), values_after({1}));
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
