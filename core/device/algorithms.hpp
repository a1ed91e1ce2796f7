// Scan and sort on the device: CUB on CUDA, hipCUB on HIP where it is installed, and a small
// portable pair elsewhere. All are exact integer algorithms: the result does not depend on which.
#pragma once

#include <cstdint>

#include "core/device/buffer.hpp"
#include "core/device/portable/one_block_scan.hpp"
#include "core/device/portable/scan.hpp"
#include "core/device/portable/sort.hpp"

#if defined(PENCILBOX_DEVICE_CUDA)
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#define PENCILBOX_VENDOR_ALGORITHMS 1
namespace pencilbox::cuda::vendor_algorithms {
using namespace ::cub;  // NOLINT
}
#elif defined(PENCILBOX_DEVICE_HIP) && __has_include(<hipcub/hipcub.hpp>)
#include <hipcub/hipcub.hpp>
#define PENCILBOX_VENDOR_ALGORITHMS 1
namespace pencilbox::hip::vendor_algorithms {
using namespace ::hipcub;  // NOLINT
}
#else
#define PENCILBOX_VENDOR_ALGORITHMS 0
#endif

namespace pencilbox::PENCILBOX_DEVICE {

#if PENCILBOX_VENDOR_ALGORITHMS

/// out[i] = in[0] + ... + in[i - 1] for i in [0, count). `in` and `out` do not overlap. What is
/// short is scanned by one block: one launch in place of the library's two, which in a small system
/// is a tenth of a step.
class ExclusiveScan {
 public:
  void operator()(const Index* in, Index* out, Index count, Stream& stream) {
    if (count == 0) return;
    if (count <= portable::most_for_one_block)
      return portable::scan_in_one_block(in, out, count, stream);
    std::size_t bytes = 0;
    check(vendor_algorithms::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, count,
                                                      stream.handle()),
          "exclusive scan");
    workspace_.resize(static_cast<std::int64_t>(bytes));
    check(vendor_algorithms::DeviceScan::ExclusiveSum(workspace_.data(), bytes, in, out, count,
                                                      stream.handle()),
          "exclusive scan");
  }

 private:
  Buffer<unsigned char> workspace_;
};

/// Sorts `keys` ascending by their low `bits` bits and carries `values` along; stable. `Key` is an
/// unsigned integer of 32 or 64 bits.
template <class Key>
class SortPairs {
 public:
  /// Allocates what sorting `count` pairs takes, so that none of it happens in a step.
  void reserve(Index count, int bits) {
    if (count == 0) return;
    other_keys_.resize(count);
    other_values_.resize(count);
    Keys keys;
    Values values;
    std::size_t bytes = 0;
    check(
        vendor_algorithms::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, count, 0, bits),
        "radix sort");
    workspace_.resize(static_cast<std::int64_t>(bytes));
  }

  void operator()(Buffer<Key>& keys, Buffer<Index>& values, int bits, Stream& stream) {
    if (keys.size() == 0) return;
    const auto count = static_cast<Index>(keys.size());
    reserve(count, bits);
    Keys key_pair(keys.data(), other_keys_.data());
    Values value_pair(values.data(), other_values_.data());
    auto bytes = static_cast<std::size_t>(workspace_.size());
    check(vendor_algorithms::DeviceRadixSort::SortPairs(
              workspace_.data(), bytes, key_pair, value_pair, count, 0, bits, stream.handle()),
          "radix sort");
    // Copied, not swapped: a graph that holds this sort must find the buffers where they were.
    if (key_pair.Current() != keys.data()) copy_back(keys, other_keys_, stream);
    if (value_pair.Current() != values.data()) copy_back(values, other_values_, stream);
  }

 private:
  using Keys = vendor_algorithms::DoubleBuffer<Key>;
  using Values = vendor_algorithms::DoubleBuffer<Index>;

  template <class T>
  static void copy_back(Buffer<T>& to, const Buffer<T>& from, Stream& stream) {
    memory::copy(to.data(), from.data(), static_cast<std::size_t>(to.size()) * sizeof(T), stream);
  }

  Buffer<unsigned char> workspace_;
  Buffer<Key> other_keys_;
  Buffer<Index> other_values_;
};

#else

using ExclusiveScan = portable::ExclusiveScan;
template <class Key>
using SortPairs = portable::SortPairs<Key>;

#endif

}  // namespace pencilbox::PENCILBOX_DEVICE
