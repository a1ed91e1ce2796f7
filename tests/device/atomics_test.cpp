// Words that are exchanged, and sums of three numbers, by many threads at a time.
#include "core/device/atomics.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

constexpr Index exchangers = 5000;

struct ExchangeWord {
  static constexpr const char* name = "atomics test: exchange";
  std::uint64_t* words;
  std::uint64_t* before;

  PENCILBOX_DEVICE_FUNCTION static std::uint64_t mark(Index i) {
    return (std::uint64_t{1} << 40) + static_cast<std::uint64_t>(i);
  }
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    before[i] = atomic_exchange(words + i % 3, mark(i));
  }
};

TEST(Atomics, WhoExchangesGetsWhatStoodThere) {
  Stream stream;
  Buffer<std::uint64_t> words(3), before(exchangers);
  words.fill_bytes(0, stream);
  for_each(stream, exchangers, ExchangeWord{words.data(), before.data()});
  // What was put down came back once, or stands there still.
  std::vector<std::uint64_t> all = before.download(stream);
  for (const std::uint64_t last : words.download(stream)) all.push_back(last);
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), std::size_t{exchangers + 3});
  for (Index i = 0; i < exchangers + 3; ++i) {
    ASSERT_EQ(all[static_cast<std::size_t>(i)], i < 3 ? 0 : ExchangeWord::mark(i - 3));
  }
}

struct AddToWord {
  static constexpr const char* name = "atomics test: tickets";
  std::uint64_t* sum;
  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    atomic_add(sum, (std::uint64_t{1} << 33) + 1);
  }
};

TEST(Atomics, WordsOf64Bits) {
  Stream stream;
  Buffer<std::uint64_t> sum(1);
  sum.fill_bytes(0, stream);
  for_each(stream, exchangers, AddToWord{sum.data()});
  EXPECT_EQ(sum.download(stream)[0], exchangers * ((std::uint64_t{1} << 33) + 1));
}

template <class Real>
struct AddThree {
  static constexpr const char* name = "atomics test: three";
  PaddedVec3<Real>* sums;
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    atomic_add(sums + i % 2, Vec3<Real>{Real(1), Real(-2), Real(0.5)});
  }
};

template <class Real>
class SumsOfThree : public ::testing::Test {};
using RealsOfSums = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SumsOfThree, RealsOfSums);

TYPED_TEST(SumsOfThree, HaveAllThatWasAdded) {
  Stream stream;
  Buffer<PaddedVec3<TypeParam>> sums(2);
  sums.fill_bytes(0, stream);
  for_each(stream, exchangers, AddThree<TypeParam>{sums.data()});
  for (const PaddedVec3<TypeParam>& sum : sums.download(stream)) {
    EXPECT_EQ(sum.value.x, TypeParam(exchangers / 2));
    EXPECT_EQ(sum.value.y, TypeParam(-exchangers));
    EXPECT_EQ(sum.value.z, TypeParam(exchangers) / 4);
  }
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
