// The four NIST reference configurations: energy, virial and tail correction to 17 digits (NIST
// Standard Reference Simulation Website, Lennard-Jones fluid; computed by an independent sum that
// agrees with every digit printed there).
#include <cmath>

#include "io/input/start_file.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

struct NistCase {
  int configuration;
  double cutoff;
  Truncation truncation;
  double energy, virial, tail;
};

constexpr NistCase nist_cases[] = {
    {1, 3.0, Truncation::cut, -4351.5401945438662, -568.66546531817562, -198.4888837441566},
    {1, 4.0, Truncation::cut, -4467.4957249479721, -1263.8833718721382, -83.768986403337195},
    {1, 3.0, Truncation::force_shift, -3870.9248857840162, 317.53834601244461, 0},
    {2, 3.0, Truncation::cut, -690.00404517286734, -568.4573407378997, -24.229600066425366},
    {2, 4.0, Truncation::cut, -704.60331972696383, -655.98756070664217, -10.225706348063625},
    {2, 3.0, Truncation::force_shift, -620.11986099832086, -445.33104961979836, 0},
    {3, 3.0, Truncation::cut, -1146.6674208336699, -1164.9496507131998, -49.622220936039149},
    {3, 4.0, Truncation::cut, -1175.38056722541, -1337.102617300988, -20.942246600834299},
    {3, 3.0, Truncation::force_shift, -1020.9657074821457, -935.77720117552292, 0},
    {4, 3.0, Truncation::cut, -16.790321304625859, -46.249196746308918, -0.54516600149457073},
    {4, 4.0, Truncation::cut, -17.06045322027088, -47.868828191072375, -0.23007839283143153},
    {4, 3.0, Truncation::force_shift, -15.001402286915356, -43.096005539177909, 0},
};

std::string five_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4e", value);
  return text;
}

class Nist : public EveryBackend {};

TEST_P(Nist, EnergyVirialAndTail) {
  constexpr Bars bars{1e-12, 1e-6, 1e-5};
  for (const NistCase& c : nist_cases) {
    SCOPED_TRACE("configuration " + std::to_string(c.configuration) + ", cutoff " +
                 std::to_string(c.cutoff) + ", " + std::string(name_of(c.truncation)));
    const std::string file = std::string(PENCILBOX_SOURCE_DIR) + "/inputs/nist/config-" +
                             std::to_string(c.configuration) + ".xyz";
    SimulationSetup setup = make_lj_setup(read_start(file, {}), c.cutoff, c.truncation);
    if (refusal_of_the_crowd(setup)) continue;
    setup.deterministic = true;  // two evaluations are subtracted below
    const Observation plain = run(setup).sums;
    const double bar = bars.of(precision());
    EXPECT_NEAR(plain.potential_energy, c.energy, bar * std::abs(c.energy));
    EXPECT_NEAR(plain.virial, c.virial, bar * std::abs(c.virial));
    if (precision() != Precision::single) {
      EXPECT_EQ(five_digits(plain.potential_energy), five_digits(c.energy));
      EXPECT_EQ(five_digits(plain.virial), five_digits(c.virial));
    }
    if (c.truncation != Truncation::cut) continue;
    std::get<LennardJonesModel>(setup.potential).tail_correction = true;
    const Observation corrected = run(setup).sums;
    EXPECT_NEAR(corrected.potential_energy - plain.potential_energy, c.tail,
                1e-12 * std::abs(c.energy));
    EXPECT_GT(plain.pressure, corrected.pressure);
  }
}

PENCILBOX_FOR_EVERY_BACKEND(Nist);

}  // namespace
}  // namespace pencilbox::testing
