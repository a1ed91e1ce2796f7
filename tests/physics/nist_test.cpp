// The four NIST reference configurations: energy, virial and tail correction to 17 digits (NIST
// Standard Reference Simulation Website, Lennard-Jones fluid; computed by an independent sum that
// agrees with every digit printed there).
#include <cmath>

#include "app/validate/nist_configurations.hpp"
#include "io/input/start_file.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

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
    SimulationSetup setup =
        make_lj_setup(nist_configuration(c.configuration), c.cutoff, c.truncation);
    if (refusal_of_the_crowd(setup)) continue;
    setup.deterministic = has_a_fixed_order(GetParam());  // two evaluations are subtracted below
    const Observation plain = run(setup).sums;
    const double bar = bars.of(precision());
    EXPECT_NEAR(plain.potential_energy, c.energy, bar * std::abs(c.energy));
    EXPECT_NEAR(plain.virial, c.virial, bar * std::abs(c.virial));
    if (precision() != Precision::single) {
      EXPECT_EQ(five_digits(plain.potential_energy), five_digits(c.energy));
      EXPECT_EQ(five_digits(plain.virial), five_digits(c.virial));
    }
    if (c.truncation != Truncation::cut || !setup.deterministic) continue;
    std::get<LennardJonesModel>(setup.potential).tail_correction = true;
    const Observation corrected = run(setup).sums;
    EXPECT_NEAR(corrected.potential_energy - plain.potential_energy, c.tail,
                1e-12 * std::abs(c.energy));
    EXPECT_GT(plain.pressure, corrected.pressure);
  }
}

/// The program carries what the decks of inputs/ read.
TEST(NistConfigurations, AreThoseOfTheDecks) {
  for (int number = 1; number <= 4; ++number) {
    const std::string file = std::string(PENCILBOX_SOURCE_DIR) + "/inputs/nist/config-" +
                             std::to_string(number) + ".xyz";
    const StartState carried = nist_configuration(number), deck = read_start(file, {});
    EXPECT_EQ(carried.position, deck.position);
    EXPECT_EQ(carried.box.edges, deck.box.edges);
  }
}

PENCILBOX_FOR_EVERY_BACKEND(Nist);

}  // namespace
}  // namespace pencilbox::testing
