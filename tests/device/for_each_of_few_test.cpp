// Every row with work is visited once, and no other: whether none, few or all have any.
#include "core/for_each_of_few.hpp"

#include <gtest/gtest.h>

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

/// Each row that is `left` over in a division counts its visits.
struct CountVisits {
  static constexpr const char* name = "test: count visits";
  Index divisor, left;
  Index* visits;

  PENCILBOX_DEVICE_FUNCTION bool concerns(Index i) const { return i % divisor == left; }
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const { ++visits[i]; }
};

constexpr Index few_of[] = {1, 7, 256, 2047, 2048, 2049, 70001};

template <class Visit>
void expect_each_of_few_once(const Visit& visit) {
  Stream stream;
  for (const Index size : few_of) {
    for (const Index divisor : {1, 2, 300, 100000}) {
      for (const Index left : {Index{0}, divisor - 1}) {
        Buffer<Index> visits(size);
        visits.fill_bytes(0, stream);
        const CountVisits work{divisor, left, visits.data()};
        visit(stream, size, work);
        std::vector<Index> expected;
        for (Index i = 0; i < size; ++i) expected.push_back(work.concerns(i) ? 1 : 0);
        EXPECT_EQ(visits.download(stream), expected)
            << size << " rows, " << left << " left by " << divisor;
      }
    }
  }
}

TEST(ForEachOfFew, VisitsEachOnce) {
  expect_each_of_few_once([](Stream& stream, Index size, const CountVisits& work) {
    for_each_of_few(stream, size, work);
  });
}

TEST(ForEachOfFew, VisitsEachOnceByBlocks) {
  expect_each_of_few_once([](Stream& stream, Index size, const CountVisits& work) {
    launch_rows_of_few(stream, size, work);
  });
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
