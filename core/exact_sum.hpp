// Sums over particles that depend neither on their order nor on who holds which of them: each term
// is cut into whole numbers of quanta, which add up to the same whatever comes first. For what a
// step itself needs of all particles, such as a thermostat: there rounding would move them, and
// another way to deal them out to ranks would be another trajectory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Terms below 2^64, in quanta of 2^-96: 32 bits in a part, so that those of 2^31 terms fit.
struct ExactParts {
  static constexpr int parts = 5;
  static constexpr int words = parts + 1;

  std::int64_t part[parts];  ///< the most significant first; each has the sign of its term
  std::int64_t beyond;       ///< terms that are no number, or too large

  PENCILBOX_DEVICE_FUNCTION void add(double term) {
    if (!(std::abs(term) < 0x1p64)) {
      ++beyond;
      return;
    }
    double rest = term;
    double quanta = 0x1p-32;  // in a unit of the part
    double unit = 0x1p32;
    for (std::int64_t& some : part) {
      const auto whole = static_cast<std::int64_t>(rest * quanta);
      some += whole;
      rest -= static_cast<double>(whole) * unit;
      quanta *= 0x1p32;
      unit *= 0x1p-32;
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add(const ExactParts& more) {
    for (int k = 0; k < parts; ++k) part[k] += more.part[k];
    beyond += more.beyond;
  }

  /// Of the same sum always the same; no number where a term was none.
  PENCILBOX_DEVICE_FUNCTION double value() const {
    if (beyond != 0) return std::numeric_limits<double>::quiet_NaN();
    constexpr std::int64_t radix = std::int64_t{1} << 32;
    std::int64_t digits[parts];
    std::int64_t carry = 0;
    for (int k = parts - 1; k >= 0; --k) {
      const std::int64_t all = part[k] + carry;
      carry = all >> 32;
      digits[k] = all - carry * radix;
    }
    double sum = static_cast<double>(carry) * 0x1p64;
    double unit = 0x1p32;
    for (const std::int64_t digit : digits) {
      sum += static_cast<double>(digit) * unit;
      unit *= 0x1p-32;
    }
    return sum;
  }
};

/// `Term` is a functor: Index -> double.
template <class Term>
struct StridedExactSum {
  static constexpr const char* name = "exact sum: terms";
  Term term;
  ExactParts* sums;
  Index count, width;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    ExactParts sum{};
    for (std::int64_t i = thread; i < count; i += width) sum.add(term(static_cast<Index>(i)));
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
    const Index used = std::clamp(count, Index{1}, wide);
    for_each(stream, used, StridedExactSum<Term>{term, first, count, used});
    for_each(stream, narrow * ExactParts::words, StridedSumOfWords{first, second, used, narrow});
    for_each(stream, ExactParts::words, StridedSumOfWords{second, result, narrow, 1});
  }

  /// Allocates what a sum takes, so that none of it happens in a step.
  void reserve() { parts_.resize(wide + narrow); }

 private:
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
