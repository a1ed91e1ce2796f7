#include "core/interactions/lennard_jones_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pencilbox {

PairCoefficients mix_lorentz_berthelot(const PairCoefficients& a, const PairCoefficients& b) {
  PairCoefficients mixed{std::sqrt(a.epsilon * b.epsilon), 0.5 * (a.sigma + b.sigma),
                         a.cutoff ? a.cutoff : b.cutoff};
  if (a.cutoff && b.cutoff) mixed.cutoff = 0.5 * (*a.cutoff + *b.cutoff);
  return mixed;
}

double distance_of_minimum(double sigma) { return std::pow(2.0, 1.0 / 6.0) * sigma; }

double LennardJonesModel::largest_cutoff() const {
  double largest = 0.0;
  for (const PairCoefficients& of_pair : pairs) largest = std::max(largest, cutoff_of(of_pair));
  return largest;
}

TailCorrection tail_correction(const LennardJonesModel& model,
                               const std::vector<std::int64_t>& counts, double volume) {
  TailCorrection tail;
  for (int a = 0; a < model.types; ++a) {
    for (int b = 0; b < model.types; ++b) {
      const PairCoefficients& pair = model.pair(a, b);
      const double cutoff = model.cutoff_of(pair);
      const double sigma_cubed = pair.sigma * pair.sigma * pair.sigma;
      const double s3 = sigma_cubed / (cutoff * cutoff * cutoff);
      const double s9 = s3 * s3 * s3;
      const double number = static_cast<double>(counts[static_cast<std::size_t>(a)]) *
                            static_cast<double>(counts[static_cast<std::size_t>(b)]) / volume;
      const double strength = std::numbers::pi * number * pair.epsilon * sigma_cubed;
      // integral over r > r_c of 2 pi r^2 u(r), and of -2 pi r^3 u'(r), per ordered pair of types
      tail.energy += 8.0 * strength * (s9 / 9.0 - s3 / 3.0);
      tail.virial += 8.0 * strength * (4.0 * s9 / 3.0 - 2.0 * s3);
    }
  }
  return tail;
}

}  // namespace pencilbox
