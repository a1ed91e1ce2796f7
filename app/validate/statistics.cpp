#include "app/validate/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace pencilbox {
namespace {

double mean_of(const double* first, std::size_t count) {
  return std::accumulate(first, first + count, 0.0) / static_cast<double>(count);
}

}  // namespace

Estimate block_average(const std::vector<double>& series) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (series.empty()) return {unknown, unknown};
  const std::size_t length = series.size() / blocks_of_a_series;
  if (length == 0) return {mean_of(series.data(), series.size()), unknown};
  const double* first = series.data() + (series.size() - length * blocks_of_a_series);
  const double mean = mean_of(first, length * blocks_of_a_series);
  double squares = 0.0;
  for (std::size_t block = 0; block < blocks_of_a_series; ++block) {
    const double off = mean_of(first + block * length, length) - mean;
    squares += off * off;
  }
  constexpr auto blocks = static_cast<double>(blocks_of_a_series);
  return {mean, std::sqrt(squares / (blocks * (blocks - 1.0)))};
}

Trend trend_of(const std::vector<double>& x, const std::vector<double>& y) {
  const double x_mean = mean_of(x.data(), x.size());
  const double y_mean = mean_of(y.data(), y.size());
  double xx = 0.0, xy = 0.0, yy = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xx += (x[k] - x_mean) * (x[k] - x_mean);
    xy += (x[k] - x_mean) * (y[k] - y_mean);
    yy += (y[k] - y_mean) * (y[k] - y_mean);
  }
  return {xy / xx, std::sqrt(yy / static_cast<double>(y.size()))};
}

double kolmogorov_smirnov(std::vector<double> numbers,
                          const std::function<double(double)>& cumulative) {
  // A NaN has no place in an order, and no probability.
  if (numbers.empty() || std::any_of(numbers.begin(), numbers.end(),
                                     [](double number) { return std::isnan(number); })) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::sort(numbers.begin(), numbers.end());
  const auto n = static_cast<double>(numbers.size());
  double distance = 0.0;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double expected = cumulative(numbers[k]);
    distance = std::max({distance, expected - static_cast<double>(k) / n,
                         static_cast<double>(k + 1) / n - expected});
  }
  const double lambda = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  if (lambda < 0.2) return 1.0;  // to 15 digits; the sum below converges slowly there
  double sum = 0.0;
  for (int j = 1; j <= 100; ++j) {
    sum += (j % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * j * j * lambda * lambda);
  }
  return std::clamp(sum, 0.0, 1.0);
}

double cumulative_normal(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

}  // namespace pencilbox
