// Scan and sort: the device's own and the portable pair must agree with the standard library.
#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

constexpr int sizes[] = {1, 2, 31, 255, 256, 257, 2047, 2048, 2049, 65536, 70001};

template <class Scan>
class ScanTest : public ::testing::Test {};
using Scans = ::testing::Types<ExclusiveScan, portable::ExclusiveScan>;
TYPED_TEST_SUITE(ScanTest, Scans);

TYPED_TEST(ScanTest, AgreesWithTheStandardLibrary) {
  Stream stream;
  TypeParam scan;
  std::mt19937 random(7);
  for (const int size : sizes) {
    std::vector<Index> values(static_cast<std::size_t>(size));
    for (Index& value : values) value = static_cast<Index>(random() % 20);
    std::vector<Index> expected(values.size());
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), Index{0});
    Buffer<Index> in;
    Buffer<Index> out(size);
    in.upload(values, stream);
    out.fill_bytes(0xff, stream);
    scan(in.data(), out.data(), size, stream);
    EXPECT_EQ(out.download(stream), expected) << "size " << size;
  }
}

template <class SortType, class KeyType>
struct SortCase {
  using Sort = SortType;
  using Key = KeyType;
};

template <class Case>
class SortTest : public ::testing::Test {};
using Sorts = ::testing::Types<SortCase<SortPairs<std::uint32_t>, std::uint32_t>,
                               SortCase<SortPairs<std::uint64_t>, std::uint64_t>,
                               SortCase<portable::SortPairs<std::uint32_t>, std::uint32_t>,
                               SortCase<portable::SortPairs<std::uint64_t>, std::uint64_t>>;
TYPED_TEST_SUITE(SortTest, Sorts);

TYPED_TEST(SortTest, IsStableAndCarriesValues) {
  using Key = typename TypeParam::Key;
  constexpr int most_bits = sizeof(Key) == 4 ? 31 : 43;
  Stream stream;
  typename TypeParam::Sort sort;
  std::mt19937_64 random(11);
  for (const int size : sizes) {
    for (const int bits : {1, 5, 16, most_bits}) {
      std::vector<Key> keys(static_cast<std::size_t>(size));
      for (auto& key : keys) key = static_cast<Key>(random() & ((std::uint64_t{1} << bits) - 1));
      std::vector<Index> values(keys.size());
      std::iota(values.begin(), values.end(), 0);
      std::vector<Index> expected = values;
      std::stable_sort(expected.begin(), expected.end(), [&](Index a, Index b) {
        return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
      });
      Buffer<Key> device_keys;
      Buffer<Index> device_values;
      device_keys.upload(keys, stream);
      device_values.upload(values, stream);
      sort(device_keys, device_values, bits, stream);
      std::sort(keys.begin(), keys.end());
      EXPECT_EQ(device_keys.download(stream), keys) << size << " keys of " << bits << " bits";
      EXPECT_EQ(device_values.download(stream), expected) << size << " keys of " << bits << " bits";
    }
  }
}

TYPED_TEST(SortTest, AllocatesNothingAfterReserving) {
  using Key = typename TypeParam::Key;
  Stream stream;
  typename TypeParam::Sort sort;
  Buffer<Key> keys(100);
  Buffer<Index> values(100);
  keys.fill_bytes(0, stream);
  values.fill_bytes(0, stream);
  sort.reserve(100, 16);
  const std::int64_t before = allocated_bytes;
  sort(keys, values, 16, stream);
  EXPECT_EQ(allocated_bytes, before);
}

TEST(Buffer, CountsItsBytes) {
  const std::int64_t before = allocated_bytes;
  {
    const Buffer<double> buffer(1000);
    EXPECT_EQ(allocated_bytes - before, 8000);
  }
  EXPECT_EQ(allocated_bytes, before);
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
