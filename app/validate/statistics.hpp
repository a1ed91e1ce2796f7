// Statistics of what a simulation gives: means of correlated numbers and their errors, trends, and
// whether numbers follow a distribution.
#pragma once

#include <functional>
#include <vector>

namespace pencilbox {

struct Estimate {
  double mean = 0.0;
  double standard_error = 0.0;  ///< of the mean; NaN where too little is known
};

/// Blocks that a series is cut into.
inline constexpr std::size_t blocks_of_a_series = 32;

/// Mean of a stationary series and its standard error, from the scatter of the means of blocks of
/// equal length: right for correlated numbers, if a block is much longer than they remember. What
/// does not fill a block is left out, at the beginning. Allen and Tildesley, Computer Simulation of
/// Liquids, section 8.4.1.
Estimate block_average(const std::vector<double>& series);

/// The mean in another ensemble than the one that was sampled. `log_weights`: of each sample the
/// logarithm of how much more likely that ensemble makes it, all up to the same constant. The error
/// includes that of the weights, in first order. Zwanzig, J. Chem. Phys. 22, 1420 (1954). Both have
/// the same size.
Estimate reweighted_average(const std::vector<double>& series,
                            const std::vector<double>& log_weights);

/// A straight line through points, and how far the ordinates scatter about their mean.
struct Trend {
  double slope = 0.0;
  double deviation = 0.0;  ///< standard deviation of the ordinates, trend included
};

/// Least squares. `x` and `y` have the same size, at least 2.
Trend trend_of(const std::vector<double>& x, const std::vector<double>& y);

/// The probability that independent numbers of the distribution `cumulative` lie as far from it as
/// these do, by Kolmogorov and Smirnov. Press et al., Numerical Recipes, section 14.3.
double kolmogorov_smirnov(std::vector<double> numbers,
                          const std::function<double(double)>& cumulative);

struct Peak {
  double position = 0.0;
  double height = 0.0;
};

/// The highest point of a curve at equal distances, by a parabola through the points around the
/// highest one: a single bin is as noisy as what it counted. NaN where there is none. `x` and `y`
/// have the same size.
Peak highest_peak(const std::vector<double>& x, const std::vector<double>& y);

/// The cumulative normal distribution of mean 0 and variance 1.
double cumulative_normal(double x);

}  // namespace pencilbox
