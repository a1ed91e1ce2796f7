// Stable radix sort with nothing but a grid of threads, one digit of eight bits a pass: each thread
// counts the digits of one chunk, the counts are scanned digit by digit, each thread moves its
// chunk.
#pragma once

#include <cstdint>
#include <utility>

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

template <class Key>
PENCILBOX_DEVICE_FUNCTION Index digit_of(Key key, int shift) {
  return static_cast<Index>((key >> shift) & static_cast<Key>(digits - 1));
}

template <class Key>
struct CountDigits {
  static constexpr const char* name = "sort: count digits";
  const Key* keys;
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

template <class Key>
struct MoveByDigit {
  static constexpr const char* name = "sort: move";
  const Key* keys;
  const Index* values;
  Key* keys_out;
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

/// Sorts `keys` ascending by their low `bits` bits and carries `values` along; stable. `Key` is an
/// unsigned integer of 32 or 64 bits.
template <class Key>
class SortPairs {
 public:
  /// Allocates what sorting `count` pairs takes, so that none of it happens in a step.
  void reserve(Index count, int /*bits*/) {
    const std::int64_t counts = std::int64_t{digits} * divide_up(count, sort_chunk);
    other_keys_.resize(count);
    other_values_.resize(count);
    counts_.resize(counts);
    next_.resize(counts);
  }

  void operator()(Buffer<Key>& keys, Buffer<Index>& values, int bits, Stream& stream) {
    const auto count = static_cast<Index>(keys.size());
    const auto chunks = static_cast<Index>(divide_up(count, sort_chunk));
    reserve(count, bits);
    Key* from = keys.data();
    Key* to = other_keys_.data();
    Index* values_from = values.data();
    Index* values_to = other_values_.data();
    for (int shift = 0; shift < bits; shift += digit_bits) {
      for_each(stream, chunks, CountDigits<Key>{from, counts_.data(), count, chunks, shift});
      scan_(counts_.data(), next_.data(), digits * chunks, stream);
      for_each(
          stream, chunks,
          MoveByDigit<Key>{from, values_from, to, values_to, next_.data(), count, chunks, shift});
      std::swap(from, to);
      std::swap(values_from, values_to);
    }
    // Copied, not swapped: a graph that holds this sort must find the buffers where they were.
    if (from == keys.data()) return;
    memory::copy(keys.data(), from, static_cast<std::size_t>(count) * sizeof(Key), stream);
    memory::copy(values.data(), values_from, static_cast<std::size_t>(count) * sizeof(Index),
                 stream);
  }

 private:
  ExclusiveScan scan_;
  Buffer<Index> counts_, next_;
  Buffer<Key> other_keys_;
  Buffer<Index> other_values_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE::portable
