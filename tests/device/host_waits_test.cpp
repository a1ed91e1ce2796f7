// The host only enqueues: however many steps, it waits for the device equally often, and so reads
// nothing back inside a step; where a list is kept, once for several cycles; and where forces may
// be in quanta, at the few steps where it looks at how large they are. Nor does looking at a state
// take memory, once it has been looked at: graphs of steps would be noted anew after it.
#include <gtest/gtest.h>

#include "app/engine/large_forces.hpp"
#include "app/engine/simulation.hpp"
#include "app/ranks/rank_device.hpp"
#include "core/device/device.hpp"
#include "core/lattice.hpp"
#include "core/velocities.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

const DeviceApi& device_api();
const RankDevice& rank_device();

namespace {

SimulationSetup crystal(int cells, double temperature) {
  SimulationSetup setup;
  Lattice lattice;
  lattice.density = 0.8442;
  lattice.cells = {cells, cells, cells};
  setup.start = make_lattice(lattice, {true, true, true});
  draw_velocities(setup.start, temperature, 1);
  return setup;
}

std::int64_t waits_in(Simulation& simulation, std::int64_t steps) {
  const std::int64_t before = host_waits;
  simulation.advance(steps);
  return host_waits - before;
}

/// To where so many steps have no look at how large forces are.
void go_on_until_unwatched(Simulation& simulation, std::int64_t steps) {
  do {
    simulation.advance(steps_to_look_at_forces(simulation.step()) + 1);
  } while (steps_to_look_at_forces(simulation.step()) < steps);
}

class HostWaits : public ::testing::TestWithParam<bool> {};

TEST_P(HostWaits, DoNotGrowWithTheNumberOfSteps) {
  for (const BackendInfo& info : device_api().backends()) {
    if (GetParam() && !info.has_fixed_order) continue;  // it refuses deterministic runs
    SimulationSetup setup = crystal(4, 1.44);
    setup.backend = info.name;
    setup.options = default_options(info);
    setup.integrator = "velocity-verlet";
    setup.deterministic = GetParam();
    setup.skin = 0.4;
    const auto simulation = device_api().make(std::move(setup));
    const auto waits_of = [&](std::int64_t steps) { return waits_in(*simulation, steps); };
    waits_of(1);
    const bool chooses = info.name == "auto";
    for (int k = 0; k < 40 && chooses && !simulation->backend_stats().choice; ++k) waits_of(50);
    const bool keeps_list = simulation->backend_stats().list.has_value();
    if (info.sums_quanta || chooses) {
      go_on_until_unwatched(*simulation, 62);
    } else if (keeps_list) {
      waits_of(60);
    }
    if (keeps_list) {  // it knows how long a cycle is
      EXPECT_LE(waits_of(60) - waits_of(2), 3) << info.name;
    } else {
      EXPECT_EQ(waits_of(30), waits_of(2)) << info.name;
    }
  }
}

TEST(HostLooks, TakeNoMemoryAfterTheFirst) {
  for (const BackendInfo& info : device_api().backends()) {
    if (info.name == "auto") continue;  // who tries takes memory for whom it tries
    SimulationSetup setup = crystal(4, 0.1);
    setup.backend = info.name;
    setup.options = default_options(info);
    setup.integrator = "langevin";
    setup.parameters = {{"temperature", 0.1}, {"friction", 1.0}, {"seed", 1.0}};
    setup.skin = 0.4;
    const auto simulation = device_api().make(std::move(setup));
    const auto look = [&] {
      simulation->advance(2);
      EXPECT_GT(simulation->observe().particles, 0);
      EXPECT_GT(simulation->neighbor_stats().partners_per_particle, 0.0);
    };
    look();
    const std::int64_t before = allocations;
    look();
    EXPECT_EQ(allocations, before) << info.name;
  }
}

/// Neither where ranks exchange letters, and the sums of a heat bath, from device to device.
TEST(HostWaitsOfRanks, DoNotGrowWithTheNumberOfSteps) {
  for (const char* const integrator : {"velocity-verlet", "langevin", "nose-hoover"}) {
    SimulationSetup setup = crystal(6, 0.1);
    setup.backend = "par-part-no-loop";
    for (const BackendInfo& info : device_api().backends()) {
      if (info.name == setup.backend) setup.options = default_options(info);
    }
    setup.integrator = integrator;
    setup.parameters = {{"temperature", 0.1},
                        {"friction", 1.0},
                        {"seed", 1.0},
                        {"relaxation_time", 1.0},
                        {"chain_length", 2.0}};
    const auto simulation =
        rank_device().make(std::move(setup), {RankGrid{2, 1, 1}, true, Exchange::direct},
                           std::make_shared<PostWithinProcess>(2));
    const auto waits_of = [&](std::int64_t steps) { return waits_in(*simulation, steps); };
    waits_of(1);
    EXPECT_EQ(waits_of(30), waits_of(2)) << integrator;
  }
}

INSTANTIATE_TEST_SUITE_P(Order, HostWaits, ::testing::Bool(), [](const auto& parameters) {
  return parameters.param ? "deterministic" : "ticket";
});

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
