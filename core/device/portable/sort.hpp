// Stable radix sort with nothing but a grid of threads, one digit of eight bits a pass: each thread
// counts the digits of one chunk, the counts are scanned digit by digit, each thread moves its
// chunk.
#pragma once

#include <cstdint>

#include "core/device/portable/scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE::portable {

inline constexpr Index sort_chunk = 2048;
inline constexpr int digit_bits = 8;
inline constexpr Index digits = 1 << digit_bits;

struct SortChunk {
  Index begin, end;
  PENCILBOX_DEVICE_FUNCTION SortChunk(Index chunk, Index count)
      : begin(chunk * sort_chunk), end(begin + sort_chunk < count ? begin + sort_chunk : count) {}
};

PENCILBOX_DEVICE_FUNCTION inline Index digit_of(std::uint64_t key, int shift) {
  return static_cast<Index>((key >> shift) & static_cast<std::uint64_t>(digits - 1));
}

struct CountDigits {
  static constexpr const char* name = "sort: count digits";
  const std::uint64_t* keys;
  Index* counts;  // [digits][chunks]
  Index count, chunks;
  int shift;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index chunk) const {
    const SortChunk range(chunk, count);
    for (Index d = 0; d < digits; ++d) counts[d * chunks + chunk] = 0;
    for (Index i = range.begin; i < range.end; ++i) {
      ++counts[digit_of(keys[i], shift) * chunks + chunk];
    }
  }
};

struct MoveByDigit {
  static constexpr const char* name = "sort: move";
  const std::uint64_t* keys;
  const Index* values;
  std::uint64_t* keys_out;
  Index* values_out;
  Index* next;  // [digits][chunks]: where the chunk's next key of a digit goes
  Index count, chunks;
  int shift;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index chunk) const {
    const SortChunk range(chunk, count);
    for (Index i = range.begin; i < range.end; ++i) {
      const Index to = next[digit_of(keys[i], shift) * chunks + chunk]++;
      keys_out[to] = keys[i];
      values_out[to] = values[i];
    }
  }
};

/// Sorts `keys` ascending by their low `bits` bits and carries `values` along; stable.
class SortPairs {
 public:
  void operator()(Buffer<std::uint64_t>& keys, Buffer<Index>& values, int bits, Stream& stream) {
    const auto count = static_cast<Index>(keys.size());
    const auto chunks = static_cast<Index>(divide_up(count, sort_chunk));
    other_keys_.resize(count);
    other_values_.resize(count);
    counts_.resize(static_cast<std::int64_t>(digits) * chunks);
    next_.resize(static_cast<std::int64_t>(digits) * chunks);
    for (int shift = 0; shift < bits; shift += digit_bits) {
      for_each(stream, chunks, CountDigits{keys.data(), counts_.data(), count, chunks, shift});
      scan_(counts_.data(), next_.data(), digits * chunks, stream);
      for_each(stream, chunks,
               MoveByDigit{keys.data(), values.data(), other_keys_.data(), other_values_.data(),
                           next_.data(), count, chunks, shift});
      keys.swap(other_keys_);
      values.swap(other_values_);
    }
  }

 private:
  ExclusiveScan scan_;
  Buffer<Index> counts_, next_;
  Buffer<std::uint64_t> other_keys_;
  Buffer<Index> other_values_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE::portable
