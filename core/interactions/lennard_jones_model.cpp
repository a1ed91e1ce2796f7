#include "core/interactions/lennard_jones_model.hpp"

#include <cmath>
#include <numbers>

namespace pencilbox {

PairCoefficients mix_lorentz_berthelot(const PairCoefficients& a, const PairCoefficients& b) {
  return {std::sqrt(a.epsilon * b.epsilon), 0.5 * (a.sigma + b.sigma)};
}

TailCorrection tail_correction(const LennardJonesModel& model,
                               const std::vector<std::int64_t>& counts, double volume) {
  TailCorrection tail;
  for (int a = 0; a < model.types; ++a) {
    for (int b = 0; b < model.types; ++b) {
      const auto [epsilon, sigma] = model.pair(a, b);
      const double sigma_cubed = sigma * sigma * sigma;
      const double s3 = sigma_cubed / (model.cutoff * model.cutoff * model.cutoff);
      const double s9 = s3 * s3 * s3;
      const double number = static_cast<double>(counts[static_cast<std::size_t>(a)]) *
                            static_cast<double>(counts[static_cast<std::size_t>(b)]) / volume;
      const double strength = std::numbers::pi * number * epsilon * sigma_cubed;
      // integral over r > r_c of 2 pi r^2 u(r), and of -2 pi r^3 u'(r), per ordered pair of types
      tail.energy += 8.0 * strength * (s9 / 9.0 - s3 / 3.0);
      tail.virial += 8.0 * strength * (4.0 * s9 / 3.0 - 2.0 * s3);
    }
  }
  return tail;
}

}  // namespace pencilbox
