#include "app/validate/check.hpp"

namespace pencilbox {

const std::vector<Check>& all_checks() {
  static const std::vector<Check> checks{
      {"configurations", "energy and virial of the NIST configurations", &check_configurations},
      {"melt", "the LAMMPS benchmark melt before its first step", &check_melt},
      {"conservation", "energy, momentum and time reversal at constant energy",
       &check_conservation},
      {"triple-point", "a liquid near the triple point, and its radial distribution",
       &check_triple_point},
      {"state-points", "energy and pressure of NIST's Monte Carlo", &check_state_points},
      {"vapours", "energy and pressure of NIST's molecular dynamics, force-shift", &check_vapours},
      {"mixture", "energy and pressure of a liquid of two types", &check_mixture},
      {"langevin", "temperature and velocities under a heat bath", &check_langevin},
      {"barostat", "density at pressures of NIST's Monte Carlo", &check_barostat},
      {"determinism", "the same bits twice", &check_determinism}};
  return checks;
}

}  // namespace pencilbox
