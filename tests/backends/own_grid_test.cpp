// Back ends with a grid of their own, whose cells need not be the engine's: what tests/backends
// asks of every back end, asked again with cells of twice the cutoff.
#include <algorithm>
#include <cmath>

#include "core/device/host/emulator.hpp"
#include "io/input/start_file.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

bool has_an_own_grid(const BackendCase& one) {
  const std::vector<OptionInfo>& options = one.backend.info.options;
  return std::any_of(options.begin(), options.end(), [](const OptionInfo& option) {
    return option.name == "cell" && option.choices == std::vector<std::string>{"r", "2r"};
  });
}

class OwnGrid : public EveryBackend {
 protected:
  Evaluation run_with(SimulationSetup setup, const std::string& cell) const {
    setup.options = default_options(backend().info);
    setup.options["cell"] = cell;
    return run(std::move(setup));
  }

  void compare(const SimulationSetup& setup, const std::string& what) const {
    SCOPED_TRACE(what);
    const Evaluation truth = evaluate_reference(setup);
    const Evaluation mine = run_with(setup, "2r");
    EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
              Bars({1e-12, 5e-5, 1e-4}).of(precision()) *
                  std::max(1.0, largest_component(truth.frame.force)));
    if (precision() == Precision::double_) {
      EXPECT_EQ(mine.stats.pairs_in_range, truth.stats.pairs_in_range);
    } else {
      EXPECT_NEAR(mine.stats.pairs_in_range, truth.stats.pairs_in_range, 1.0);  // at the cutoff
    }
  }
};

TEST_P(OwnGrid, EveryNumberOfCells) {
  // Of 1, 2, 3, 4, 5, 7 cells 1, 1, 1, 2, 2, 3 are left: in some boxes no border is the other's.
  for (const double side : {2.6, 5.1, 9.9, 10.0, 13.0, 18.0}) {
    compare(make_lj_setup(random_liquid(150, periodic_box(side, 9.0, 7.6), 0.8, 5), 2.5,
                          Truncation::shift),
            "along x " + std::to_string(side));
    compare(make_lj_setup(random_liquid(150, periodic_box(9.0, 7.6, side), 0.8, 5, 2), 2.5,
                          Truncation::shift),
            "along z " + std::to_string(side));
  }
}

TEST_P(OwnGrid, OpenBoundaries) {
  for (int mask = 0; mask < 7; ++mask) {
    Box box{{-4.0, 2.0, 1000.0}, {19.0, 14.0, 9.0}, {}};
    for (std::size_t d = 0; d < 3; ++d) box.periodic[d] = ((mask >> d) & 1) != 0;
    compare(make_lj_setup(random_liquid(300, box, 0.85, 31U + static_cast<unsigned>(mask)), 2.5,
                          Truncation::force_shift),
            "periodic mask " + std::to_string(mask));
  }
}

TEST_P(OwnGrid, ABoxOfManyCells) {
  StartState state = random_liquid(100, periodic_box(5, 5, 5), 0.9, 61);
  state.box = periodic_box(4000, 4000, 4000);
  for (std::size_t i = 0; i < 50; ++i) state.position[i][0] += 3990.0;
  compare(make_lj_setup(std::move(state), 2.5, Truncation::shift), "side 4000");
}

TEST_P(OwnGrid, AnOpenClusterThatFliesApart) {
  // Particles pass out of the grid, into its border cells, before a new one is laid.
  SimulationSetup setup =
      make_lj_setup(random_liquid(100, {{0, 0, 0}, {12, 12, 12}, {false, false, false}}, 0.9, 3),
                    2.5, Truncation::force_shift);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      setup.start.velocity[i][d] = 8.0 * (setup.start.position[i][d] - 6.0);
    }
  }
  setup.timestep = 0.001;
  setup.precision = precision();
  setup.backend = backend().info.name;
  for (const std::string cell : {"r", "2r"}) {
    SCOPED_TRACE(cell);
    setup.options = default_options(backend().info);
    setup.options["cell"] = cell;
    const auto simulation = backend().device->make(setup);
    const double before = simulation->observe().total_energy();
    simulation->advance(400);  // nobody looks: the grid is still the start's
    EXPECT_NEAR(simulation->observe().total_energy(), before, 2e-3 * std::abs(before));
  }
}

TEST_P(OwnGrid, CellsOfTwiceTheCutoffHaveEightTimesTheCandidates) {
  const SimulationSetup setup =
      make_lj_setup(random_liquid(2000, periodic_box(20, 20, 20), 0.5, 7), 2.5, Truncation::cut);
  const double ratio = run_with(setup, "2r").stats.candidates_per_particle /
                       run_with(setup, "r").stats.candidates_per_particle;
  EXPECT_NEAR(ratio, 8.0, 0.2);
}

TEST_P(OwnGrid, EnergiesToTheDigitsOfNist) {
  // Configuration 1 with cutoff 3: cells of 3.33, own cells of 10, one in each direction.
  const std::string file = std::string(PENCILBOX_SOURCE_DIR) + "/inputs/nist/config-1.xyz";
  const SimulationSetup setup = make_lj_setup(read_start(file, {}), 3.0, Truncation::cut);
  const Observation sums = run_with(setup, "2r").sums;
  const double bar = Bars({1e-12, 1e-6, 1e-5}).of(precision());
  EXPECT_NEAR(sums.potential_energy, -4351.5401945438662, bar * 4351.5);
  EXPECT_NEAR(sums.virial, -568.66546531817562, bar * 568.67);
}

/// Schedules are the emulator's.
class OwnGridOnHost : public OwnGrid {};

TEST_P(OwnGridOnHost, DeterministicUnderEverySchedule) {
  const host::EmulatorSettings saved = host::emulator_settings();
  SimulationSetup setup =
      make_lj_setup(random_liquid(300, periodic_box(13, 11, 6), 0.8, 3), 2.5, Truncation::cut);
  setup.deterministic = true;
  const Evaluation expected = run_with(setup, "2r");
  for (const auto schedule : {host::Schedule::reverse, host::Schedule::random}) {
    host::emulator_settings().schedule = schedule;
    const Evaluation mine = run_with(setup, "2r");
    EXPECT_EQ(mine.frame.force, expected.frame.force);
    EXPECT_EQ(mine.sums.virial, expected.sums.virial);
  }
  host::emulator_settings() = saved;
}

PENCILBOX_WHERE(OwnGrid, has_an_own_grid);
PENCILBOX_WHERE(OwnGridOnHost,
                [](const BackendCase& one) { return is_on_host(one) && has_an_own_grid(one); });

}  // namespace
}  // namespace pencilbox::testing
