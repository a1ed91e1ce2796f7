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

Estimate reweighted_average(const std::vector<double>& series,
                            const std::vector<double>& log_weights) {
  if (series.empty()) return block_average(series);
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  std::vector<double> weights;
  for (const double log_weight : log_weights) weights.push_back(std::exp(log_weight - largest));
  const double usual = mean_of(weights.data(), weights.size());
  const double mean = std::inner_product(series.begin(), series.end(), weights.begin(), 0.0) /
                      (usual * static_cast<double>(series.size()));
  std::vector<double> off;
  for (std::size_t k = 0; k < series.size(); ++k) {
    off.push_back(weights[k] / usual * (series[k] - mean));
  }
  return {mean, block_average(off).standard_error};
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

Peak highest_peak(const std::vector<double>& x, const std::vector<double>& y) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  constexpr std::size_t beside = 3;  // bins on each side, over which a parabola is a good likeness
  const auto highest =
      static_cast<std::size_t>(std::distance(y.begin(), std::max_element(y.begin(), y.end())));
  if (highest < beside || highest + beside >= y.size()) return {unknown, unknown};
  // Least squares over places -3 ... 3, where the sums of odd powers are zero: y = a + b x + c x^2.
  double y0 = 0.0, y1 = 0.0, y2 = 0.0;
  constexpr double n = 2.0 * beside + 1.0, x2 = 28.0, x4 = 196.0;
  for (std::size_t k = 0; k <= 2 * beside; ++k) {
    const double place = static_cast<double>(k) - static_cast<double>(beside);
    const double height = y[highest - beside + k];
    y0 += height;
    y1 += place * height;
    y2 += place * place * height;
  }
  const double c = (n * y2 - x2 * y0) / (n * x4 - x2 * x2);
  const double b = y1 / x2;
  const double a = (y0 - c * x2) / n;
  if (!(c < 0.0)) return {unknown, unknown};
  const double width = x[1] - x[0];
  const double top = -b / (2.0 * c);
  return {x[highest] + top * width, a + 0.5 * b * top};
}

}  // namespace pencilbox
