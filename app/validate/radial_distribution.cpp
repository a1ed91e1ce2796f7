#include "app/validate/radial_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace pencilbox {
namespace {

/// Of two coordinates inside the box, how far they are apart over the nearer way.
double nearest_way(double a, double b, double edge) {
  const double apart = std::abs(a - b);
  return std::min(apart, edge - apart);
}

}  // namespace

RadialDistribution::RadialDistribution(double reach, double width)
    : width_(width), counts_(static_cast<std::size_t>(std::llround(reach / width)), 0) {}

void RadialDistribution::add(const Frame& frame) {
  const double reach = width_ * static_cast<double>(counts_.size());
  const Double3& edges = frame.box.edges;
  const std::size_t particles = frame.position.size();
  for (std::size_t i = 0; i < particles; ++i) {
    const Double3& here = frame.position[i];
    for (std::size_t j = i + 1; j < particles; ++j) {
      const Double3& there = frame.position[j];
      const double x = nearest_way(here[0], there[0], edges[0]);
      if (x >= reach) continue;
      const double y = nearest_way(here[1], there[1], edges[1]);
      const double z = nearest_way(here[2], there[2], edges[2]);
      const double squared = x * x + y * y + z * z;
      if (!(squared < reach * reach)) continue;
      const auto bin = static_cast<std::size_t>(std::sqrt(squared) / width_);
      ++counts_[std::min(bin, counts_.size() - 1)];
    }
  }
  const auto n = static_cast<double>(particles);
  pairs_by_volume_ += 0.5 * n * (n - 1.0) / frame.box.volume();
}

std::vector<double> RadialDistribution::values() const {
  std::vector<double> values;
  for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
    const double inner = width_ * static_cast<double>(bin);
    const double outer = inner + width_;
    const double shell =
        4.0 / 3.0 * std::numbers::pi * (outer * outer * outer - inner * inner * inner);
    values.push_back(static_cast<double>(counts_[bin]) / (pairs_by_volume_ * shell));
  }
  return values;
}

Peak highest_peak(const RadialDistribution& distribution) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  constexpr std::size_t beside = 3;  // bins on each side, over which a parabola is a good likeness
  const std::vector<double> values = distribution.values();
  const auto highest = static_cast<std::size_t>(
      std::distance(values.begin(), std::max_element(values.begin(), values.end())));
  if (highest < beside || highest + beside >= values.size()) return {unknown, unknown};
  // Least squares over x = -3 ... 3, where the sums of odd powers are zero: y = a + b x + c x^2.
  double y0 = 0.0, y1 = 0.0, y2 = 0.0;
  constexpr double n = 2.0 * beside + 1.0, x2 = 28.0, x4 = 196.0;
  for (std::size_t k = 0; k <= 2 * beside; ++k) {
    const double x = static_cast<double>(k) - static_cast<double>(beside);
    const double y = values[highest - beside + k];
    y0 += y;
    y1 += x * y;
    y2 += x * x * y;
  }
  const double c = (n * y2 - x2 * y0) / (n * x4 - x2 * x2);
  const double b = y1 / x2;
  const double a = (y0 - c * x2) / n;
  if (!(c < 0.0)) return {unknown, unknown};
  const double width = distribution.distance(1) - distribution.distance(0);
  const double top = -b / (2.0 * c);
  return {distribution.distance(highest) + top * width, a + 0.5 * b * top};
}

}  // namespace pencilbox
