// X-pencil: lengths, threads, what is staged at a time and how rows are walked must not change a
// bit, or its tuner would change results while it tries them. Several threads a target add up in
// another order: the same within rounding.
#include "core/device/host/emulator.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class XPencil : public EveryBackend {
 protected:
  void TearDown() override { host::emulator_settings() = saved_; }

  Evaluation run_with(SimulationSetup setup, const BackendOptions& chosen) const {
    setup.deterministic = true;
    setup.options = default_options(backend().info);
    for (const auto& [name, value] : chosen) setup.options.at(name) = value;
    return run(setup);
  }

  static void expect_same(const Evaluation& mine, const Evaluation& expected,
                          const std::string& what) {
    EXPECT_EQ(mine.frame.force, expected.frame.force) << what;
    EXPECT_EQ(mine.sums.potential_energy, expected.sums.potential_energy) << what;
    EXPECT_EQ(mine.sums.virial, expected.sums.virial) << what;
    EXPECT_EQ(mine.stats.pairs_in_range, expected.stats.pairs_in_range) << what;
  }

  void expect_every_shape_the_same(const SimulationSetup& setup) const {
    for (const std::string runs : {"cells", "merged"}) {
      const Evaluation expected =
          run_with(setup, {{"length", "1"}, {"threads", "targets"}, {"runs", runs}});
      for (const std::string length : {"1", "2", "4", "paper"}) {
        for (const std::string threads : {"paper", "targets", "average"}) {
          for (const std::string staged : {"pencil", "many"}) {
            expect_same(
                run_with(
                    setup,
                    {{"length", length}, {"threads", threads}, {"staged", staged}, {"runs", runs}}),
                expected, length + ", " + threads + ", " + staged + ", " + runs);
          }
        }
      }
    }
  }

 private:
  host::EmulatorSettings saved_ = host::emulator_settings();
};

TEST_P(XPencil, EveryShapeGivesTheSameBits) {
  // One cell in y, two in z, five in x; then open faces.
  Box open{{0.0, 0.0, 0.0}, {8.0, 8.0, 8.0}, {false, true, false}};
  for (const Box& box : {periodic_box(13.0, 2.6, 5.3), open}) {
    expect_every_shape_the_same(
        make_lj_setup(random_liquid(120, box, 0.8, 3, 2), 2.5, Truncation::force_shift));
  }
}

TEST_P(XPencil, AnUnevenPencilTakesSeveralRoundsAndGivesTheSameBits) {
  // Nearly all in one corner: `average` has a warp for the 128 and more of the fullest pencil.
  SimulationSetup setup = make_lj_setup(random_liquid(150, periodic_box(4.0, 2.6, 2.6), 0.3, 11),
                                        2.5, Truncation::shift);
  Box wide = periodic_box(26.0, 13.0, 13.0);
  setup.start.box = wide;
  expect_every_shape_the_same(setup);
}

/// Where the limit of shared memory can be lowered.
class XPencilEmulated : public XPencil {};

TEST_P(XPencilEmulated, PiecesSmallerThanAPencilGiveTheSameBits) {
  const SimulationSetup setup = make_lj_setup(
      random_liquid(90, periodic_box(7.6, 5.1, 5.2), 0.8, 7, 2), 2.5, Truncation::shift);
  const BackendOptions merged{{"length", "1"}, {"runs", "merged"}};
  const Evaluation expected = run_with(setup, merged);
  host::emulator_settings().shared_limit = 400 + 2 * 32 * 33;
  for (const std::string staged : {"pencil", "many"}) {
    BackendOptions options = merged;
    options["staged"] = staged;
    expect_same(run_with(setup, options), expected, staged);
  }
}

TEST_P(XPencil, SeveralThreadsATargetAddUpToTheSame) {
  const SimulationSetup setup = make_lj_setup(
      random_liquid(120, periodic_box(13.0, 5.2, 5.3), 0.8, 3, 2), 2.5, Truncation::force_shift);
  const Evaluation expected = run_with(setup, {{"runs", "merged"}});
  const double allowed =
      (precision() == Precision::double_ ? 1e-13 : 1e-5) * largest_component(expected.frame.force);
  for (const std::string lanes : {"2", "4", "8", "16", "32"}) {
    for (const std::string threads : {"targets", "average"}) {
      const Evaluation mine = run_with(
          setup, {{"threads_per_target", lanes}, {"threads", threads}, {"staged", "many"}});
      EXPECT_LE(largest_difference(mine.frame.force, expected.frame.force), allowed) << lanes;
      EXPECT_EQ(mine.stats.pairs_in_range, expected.stats.pairs_in_range) << lanes;
    }
  }
}

PENCILBOX_FOR_BACKEND(XPencil, "x-pencil");
PENCILBOX_WHERE(XPencilEmulated, [](const BackendCase& one) {
  return is_emulated(one) && one.backend.info.name == "x-pencil";
});

}  // namespace
}  // namespace pencilbox::testing
