// Sums over all particles, in double and in one fixed order: the same bits on every run, every
// device and every number of threads. Each of `width` threads sums a strided part; the parts are
// summed in the same way until one is left.
#pragma once

#include <algorithm>
#include <array>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// `Term` is a functor: Index -> double.
template <class Term>
struct StridedSum {
  static constexpr const char* name = "reduction: strided sum";
  Term term;
  double* sums;
  Index count, width;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    double sum = 0.0;
    for (std::int64_t i = thread; i < count; i += width) sum += term(static_cast<Index>(i));
    sums[thread] = sum;
  }
};

struct ElementOf {
  const double* values;
  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const { return values[i]; }
};

/// What is summed together.
template <int number>
struct Numbers {
  double of[number];
};

/// The same for several sums; `Term` is a functor: Index -> Numbers.
template <int number, class Term>
struct StridedSums {
  static constexpr const char* name = "reduction: strided sums";
  Term term;
  double* sums;  ///< [number][used]
  Index count, width;
  Index used;  ///< threads that have a term

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    Numbers<number> sum{};
    for (std::int64_t i = thread; i < count; i += width) {
      const Numbers<number> more = term(static_cast<Index>(i));
      for (int k = 0; k < number; ++k) sum.of[k] += more.of[k];
    }
    for (int k = 0; k < number; ++k) sums[k * used + thread] = sum.of[k];
  }
};

/// Of each row of numbers.
struct StridedSumsOfRows {
  static constexpr const char* name = "reduction: strided sums of rows";
  const double* values;  ///< [rows][count]
  double* sums;          ///< [rows][width]
  Index count, width;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    const double* row = values + std::int64_t{thread / width} * count;
    double sum = 0.0;
    for (Index i = thread % width; i < count; i += width) sum += row[i];
    sums[thread] = sum;
  }
};

class Reduction {
 public:
  /// Puts term(0) + ... + term(count - 1) into *result on the device: for whoever needs it there.
  /// (What moves particles by it takes core/exact_sum.hpp, whose sums are the same on any ranks.)
  template <class Term>
  void sum_into(double* result, const Term& term, Index count, Stream& stream) {
    reserve();
    double* first = parts_.data();
    double* second = first + wide;
    for_each(stream, wide, StridedSum<Term>{term, first, count, wide});
    for_each(stream, narrow, StridedSum<ElementOf>{{first}, second, wide, narrow});
    for_each(stream, 1, StridedSum<ElementOf>{{second}, result, narrow, 1});
  }

  /// The same for the host; waits for the stream.
  template <class Term>
  double sum(const Term& term, Index count, Stream& stream) {
    reserve();
    double* total = parts_.data() + wide + narrow;
    sum_into(total, term, count, stream);
    double result = 0.0;
    memory::copy(&result, total, sizeof result, stream);
    stream.synchronize();
    return result;
  }

  /// Several sums at once, each with the bits that sum() gives it: three kernels, and one wait for
  /// the stream.
  template <int number, class Term>
  std::array<double, number> sums(const Term& term, Index count, Stream& stream) {
    const Index used = std::clamp(count, Index{1}, wide);
    rows_.resize(std::int64_t{number} * (wide + narrow + 1));
    double* first = rows_.data();
    double* second = first + std::int64_t{number} * wide;
    double* totals = second + std::int64_t{number} * narrow;
    for_each(stream, used, StridedSums<number, Term>{term, first, count, wide, used});
    for_each(stream, number * narrow, StridedSumsOfRows{first, second, used, narrow});
    for_each(stream, number, StridedSumsOfRows{second, totals, narrow, 1});
    std::array<double, number> result{};
    memory::copy(result.data(), totals, sizeof result, stream);
    stream.synchronize();
    return result;
  }

  /// Allocates what sums take, so that none of it happens in a step.
  void reserve() { parts_.resize(wide + narrow + 1); }

 private:
  static constexpr Index wide = 16384;
  static constexpr Index narrow = 128;

  Buffer<double> parts_;
  Buffer<double> rows_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
