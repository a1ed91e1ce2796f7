// Quantities of which every sample is kept: the series itself, its running mean, and how far the
// mean is to be trusted. Samples that follow each other know of each other, so the standard error
// is that of the means of a few long blocks. Allen and Tildesley, Computer Simulation of Liquids,
// 2nd edition, section 8.4.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "observables/observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// What a row of a series has; one with a legend is drawn, as its running mean.
struct SeriesQuantity {
  std::string name;
  std::string unit;
  std::string legend = {};
};

class TimeSeries {
 public:
  explicit TimeSeries(std::vector<SeriesQuantity> quantities)
      : quantities_(std::move(quantities)), values_(quantities_.size()) {}

  std::int64_t samples() const { return static_cast<std::int64_t>(steps_.size()); }

  /// One value of each quantity.
  void add(std::int64_t step, double time, const std::vector<double>& values) {
    steps_.push_back(static_cast<double>(step));
    times_.push_back(time);
    for (std::size_t q = 0; q < values_.size(); ++q) values_[q].push_back(values.at(q));
  }

  /// The whole table, and for each quantity NAME a number of that name, its mean, and NAME_error.
  void append_to(ObservableResult& result, std::int64_t blocks) const {
    result.samples = samples();
    result.is_time_series = true;
    result.x_label = "step";
    result.columns.push_back({"step", steps_});
    result.columns.push_back({"time", times_});
    for (std::size_t q = 0; q < values_.size(); ++q) {
      result.columns.push_back({quantities_[q].name, values_[q]});
    }
    for (std::size_t q = 0; q < values_.size(); ++q) {
      const SeriesQuantity& quantity = quantities_[q];
      std::vector<double> means = running_mean(values_[q]);
      const double mean = means.empty() ? std::numeric_limits<double>::quiet_NaN() : means.back();
      result.columns.push_back({"mean_" + quantity.name, std::move(means), quantity.legend});
      result.numbers.push_back({quantity.name, mean, quantity.unit});
      result.numbers.push_back(
          {quantity.name + "_error", standard_error(values_[q], blocks), quantity.unit});
    }
  }

  NamedNumbers state() const {
    NamedNumbers state{{"steps", steps_}, {"times", times_}};
    for (std::size_t q = 0; q < values_.size(); ++q) {
      state["values_" + std::to_string(q)] = values_[q];
    }
    return state;
  }

  void restore(const NamedNumbers& state) {
    const auto found = state.find("steps");
    if (found == state.end()) {
      throw InputError(
          "observables: the state in the checkpoint is of another observable: 'steps' "
          "is missing");
    }
    const std::size_t rows = found->second.size();
    std::vector<std::vector<double>> values;
    for (std::size_t q = 0; q < values_.size(); ++q) {
      values.push_back(numbers_of(state, "values_" + std::to_string(q), rows));
    }
    times_ = numbers_of(state, "times", rows);
    steps_ = found->second;
    values_ = std::move(values);
  }

  static std::vector<double> running_mean(const std::vector<double>& values) {
    std::vector<double> means;
    double sum = 0.0;
    for (const double value : values) {
      sum += value;
      means.push_back(sum / static_cast<double>(means.size() + 1));
    }
    return means;
  }

  /// Of the mean, by blocks of equal length; samples before them that do not fill a block are left
  /// out. NaN where there are fewer samples than blocks.
  static double standard_error(const std::vector<double>& values, std::int64_t blocks) {
    const auto count = static_cast<std::size_t>(blocks);
    const std::size_t length = values.size() / count;
    if (count < 2 || length == 0) return std::numeric_limits<double>::quiet_NaN();
    const std::size_t first = values.size() - length * count;
    std::vector<double> means(count, 0.0);
    double mean = 0.0;
    for (std::size_t k = 0; k < length * count; ++k) {
      means[k / length] += values[first + k] / static_cast<double>(length);
    }
    for (const double one : means) mean += one / static_cast<double>(count);
    double squares = 0.0;
    for (const double one : means) squares += (one - mean) * (one - mean);
    return std::sqrt(squares / static_cast<double>(count * (count - 1)));
  }

 private:
  std::vector<SeriesQuantity> quantities_;
  std::vector<double> steps_, times_;
  std::vector<std::vector<double>> values_;  ///< [quantities][samples]
};

/// How many blocks; several observables have it.
inline ParameterInfo blocks_parameter() {
  return {.name = "blocks",
          .description = "Blocks of samples by whose means the standard error is estimated",
          .unit = "",
          .minimum = 2.0,
          .maximum = 1000.0,
          .default_value = "10",
          .is_integer = true};
}

}  // namespace pencilbox::PENCILBOX_DEVICE
