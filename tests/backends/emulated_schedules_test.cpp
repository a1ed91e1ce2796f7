// Back ends with blocks, on the emulator: the result must not depend on the order in which threads
// and blocks run, nor on the width of a warp.
#include "core/device/host/emulator.hpp"
#include "tests/support/every_backend.hpp"
#include "tests/support/exact_state.hpp"

namespace pencilbox::testing {
namespace {

class EmulatedSchedules : public EveryBackend {
 protected:
  void TearDown() override { host::emulator_settings() = saved_; }

 private:
  host::EmulatorSettings saved_ = host::emulator_settings();
};

TEST_P(EmulatedSchedules, GiveTheSameForces) {
  for (const int types : {1, 2}) {
    SimulationSetup setup = make_lj_setup(
        random_liquid(225, periodic_box(8, 5.2, 5.1), 0.8, 3, types), 2.5, Truncation::force_shift);
    setup.deterministic = true;
    const Evaluation expected = run(setup);
    for (const int warp_size : {32, 64}) {
      for (const auto schedule :
           {host::Schedule::forward, host::Schedule::reverse, host::Schedule::random}) {
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
          if (schedule != host::Schedule::random && seed > 1) continue;
          host::emulator_settings().warp_size = warp_size;
          host::emulator_settings().schedule = schedule;
          host::emulator_settings().seed = seed;
          const Evaluation mine = run(setup);
          EXPECT_EQ(mine.frame.force, expected.frame.force)
              << "warp " << warp_size << ", schedule " << static_cast<int>(schedule) << ", seed "
              << seed;
          EXPECT_EQ(mine.sums.potential_energy, expected.sums.potential_energy);
          EXPECT_EQ(mine.stats.pairs_in_range, expected.stats.pairs_in_range);
        }
      }
    }
  }
}

/// Whole steps: who moves its targets must not move what others still read.
TEST_P(EmulatedSchedules, GiveTheSameSteps) {
  SimulationSetup setup = make_lj_setup(random_liquid(225, periodic_box(8, 5.2, 5.1), 0.8, 3, 1),
                                        2.5, Truncation::force_shift);
  setup.backend = backend().info.name;
  setup.options = default_options(backend().info);
  setup.integrator = "velocity-verlet";
  setup.precision = precision();
  setup.deterministic = true;
  setup.timestep = 1e-3;
  std::vector<ExactState> states;
  for (const auto schedule :
       {host::Schedule::forward, host::Schedule::reverse, host::Schedule::random}) {
    host::emulator_settings().schedule = schedule;
    const auto simulation = backend().device->make(setup);
    simulation->advance(5, LastStep::forces_only);
    states.push_back(simulation->exact_state());
  }
  for (std::size_t k = 1; k < states.size(); ++k) expect_same(states[k], states[0]);
}

PENCILBOX_WHERE(EmulatedSchedules,
                [](const BackendCase& one) { return is_on_host(one) && has_a_fixed_order(one); });

}  // namespace
}  // namespace pencilbox::testing
