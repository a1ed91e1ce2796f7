// Argon as A. Rahman has it, Phys. Rev. 136, A405 (1964): sigma 3.4 A, epsilon/k 120 K, mass 39.95
// u.
#include "core/real_units.hpp"

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

constexpr RealUnits argon{0.34, 120.0, 39.948};

TEST(RealUnits, ArgonIsThatOfTextbooks) {
  // Frenkel and Smit, Understanding Molecular Simulation, section 3.2: the same epsilon, sigma and
  // mass to three digits; a reduced time of 1 is 2.15 ps, a pressure of 1 is 41.9 MPa there (with
  // sigma = 0.3405).
  EXPECT_NEAR(argon.picoseconds(), 2.15, 0.005);
  EXPECT_NEAR((RealUnits{0.3405, 119.8, 39.948}.megapascals()), 41.9, 0.05);
  EXPECT_NEAR(argon.kilojoules_per_mole(), 0.998, 0.0005);
}

TEST(RealUnits, TheBoxOfRahmanHasTheDensityThatHeGives) {
  // 864 atoms in a box of 10.229 sigma: 1.374 g/cm^3, to the digits that he prints of the box (34.8
  // A).
  const double density = 864.0 / (10.229 * 10.229 * 10.229) * argon.kilograms_per_cubic_metre();
  EXPECT_NEAR(density, 1374.0, 15.0);
}

TEST(RealUnits, HoldTogether) {
  // sigma^2/tau^2 is epsilon/m, and epsilon/sigma^3 is (m/sigma^3) sigma^2/tau^2.
  const double speed = argon.sigma * 1e-9 / (argon.picoseconds() * 1e-12);  // [m/s]
  EXPECT_NEAR(argon.kilograms_per_cubic_metre() * speed * speed * 1e-6 / argon.megapascals(), 1.0,
              1e-12);
  EXPECT_NEAR(argon.square_centimetres_per_second() / (speed * argon.sigma * 1e-9 * 1e4), 1.0,
              1e-12);
}

}  // namespace
}  // namespace pencilbox::testing
