// Sums over particles that depend neither on their order nor on who holds which of them: each term
// is cut into whole numbers of quanta, which add up to the same whatever comes first. For what a
// step itself needs of all particles, such as a thermostat: there rounding would move them, and
// another way to deal them out to ranks would be another trajectory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Terms below 2^84, in quanta of 2^-96: 32 bits in a part, so that those of 2^31 terms fit.
struct ExactParts {
  static constexpr int parts = 6;
  static constexpr int words = parts + 1;

  std::int64_t part[parts];  ///< the least significant first; each has the sign of its terms
  std::int64_t beyond;       ///< terms that are no number, or too large

  /// What is less than a quantum is left out. A double is 53 bits, so in three parts at most.
  PENCILBOX_DEVICE_FUNCTION void add(double term) {
    constexpr int exponent_of_quantum = 1023 - quanta_of_one, bits_behind_point = 52;
    constexpr int last_exponent = 1023 + 84 - 1;
    const auto bits = std::bit_cast<std::uint64_t>(term);
    const int exponent = static_cast<int>(bits >> bits_behind_point) & 0x7ff;
    if (exponent > last_exponent) {
      ++beyond;
      return;
    }
    constexpr std::uint64_t one = std::uint64_t{1} << bits_behind_point;
    std::uint64_t digits = (bits & (one - 1)) | (exponent != 0 ? one : 0);
    int shift = exponent - bits_behind_point - exponent_of_quantum;
    if (shift < 0) {
      digits = shift > -64 ? digits >> -shift : 0;
      shift = 0;
    }
    const int first = shift / 32, within = shift % 32;
    const std::uint64_t low = (digits & lowest) << within;
    const std::uint64_t high = ((digits >> 32) << within) + (low >> 32);
    const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
    part[first] += sign * static_cast<std::int64_t>(low & lowest);
    part[first + 1] += sign * static_cast<std::int64_t>(high & lowest);
    part[first + 2] += sign * static_cast<std::int64_t>(high >> 32);
  }

  PENCILBOX_DEVICE_FUNCTION void add(const ExactParts& more) {
    for (int k = 0; k < parts; ++k) part[k] += more.part[k];
    beyond += more.beyond;
  }

  /// Of the same sum always the same; no number where a term was none.
  PENCILBOX_DEVICE_FUNCTION double value() const {
    if (beyond != 0) return std::numeric_limits<double>::quiet_NaN();
    std::int64_t digits[parts];
    std::int64_t carry = 0;
    for (int k = 0; k < parts; ++k) {
      const std::int64_t all = part[k] + carry;
      carry = all >> 32;
      digits[k] = all & static_cast<std::int64_t>(lowest);
    }
    double unit = 0x1p96;  // 2^(32 parts) quanta
    double sum = static_cast<double>(carry) * unit;
    for (int k = parts - 1; k >= 0; --k) {
      unit *= 0x1p-32;
      sum += static_cast<double>(digits[k]) * unit;
    }
    return sum;
  }

 private:
  static constexpr int quanta_of_one = 96;  ///< as a power of two
  static constexpr std::uint64_t lowest = 0xffffffff;
};

/// `Term` is a functor: Index -> double. A thread of a CPU takes terms that lie side by side, and
/// those of a GPU share them out one by one: no order changes the sum.
template <class Term>
struct StridedExactSum {
  static constexpr const char* name = "exact sum: terms";
  Term term;
  ExactParts* sums;
  Index count, width;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    ExactParts sum{};
    const std::int64_t each = (std::int64_t{count} + width - 1) / width;
    for (std::int64_t k = 0; k < each; ++k) {
      const std::int64_t i = emulates_blocks ? thread * each + k : thread + k * width;
      if (i < count) sum.add(term(static_cast<Index>(i)));
    }
    sums[thread] = sum;
  }
};

/// A thread for each word of each sum of the next round.
struct StridedSumOfWords {
  static constexpr const char* name = "exact sum: words";
  const ExactParts* values;
  ExactParts* sums;
  Index count, width;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    const auto* words = reinterpret_cast<const std::int64_t*>(values);
    const Index word = thread % ExactParts::words;
    std::int64_t sum = 0;
    for (Index i = thread / ExactParts::words; i < count; i += width) {
      sum += words[i * ExactParts::words + word];
    }
    reinterpret_cast<std::int64_t*>(sums)[thread] = sum;
  }
};

class ExactSum {
 public:
  /// Puts term(0) + ... + term(count - 1) into *result on the device.
  template <class Term>
  void into(ExactParts* result, const Term& term, Index count, Stream& stream) {
    reserve();
    ExactParts* first = parts_.data();
    ExactParts* second = first + wide;
    const Index used = std::clamp(count / least_terms, Index{1}, wide);
    for_each(stream, used, StridedExactSum<Term>{term, first, count, used});
    for_each(stream, narrow * ExactParts::words, StridedSumOfWords{first, second, used, narrow});
    for_each(stream, ExactParts::words, StridedSumOfWords{second, result, narrow, 1});
  }

  /// Allocates what a sum takes, so that none of it happens in a step.
  void reserve() { parts_.resize(wide + narrow); }

 private:
  static constexpr Index least_terms = emulates_blocks ? 16 : 1;  ///< of a thread
  static constexpr Index wide = 16384;
  static constexpr Index narrow = 128;

  Buffer<ExactParts> parts_;
};

/// Sums of all ranks' particles, for a kernel that looks at them: those of each rank, of which
/// there may be one.
struct SumsOfRanks {
  const ExactParts* first;  ///< [ranks][stride]
  Index ranks;
  Index stride;            ///< sums of a rank
  std::int64_t particles;  ///< of all ranks

  PENCILBOX_DEVICE_FUNCTION double operator[](Index k) const {
    ExactParts sum{};
    for (Index rank = 0; rank < ranks; ++rank) sum.add(first[rank * stride + k]);
    return sum.value();
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
