// The observable that a time correlation is: one function of the time for all particles, and one
// for each type where there are several.
#pragma once

#include <string>
#include <vector>

#include "observables/time_correlation.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Beside what TimeCorrelation asks of it, `Quantity` has `title`, `y_label` and
/// append(result, suffix, legend, mean): the columns and numbers that follow from a mean by lag.
template <class Precision, class Quantity>
class CorrelationObservable final : public Observable<Precision> {
  using Correlation = TimeCorrelation<Precision, Quantity>;

 public:
  explicit CorrelationObservable(const ObservableSettings& settings)
      : settings_(settings), correlation_(settings) {}

  static void require(const ObservableSettings& settings) { Correlation::require(settings); }
  static std::int64_t own_bytes(const ObservableSettings& settings) {
    return Correlation::own_bytes(settings);
  }

  void sample(const ObservedState<Precision>& state, Stream& stream) override {
    correlation_.sample(state, stream);
  }
  NamedNumbers state(Stream& stream) override { return correlation_.state(stream); }
  void restore(const NamedNumbers& state, Stream& stream) override {
    correlation_.restore(state, stream);
  }

  ObservableResult result(Stream&) override {
    const CorrelationSums& sums = correlation_.sums();
    const ObservedSystem& system = settings_.system;
    const std::size_t types = system.types.size();
    ObservableResult result;
    result.samples = correlation_.samples();
    result.title = Quantity::title;
    result.x_label = "time / tau";
    result.y_label = Quantity::y_label;
    result.columns.push_back({"time", times_of(sums, settings_.interval())});
    Quantity::append(result, "", "all", mean_of(sums, system, 0, types));
    for (std::size_t t = 0; types > 1 && t < types; ++t) {
      Quantity::append(result, suffix_of(system, {t}), system.types[t].name,
                       mean_of(sums, system, t, t + 1));
    }
    result.columns.push_back({"origins", sums.origins});
    return result;
  }

 private:
  ObservableSettings settings_;
  Correlation correlation_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
