// X-pencil-reg: the size of sub-boxes, the number of rounds and the number of pieces must not
// change a bit, or its tuner would change results while it tries them.
#include "core/device/host/emulator.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class XPencilReg : public EveryBackend {
 protected:
  void TearDown() override { host::emulator_settings() = saved_; }

  Evaluation run_with(SimulationSetup setup, const std::string& sub_box,
                      const std::string& threads) const {
    setup.deterministic = true;
    setup.options = default_options(backend().info);
    setup.options["sub_box"] = sub_box;
    setup.options["threads"] = threads;
    return run(setup);
  }

  void expect_same(const Evaluation& mine, const Evaluation& expected,
                   const std::string& what) const {
    EXPECT_EQ(mine.frame.force, expected.frame.force) << what;
    EXPECT_EQ(mine.sums.potential_energy, expected.sums.potential_energy) << what;
    EXPECT_EQ(mine.sums.virial, expected.sums.virial) << what;
    EXPECT_EQ(mine.stats.pairs_in_range, expected.stats.pairs_in_range) << what;
  }

 private:
  host::EmulatorSettings saved_ = host::emulator_settings();
};

TEST_P(XPencilReg, EverySubBoxGivesTheSameBits) {
  // One cell in y, two in z, five in x; then open faces.
  Box open{{0.0, 0.0, 0.0}, {8.0, 8.0, 8.0}, {false, true, false}};
  for (const Box& box : {periodic_box(13.0, 2.6, 5.3), open}) {
    const SimulationSetup setup =
        make_lj_setup(random_liquid(120, box, 0.8, 3, 2), 2.5, Truncation::force_shift);
    const Evaluation expected = run_with(setup, "1x1x1", "targets");
    for (const OptionInfo& option : backend().info.options) {
      if (option.name != "sub_box") continue;
      for (const std::string& sub_box : option.choices) {
        for (const char* threads : {"paper", "targets"}) {
          expect_same(run_with(setup, sub_box, threads), expected, sub_box + ", " + threads);
        }
      }
    }
  }
}

TEST_P(XPencilReg, SubBoxesOfSeveralRowsWithMoreTargetsThanThreadsGiveTheSameBits) {
  // A sub-box of 3 x 3 x 3 cells is the whole grid: its rows wrap onto themselves, and 1,300
  // targets take two rounds.
  const SimulationSetup setup = make_lj_setup(
      random_liquid(1300, periodic_box(7.6, 7.6, 7.6), 0.4, 5), 2.5, Truncation::shift);
  const Evaluation expected = run_with(setup, "1x1x1", "targets");
  expect_same(run_with(setup, "4x4x4", "targets"), expected, "two rounds");
}

/// Where the limit of shared memory can be lowered.
class XPencilRegEmulated : public XPencilReg {};

TEST_P(XPencilRegEmulated, PencilsLargerThanSharedMemoryGiveTheSameBits) {
  const SimulationSetup setup = make_lj_setup(
      random_liquid(200, periodic_box(7.6, 5.1, 5.2), 0.8, 7, 2), 2.5, Truncation::shift);
  const Evaluation expected = run_with(setup, "2x2x2", "paper");
  host::emulator_settings().shared_limit = 1000;
  expect_same(run_with(setup, "2x2x2", "paper"), expected, "several pieces a pencil");
}

PENCILBOX_FOR_BACKEND(XPencilReg, "x-pencil-reg");
PENCILBOX_WHERE(XPencilRegEmulated, [](const BackendCase& one) {
  return is_emulated(one) && one.backend.info.name == "x-pencil-reg";
});

}  // namespace
}  // namespace pencilbox::testing
