// An equilibrated liquid of 4,000 atoms: forces, energies and pressure by LAMMPS in double.
#include <fstream>
#include <sstream>

#include "io/input/start_file.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

struct GivenForces {
  std::vector<Double3> force;
  std::vector<double> energy;
};

GivenForces read_given(Truncation truncation) {
  const std::string path =
      reference_file("liquid4000_" + std::string(name_of(truncation)) + ".txt");
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::string line;
  std::getline(file, line);
  GivenForces given;
  std::int64_t id = 0;
  Double3 f{};
  double energy = 0.0;
  double virial = 0.0;
  while (file >> id >> f[0] >> f[1] >> f[2] >> energy >> virial) {
    EXPECT_EQ(id, static_cast<std::int64_t>(given.force.size()) + 1);
    given.force.push_back(f);
    given.energy.push_back(energy);
  }
  return given;
}

struct GivenSums {
  Truncation truncation;
  double energy, pressure;
};

constexpr GivenSums given_sums[] = {
    {Truncation::cut, -22537.6195727045, 0.931181325605663},
    {Truncation::shift, -20749.7614940415, 0.931181325605663},
    {Truncation::force_shift, -18202.7960693515, 1.50355342345133},
};

class LammpsLiquid : public EveryBackend {};

TEST_P(LammpsLiquid, ForcesEnergiesAndPressure) {
  constexpr Bars force_bars{2e-12, 5e-5, 1e-4};
  constexpr Bars energy_bars{1e-13, 1e-6, 1e-5};
  constexpr Bars pressure_bars{1e-9, 1e-4, 1e-3};
  const StartState liquid = read_start(reference_file("liquid4000.data"), {});
  for (const GivenSums& sums : given_sums) {
    SCOPED_TRACE(name_of(sums.truncation));
    const GivenForces given = read_given(sums.truncation);
    ASSERT_EQ(given.force.size(), 4000U);
    const Evaluation mine = run(make_lj_setup(liquid, 2.5, sums.truncation));
    EXPECT_LE(largest_difference(mine.frame.force, given.force),
              force_bars.of(precision()) * largest_component(given.force));
    EXPECT_NEAR(mine.sums.potential_energy, sums.energy,
                energy_bars.of(precision()) * std::abs(sums.energy));
    EXPECT_NEAR(mine.sums.pressure, sums.pressure, pressure_bars.of(precision()));
    double sum = 0.0;
    for (const double energy : mine.frame.potential_energy) sum += energy;
    EXPECT_NEAR(sum, mine.sums.potential_energy, 1e-12 * std::abs(sums.energy));
    if (precision() == Precision::double_) {
      EXPECT_EQ(mine.stats.pairs_in_range, 109571.0);
    }
  }
}

PENCILBOX_FOR_EVERY_BACKEND(LammpsLiquid);

}  // namespace
}  // namespace pencilbox::testing
