// NIST's molecular dynamics of vapours with a force shift (LAMMPS, NVT by Nose and Hoover, 10,000
// particles, cutoff 2.5, a million steps; Siderius, "LAMMPS MD: Equation of State, pressure vs.
// density, linear-force shifted potential 2.5 sigma", nist.gov), with its standard errors.
#include <fmt/format.h>

#include "app/validate/check.hpp"
#include "app/validate/state_point.hpp"

namespace pencilbox {
namespace {

struct Vapour {
  double temperature, density;
  double pressure, pressure_error;
  double energy, energy_error;
  bool is_chosen;  ///< where minutes must do
};

constexpr Vapour vapours[] = {
    {0.75, 0.001, 7.457e-4, 9.501e-8, -8.279e-3, 1.260e-4, false},
    {0.75, 0.005, 3.641e-3, 3.170e-7, -4.200e-2, 1.346e-4, false},
    {0.75, 0.010, 7.068e-3, 8.143e-7, -8.455e-2, 1.355e-4, true},
    {1.00, 0.001, 9.967e-4, 4.782e-8, -6.704e-3, 7.084e-5, false},
    {1.00, 0.005, 4.919e-3, 4.406e-7, -3.362e-2, 9.019e-5, false},
    {1.00, 0.010, 9.677e-3, 5.384e-7, -6.727e-2, 1.125e-4, false},
    {1.50, 0.001, 1.498e-3, 1.017e-7, -5.333e-3, 3.559e-5, false},
    {1.50, 0.005, 7.454e-3, 4.140e-7, -2.706e-2, 6.825e-5, false},
};

ValidationRows rows_of(const Subject& subject, const Vapour& vapour) {
  const std::string name =
      fmt::format("force-shift, T {:.2f}, rho {}", vapour.temperature, vapour.density);
  subject.tell(name);
  return answered_by_long_runs(
      subject,
      {{name + ": U/N", vapour.energy, 0.0, source_nist, vapour.energy_error},
       {name + ": P", vapour.pressure, 0.0, source_nist, vapour.pressure_error}},
      [&](ValidationRows& rows) {
        StatePointRun run(subject, {.temperature = vapour.temperature,
                                    .density = vapour.density,
                                    .cells = 10,
                                    .cutoff = 2.5,
                                    .tail_correction = false,
                                    .truncation = Truncation::force_shift,
                                    .timestep = 0.005});
        judge_state_point(run, subject.full ? 150000 : 50000, rows[0], rows[1]);
      });
}

}  // namespace

ValidationRows check_vapours(const Subject& subject) {
  ValidationRows rows;
  for (const Vapour& vapour : vapours) {
    if (!subject.full && !vapour.is_chosen) continue;
    append(rows, rows_of(subject, vapour));
    subject.keep(rows);
  }
  return rows;
}

}  // namespace pencilbox
