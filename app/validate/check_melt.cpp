// The benchmark melt of LAMMPS, bench/in.lj, before its first step: 32,000 atoms on a lattice at
// an exact temperature. Later steps depend on its velocities, which its own random numbers draw.
#include <cmath>

#include "app/validate/check.hpp"

namespace pencilbox {
namespace {

constexpr PrecisionBars bars{1e-12, 1e-6, 1e-6};

/// The lattice sum in 40 digits. LAMMPS prints -6.77336805323422, 2.8e-12 from it.
constexpr double energy = -6.773368053252955;
constexpr double temperature = 1.44;
constexpr double pressure = -5.01970725908556;
/// Of the pressure, which LAMMPS has from the same sums: they differ in the twelfth digit.
constexpr double pressure_bars = 5.0;

}  // namespace

ValidationRows check_melt(const Subject& subject) {
  const double bar = bars.of(subject.precision);
  ValidationRows asked{
      {"melt of 32,000, step 0: T", temperature, bar, source_lammps},
      {"melt of 32,000, step 0: U/N", energy, bar * std::abs(energy), source_lattice},
      {"melt of 32,000, step 0: P", pressure, pressure_bars * bar * std::abs(pressure),
       source_lammps}};
  return answered(std::move(asked), [&](ValidationRows& rows) {
    const auto simulation =
        subject.make(subject.setup(warm_crystal(20, 0.8442, temperature), 2.5, Truncation::cut));
    const Observation sums = simulation->observe();
    rows[0].value = sums.temperature;
    rows[1].value = sums.potential_energy / static_cast<double>(sums.particles);
    rows[2].value = sums.pressure;
  });
}

}  // namespace pencilbox
