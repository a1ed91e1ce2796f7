// A run on ranks deals out its cells anew where they say that they have waited, and has the bits of
// one that does not.
#include "app/ranks/changing_on_ranks.hpp"

#include <gtest/gtest.h>

#include "tests/app/forwarding_simulation.hpp"
#include "tests/support/configurations.hpp"
#include "tests/support/exact_state.hpp"

namespace pencilbox::testing {
namespace {

/// One of two ranks does all.
class Uneven final : public ForwardingSimulation {
 public:
  using ForwardingSimulation::ForwardingSimulation;
  std::vector<double> busy_seconds() override { return {1e6, 1.0}; }
};

struct Made {
  int anew = 0;

  SimulationMaker maker() {
    const DeviceApi& device = *devices().front();
    return {[&](SimulationSetup setup) {
              return std::make_unique<Uneven>(device.make(std::move(setup)));
            },
            [&, this](SimulationSetup setup, const ExactState& state) {
              ++anew;
              return std::make_unique<Uneven>(device.resume(std::move(setup), state));
            }};
  }
};

SimulationSetup liquid() {
  SimulationSetup setup = make_lj_setup(random_liquid(200, periodic_box(8, 8, 8), 0.9, 17, 1), 2.5,
                                        Truncation::force_shift);
  setup.backend = "verlet-list";
  for (const BackendInfo& info : devices().front()->backends()) {
    if (info.name == setup.backend) setup.options = default_options(info);
  }
  setup.deterministic = true;
  setup.skin = 0.3;
  setup.timestep = 0.001;
  return setup;
}

BackendChoice named(const SimulationSetup& setup) { return {setup.backend, setup.options, 0.0}; }

TEST(ChangingOnRanks, DealsOutAnewWhereRanksWait) {
  const SimulationSetup setup = liquid();
  Made even, uneven;
  const auto stays = make_changing(setup, {named(setup)}, even.maker(), false);
  const auto changes = make_changing(setup, {named(setup)}, uneven.maker(), true);
  for (Simulation* one : {stays.get(), changes.get()}) one->advance(250);
  EXPECT_EQ(even.anew, 0);
  EXPECT_GE(uneven.anew, 1);
  expect_same(changes->exact_state(), stays->exact_state());
  EXPECT_EQ(changes->observe().total_energy(), stays->observe().total_energy());
  EXPECT_EQ(changes->rank_load()->dealt, uneven.anew);
  EXPECT_GT(changes->rank_load()->busiest, 1.9);
  const ListStats whole = *stays->backend_stats().list, parts = *changes->backend_stats().list;
  EXPECT_EQ(parts.rebuilds, whole.rebuilds) << "goes on counting";
  EXPECT_FALSE(changes->backend_stats().choice) << "there was none";
}

}  // namespace
}  // namespace pencilbox::testing
