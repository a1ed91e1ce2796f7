// What observables have in common that count particles or pairs into bins, and nothing else: the
// counts of all samples, and how many these are.
#pragma once

#include <cstdint>
#include <vector>

#include "observables/counts.hpp"
#include "observables/observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
class CountedObservable : public Observable<Precision> {
 public:
  NamedNumbers state(Stream& stream) final {
    return {{"samples", {static_cast<double>(samples_)}}, {"counts", counts_.so_far(stream)}};
  }
  void restore(const NamedNumbers& state, Stream& stream) final {
    samples_ = static_cast<std::int64_t>(numbers_of(state, "samples", 1).front());
    counts_.restore(numbers_of(state, "counts", counts_.size()), stream);
  }

 protected:
  /// Of so many numbers.
  explicit CountedObservable(std::int64_t size) : counts_(size) {}

  /// Where the kernel of one more sample counts.
  CountsView view_of_sample(Stream& stream) {
    ++samples_;
    return counts_.view(stream);
  }

  std::vector<double> counts_so_far(Stream& stream) const { return counts_.so_far(stream); }
  std::int64_t samples() const { return samples_; }

 private:
  std::int64_t samples_ = 0;
  Counts counts_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
