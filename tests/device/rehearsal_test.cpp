// A rehearsal puts nothing on a stream.
#include <gtest/gtest.h>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

struct AddOne {
  static constexpr const char* name = "rehearsal test: add one";
  Index* values;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const { values[i] += 1; }
};

struct AddThread {
  static constexpr const char* name = "rehearsal test: add thread";
  Index* values;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    block.barrier();
    values[block.thread()] += block.thread();
  }
};

constexpr int thread_count = 64;

void run_all(Stream& stream, Buffer<Index>& values, const Buffer<Index>& others) {
  values.fill_bytes(0, stream);
  memory::copy(values.data(), others.data(), thread_count * sizeof(Index), stream);
  for_each(stream, thread_count, AddOne{values.data()});
  launch(stream, {1, thread_count, 0}, AddThread{values.data()});
}

TEST(Rehearsal, LeavesOutKernelsCopiesAndFills) {
  Stream stream;
  const std::vector<Index> sevens(thread_count, 7);
  const std::vector<Index> nines(thread_count, 9);
  Buffer<Index> values, others;
  values.upload(sevens, stream);
  others.upload(nines, stream);
  {
    const Rehearsal rehearsal;
    EXPECT_TRUE(Rehearsal::goes_on());
    run_all(stream, values, others);
  }
  EXPECT_FALSE(Rehearsal::goes_on());
  EXPECT_EQ(values.download(stream), sevens);
  run_all(stream, values, others);
  std::vector<Index> expected(thread_count);
  for (Index i = 0; i < thread_count; ++i) expected[static_cast<std::size_t>(i)] = 9 + 1 + i;
  EXPECT_EQ(values.download(stream), expected);
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
