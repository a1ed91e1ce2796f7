// Sums over all particles, in double and in one fixed order: the same bits on every run, every
// device and every number of threads. Each of `width` threads sums a strided part; the parts are
// summed in the same way until one is left.
#pragma once

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

class Reduction {
 public:
  /// Puts term(0) + ... + term(count - 1) into *result on the device: for whoever needs it there,
  /// in the very step, such as a thermostat.
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

  /// Allocates what sums take, so that none of it happens in a step.
  void reserve() { parts_.resize(wide + narrow + 1); }

 private:
  static constexpr Index wide = 16384;
  static constexpr Index narrow = 128;

  Buffer<double> parts_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
