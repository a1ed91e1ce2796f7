// Stochastic cell rescaling: constant pressure by a volume of first order with noise. Bernetti and
// Bussi, J. Chem. Phys. 153, 114107 (2020), isotropic, section II, in the square root of the
// volume, whose noise is the same everywhere:
//
//   lambda = sqrt(V)
//   d lambda = a dt + sqrt(beta T / (2 tau)) dW
//   a = -(beta lambda / (2 tau)) (P0 - P - T / (2 V)),   P = (2 K + W) / (3 V)
//
// with the compressibility beta, the relaxation time tau, the temperature T of the heat bath and
// the pressure P0. Positions are multiplied by mu = (V'/V)^(1/3), velocities by 1/mu, so that
// volumes of phase space stay. A step is Euler's over h, the time between two of them:
//
//   lambda' = lambda + a h + s R,   s^2 = beta T h / (2 tau),  R of mean 0 and variance 1
//
// What it does not conserve in detail is counted (there, as in Bussi, Donadio and Parrinello, J.
// Chem. Phys. 126, 014101 (2007), section II C): the total energy and the sum of
//
//   -T ln [M(lambda' -> lambda) p(lambda') / (M(lambda -> lambda') p(lambda))] - (H' - H)
//     = P0 (V' - V) - (T/2) ln(V'/V) + (tau/beta) (2 (lambda' - lambda)(a + a') + (a'^2 - a^2) h)
//
// stay, where M is the probability of a step, p that of a state, and a' is a after the step.
//
// Drawn and reckoned on the host, in double: the noise depends on seed and step, and on nothing
// else.
#pragma once

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

#include "core/barostat.hpp"
#include "core/box.hpp"
#include "core/error.hpp"
#include "core/rng.hpp"
#include "integrators/ramp.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

class CellRescaling {
 public:
  /// What the pressure is made of.
  struct Sums {
    double kinetic_energy = 0.0;
    double virial = 0.0;  ///< of the pairs, and of the tail correction
  };

  /// `thermostat`: of the integrator beside it.
  CellRescaling(const Barostat& barostat, const IntegratorSettings& thermostat)
      : pressure_(ramp_of(with_parameters(thermostat, barostat.parameters), "pressure")),
        temperature_(ramp_of(thermostat, "temperature")),
        mobility_(barostat.parameters.at("compressibility") /
                  barostat.parameters.at("relaxation_time")),
        interval_(static_cast<double>(barostat.every()) * thermostat.timestep),
        seed_(static_cast<std::uint64_t>(barostat.parameters.at("seed"))) {}

  /// The box after this step of it. Throws PhysicsError where it would change by too much.
  Box next(const Box& box, const Sums& sums, std::int64_t step) {
    const double volume = box.volume();
    step_ = {step, volume, drift(volume, sums, step)};
    const double lambda = std::sqrt(volume) + step_.drift * interval_ + deviation(step) * noise();
    const double share = lambda > 0.0 ? lambda * lambda / volume : 0.0;
    if (!(share > 1.0 - largest_change && share < 1.0 + largest_change)) {
      refuse(volume, sums, share);
    }
    Box stretched = box;
    for (double& edge : stretched.edges) edge *= std::cbrt(share);
    return stretched;
  }

  /// After the particles have followed to `box`: what is conserved.
  void book(const Box& box, const Sums& sums) {
    const double volume = box.volume();
    const double after = drift(volume, sums, step_.number);
    const double by = std::sqrt(volume) - std::sqrt(step_.volume);
    energy_ += pressure_(step_.number) * (volume - step_.volume) -
               0.5 * temperature_(step_.number) * std::log(volume / step_.volume) +
               (2.0 * by * (step_.drift + after) +
                (after * after - step_.drift * step_.drift) * interval_) /
                   mobility_;
  }

  /// To be added to the total energy [epsilon].
  double energy() const { return energy_; }
  void set_energy(double energy) { energy_ = energy; }

 private:
  /// Of the volume at once: beyond that particles are pushed into each other.
  static constexpr double largest_change = 0.1;

  static IntegratorSettings with_parameters(IntegratorSettings settings,
                                            const IntegratorParameters& parameters) {
    settings.parameters = parameters;
    return settings;
  }

  static double pressure_of(double volume, const Sums& sums) {
    return (2.0 * sums.kinetic_energy + sums.virial) / (3.0 * volume);
  }

  /// a
  double drift(double volume, const Sums& sums, std::int64_t step) const {
    return -0.5 * mobility_ * std::sqrt(volume) *
           (pressure_(step) - pressure_of(volume, sums) - 0.5 * temperature_(step) / volume);
  }

  /// s
  double deviation(std::int64_t step) const {
    return std::sqrt(0.5 * mobility_ * temperature_(step) * interval_);
  }

  double noise() const {
    return gaussian_pair(random_bits(seed_, RandomStream::cell_rescaling, 0,
                                     static_cast<std::uint64_t>(step_.number)))
        .first;
  }

  [[noreturn]] void refuse(double volume, const Sums& sums, double share) const {
    std::ostringstream text;
    text.precision(4);
    text << "step " << step_.number << ": the barostat would change the volume " << volume
         << " by the factor " << share << " at once, allowed " << 1.0 - largest_change << " to "
         << 1.0 + largest_change << ": the pressure is " << pressure_of(volume, sums)
         << ", wanted is " << pressure_(step_.number)
         << " (a longer relaxation_time, a smaller barostat.every, or some steps at constant "
            "volume before)";
    throw PhysicsError(text.str());
  }

  /// That is under way.
  struct Step {
    std::int64_t number = 0;
    double volume = 0.0, drift = 0.0;  ///< before it
  };

  Ramp pressure_, temperature_;
  double mobility_;  ///< beta / tau
  double interval_;  ///< h
  std::uint64_t seed_;
  Step step_;
  double energy_ = 0.0;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
