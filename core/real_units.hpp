// What reduced units are in a substance: a length, an energy and a mass give every other unit.
// Constants are those of the SI since 2019 and CODATA 2018.
#pragma once

#include <cmath>

namespace pencilbox {

struct RealUnits {
  double sigma = 1.0;    ///< [nm]
  double epsilon = 1.0;  ///< by Boltzmann's constant [K]
  double mass = 1.0;     ///< [dalton]

  /// tau = sigma sqrt(m / epsilon) [ps]
  double picoseconds() const { return metres() * std::sqrt(kilograms() / joules()) * 1e12; }
  /// epsilon / sigma^3 [MPa]
  double megapascals() const { return joules() / std::pow(metres(), 3) * 1e-6; }
  /// m / sigma^3 [kg/m^3]
  double kilograms_per_cubic_metre() const { return kilograms() / std::pow(metres(), 3); }
  /// epsilon, of a mole [kJ/mol]
  double kilojoules_per_mole() const { return joules() * avogadro * 1e-3; }
  /// sigma^2 / tau [cm^2/s]
  double square_centimetres_per_second() const {
    return metres() * metres() * 1e4 / (picoseconds() * 1e-12);
  }

 private:
  static constexpr double boltzmann = 1.380649e-23;    // J/K, exact
  static constexpr double avogadro = 6.02214076e23;    // 1/mol, exact
  static constexpr double dalton = 1.66053906660e-27;  // kg

  double metres() const { return sigma * 1e-9; }
  double joules() const { return epsilon * boltzmann; }
  double kilograms() const { return mass * dalton; }
};

}  // namespace pencilbox
