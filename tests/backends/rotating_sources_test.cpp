// Rotating-sources and half-shell: however a cell's work is divided among lanes, the sums are
// right, in any order of threads and on warps of 32 and of 64.
#include <gmock/gmock.h>

#include "core/device/host/emulator.hpp"
#include "core/error.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class RotatingSources : public EveryBackend {
 protected:
  void TearDown() override { host::emulator_settings() = saved_; }

  static SimulationSetup mixture(const Box& box, int count) {
    return make_lj_setup(random_liquid(count, box, 0.8, 3, 2), 2.5, Truncation::force_shift);
  }

  void expect_right(SimulationSetup setup, const Evaluation& truth, const std::string& what) const {
    const Evaluation mine = run(setup);
    EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
              Bars({1e-12, 5e-5, 1e-4}).of(precision()) *
                  std::max(1.0, largest_component(truth.frame.force)))
        << what;
    EXPECT_NEAR(mine.sums.potential_energy / truth.sums.potential_energy, 1.0,
                Bars({1e-12, 5e-6, 1e-5}).of(precision()))
        << what;
    EXPECT_NEAR(mine.stats.pairs_in_range, truth.stats.pairs_in_range,
                precision() == Precision::double_ ? 0.0 : 1.0)
        << what;
  }

 private:
  host::EmulatorSettings saved_ = host::emulator_settings();
};

TEST_P(RotatingSources, EveryShapeGivesTheSameSums) {
  // One cell in y, two in z, five in x; then open faces; then one cell that holds all. Of the last
  // two only with several warps for a cell.
  Box open{{0.0, 0.0, 0.0}, {8.0, 8.0, 8.0}, {false, true, false}};
  for (const Box& box : {periodic_box(13.0, 2.6, 5.3), open, periodic_box(4.9, 4.9, 4.9)}) {
    const bool is_first = box.edges[0] == 13.0;
    SimulationSetup setup = mixture(box, 120);
    const Evaluation truth = evaluate_reference(setup);
    for (const char* group : {"1", "4", "32"}) {
      for (const char* targets : {"1", "16"}) {
        for (const std::string threads : {"32", "128"}) {
          if (threads == "32" && !is_first) continue;
          setup.options = {{"group", group}, {"targets", targets}, {"threads_per_cell", threads}};
          expect_right(setup, truth,
                       std::string(group) + ", " + targets + ", " + threads + " threads");
        }
      }
    }
  }
}

TEST_P(RotatingSources, AnyScheduleGivesTheSameSums) {
  SimulationSetup setup = mixture(periodic_box(8.0, 5.2, 5.1), 180);
  const Evaluation truth = evaluate_reference(setup);
  for (const int warp_size : {32, 64}) {
    for (const auto schedule :
         {host::Schedule::forward, host::Schedule::reverse, host::Schedule::random}) {
      host::emulator_settings().warp_size = warp_size;
      host::emulator_settings().schedule = schedule;
      for (const char* group : {"1", "8"}) {
        for (const char* threads : {"64", "128"}) {
          setup.options = {{"group", group}, {"targets", "4"}, {"threads_per_cell", threads}};
          expect_right(setup, truth, "warps of " + std::to_string(warp_size));
        }
      }
    }
  }
}

PENCILBOX_WHERE(RotatingSources, [](const BackendCase& one) {
  const std::string& name = one.backend.info.name;
  return is_on_host(one) && (name == "rotating-sources" || name == "half-shell");
});

class WithoutAFixedOrder : public EveryBackend {};

TEST_P(WithoutAFixedOrder, RefusesADeterministicRun) {
  SimulationSetup setup = make_lj_setup(random_liquid(30, periodic_box(6.0, 6.0, 6.0), 0.75, 3),
                                        2.5, Truncation::shift);
  setup.deterministic = true;
  try {
    run(setup);
    FAIL() << "not refused";
  } catch (const BackendRefusal& refusal) {
    EXPECT_THAT(refusal.what(), ::testing::HasSubstr("run.deterministic: false"));
  }
}

PENCILBOX_WHERE(WithoutAFixedOrder, [](const BackendCase& one) { return !has_a_fixed_order(one); });

class RotatingSourcesInOrder : public EveryBackend {};

/// What several warps of a cell bring together must not depend on how wide they are.
TEST_P(RotatingSourcesInOrder, WarpsOfAnyWidthGiveTheSameBits) {
  const host::EmulatorSettings saved = host::emulator_settings();
  SimulationSetup setup = make_lj_setup(random_liquid(150, periodic_box(8.0, 5.2, 5.1), 0.8, 3),
                                        2.5, Truncation::force_shift);
  setup.deterministic = true;
  for (const char* threads : {"64", "128"}) {
    setup.options = {{"group", "2"}, {"targets", "4"}, {"threads_per_cell", threads}};
    const Evaluation narrow = run(setup);
    host::emulator_settings().warp_size = 64;
    const Evaluation wide = run(setup);
    host::emulator_settings() = saved;
    EXPECT_EQ(wide.frame.force, narrow.frame.force);
    EXPECT_EQ(wide.sums.potential_energy, narrow.sums.potential_energy);
  }
}

PENCILBOX_WHERE(RotatingSourcesInOrder, [](const BackendCase& one) {
  return is_on_host(one) && one.backend.info.name == "rotating-sources";
});

}  // namespace
}  // namespace pencilbox::testing
