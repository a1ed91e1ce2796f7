// What observables have in common of which every sample is kept: the series, its means and their
// standard errors, by blocks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "observables/time_series.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
class SeriesObservable : public Observable<Precision> {
 public:
  ObservableResult result(Stream&) final {
    ObservableResult result;
    result.title = title_;
    result.y_label = y_label_;
    series_.append_to(result, blocks_);
    return result;
  }

  NamedNumbers state(Stream&) final { return series_.state(); }
  void restore(const NamedNumbers& state, Stream&) final { series_.restore(state); }

 protected:
  SeriesObservable(const ObservableSettings& settings, std::vector<SeriesQuantity> quantities,
                   std::string title, std::string y_label)
      : blocks_(settings.integer("blocks")),
        title_(std::move(title)),
        y_label_(std::move(y_label)),
        series_(std::move(quantities)) {}

  /// One value of each quantity.
  void add_sample(const ObservedState<Precision>& state, const std::vector<double>& values) {
    series_.add(state.step, state.time, values);
  }

 private:
  std::int64_t blocks_;
  std::string title_, y_label_;
  TimeSeries series_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
