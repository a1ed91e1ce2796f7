// NIST's Monte Carlo of the full Lennard-Jones fluid (Standard Reference Simulation Website, NVT,
// 500 particles, cutoff 3 with tail correction), by molecular dynamics with a heat bath: 500
// particles of a liquid, 4,000 of a vapour.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/validate/check.hpp"
#include "app/validate/state_point.hpp"

namespace pencilbox {
namespace {

/// `rerun`: the energy by another Monte Carlo program, FEASST, and its standard deviation of blocks
/// (the public results of github.com/hhatch/dormms).
struct NistPoint {
  double temperature, density;
  double energy, pressure;
  double rerun, rerun_error;

  bool is_vapour() const { return density < 0.1; }

  /// NIST's own errors are not at hand. What is: how far apart two programs are, or what one of
  /// them says of itself, whichever is more.
  double energy_error() const { return std::max(std::abs(energy - rerun), rerun_error); }

  /// Of a vapour relatively as that of the energy, of what an ideal gas does not have. Of a liquid
  /// how far the ten pressures of NIST lie from the equation of state of Thol et al., J. Phys.
  /// Chem. Ref. Data 45, 023101 (2016), root mean square, which is also an error of that.
  double pressure_error() const {
    constexpr double of_a_liquid = 0.0023;
    if (!is_vapour()) return of_a_liquid;
    return std::abs((pressure - density * temperature) * energy_error() / energy);
  }
};

constexpr std::array points{
    NistPoint{0.85, 0.001, -0.010317, 0.00084402, -0.0103347, 1.1e-05},
    NistPoint{0.85, 0.003, -0.031019, 0.0024965, -0.0310423, 1.8e-05},
    NistPoint{0.85, 0.005, -0.051901, 0.0041003, -0.051854, 2e-05},
    NistPoint{0.85, 0.007, -0.072834, 0.0056565, -0.0728841, 2.3e-05},
    NistPoint{0.85, 0.009, -0.093973, 0.0071641, -0.0939657, 4.7e-05},
    NistPoint{0.85, 0.776, -5.5121, 0.0067714, -5.51192, 0.00037},
    NistPoint{0.85, 0.780, -5.5386, 0.047924, -5.53862, 0.00035},
    NistPoint{0.85, 0.820, -5.7947, 0.55355, -5.79508, 0.00036},
    NistPoint{0.85, 0.860, -6.0305, 1.266, -6.03003, 0.00055},
    NistPoint{0.85, 0.900, -6.2391, 2.2314, -6.23839, 0.00057},
    NistPoint{0.90, 0.001, -0.0099165, 0.00089429, -0.00991238, 9.2e-06},
    NistPoint{0.90, 0.003, -0.029787, 0.0026485, -0.0298171, 1.4e-05},
    NistPoint{0.90, 0.005, -0.049771, 0.0043569, -0.049739, 2e-05},
    NistPoint{0.90, 0.007, -0.069805, 0.0060193, -0.0698236, 2.9e-05},
    NistPoint{0.90, 0.009, -0.089936, 0.0076363, -0.0899711, 3.9e-05},
    NistPoint{0.90, 0.776, -5.4689, 0.24056, -5.46844, 0.0003},
    NistPoint{0.90, 0.780, -5.4956, 0.27851, -5.49504, 0.0003},
    NistPoint{0.90, 0.820, -5.7456, 0.82386, -5.74543, 0.0004},
    NistPoint{0.90, 0.860, -5.9753, 1.5781, -5.97521, 0.0005},
    NistPoint{0.90, 0.900, -6.1773, 2.5848, -6.17591, 0.00053},
};

/// One vapour and one liquid, where minutes must do.
bool is_chosen(const NistPoint& point) {
  return (point.temperature == 0.90 && point.density == 0.009) ||
         (point.temperature == 0.85 && point.density == 0.820);
}

ValidationRows rows_of(const Subject& subject, const NistPoint& point) {
  const std::string name = fmt::format("T {}, rho {}", point.temperature, point.density);
  subject.tell(name);
  return answered_by_long_runs(
      subject,
      {{name + ": U/N", point.energy, 0.0, source_nist, point.energy_error()},
       {name + ": P", point.pressure, 0.0, source_nist, point.pressure_error()}},
      [&](ValidationRows& rows) {
        // Few particles of a vapour are near another: more of them, in place of more steps.
        const std::int64_t steps = point.is_vapour() ? 50000 : 200000;
        StatePointRun run(subject, {.temperature = point.temperature,
                                    .density = point.density,
                                    .cells = point.is_vapour() ? 10 : 5,
                                    .cutoff = 3.0,
                                    .tail_correction = true,
                                    .by_monte_carlo = true});
        judge_state_point(run, subject.full ? 3 * steps : steps, rows[0], rows[1]);
      });
}

}  // namespace

ValidationRows check_state_points(const Subject& subject) {
  ValidationRows rows;
  for (const NistPoint& point : points) {
    if (!subject.full && !is_chosen(point)) continue;
    append(rows, rows_of(subject, point));
    subject.keep(rows);
  }
  return rows;
}

}  // namespace pencilbox
