// FIRE: it finds the minimum that is known, makes a liquid of particles at random, moves nobody too
// far, and rests when it is done, the same everywhere.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/rng.hpp"
#include "tests/support/exact_state.hpp"
#include "tests/support/heat_bath.hpp"

namespace pencilbox::testing {
namespace {

SimulationSetup minimised(StartState start, double tolerance) {
  SimulationSetup setup = make_lj_setup(std::move(start), 2.5, Truncation::force_shift);
  setup.precision = Precision::double_;
  return with_integrator(std::move(setup), "fire",
                         {{"force_tolerance", tolerance}, {"max_displacement", 0.1}});
}

/// A crystal at rest whose particles are off their places by up to 0.1 in each direction.
StartState shaken_crystal() {
  StartState start = thermal_crystal(4, 1.0);
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    start.velocity[i] = {};
    for (std::size_t d = 0; d < 3; ++d) {
      start.position[i][d] += 0.1 * std::sin(static_cast<double>(7 * i + 3 * d));
    }
  }
  return start;
}

/// Density 0.8442, overlapping; with velocities, which a minimisation does not look at.
StartState random_overlaps() {
  StartState start = random_particles(400, periodic_box(7.796, 7.796, 7.796), 5);
  for (Double3& velocity : start.velocity) velocity = {3.0, -1.0, 2.0};
  return start;
}

double energy_per_particle(const Observation& sums) {
  return sums.potential_energy / static_cast<double>(sums.particles);
}

double crystal_energy(double density) {
  const SimulationSetup setup = minimised(thermal_crystal(4, density), 1.0);
  return energy_per_particle(host().make(setup)->observe());
}

std::vector<Double3> unwrapped(Simulation& simulation) {
  FieldSet fields;
  fields.insert(Field::position);
  fields.insert(Field::image);
  Frame frame = simulation.snapshot(fields);
  for (std::size_t i = 0; i < frame.position.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      frame.position[i][d] += frame.image[i][d] * frame.box.edges[d];
    }
  }
  return frame.position;
}

double largest_force(Simulation& simulation) {
  FieldSet fields;
  fields.insert(Field::force);
  double largest = 0.0;
  for (const Double3& f : simulation.snapshot(fields).force) {
    largest = std::max(largest, std::hypot(f[0], f[1], f[2]));
  }
  return largest;
}

TEST(Fire, FindsTheCrystal) {
  const auto simulation = host().make(minimised(shaken_crystal(), 1e-6));
  const double shaken = energy_per_particle(simulation->observe());
  simulation->advance(1000);
  EXPECT_TRUE(simulation->minimisation()->converged());
  EXPECT_LE(largest_force(*simulation), 1e-6);
  EXPECT_NEAR(energy_per_particle(simulation->observe()), crystal_energy(1.0), 1e-9);
  EXPECT_GT(shaken, crystal_energy(1.0) + 0.1) << "there was something to find";
}

TEST(Fire, ARandomStartBecomesALiquid) {
  for (const Precision precision : {Precision::single, Precision::mixed, Precision::double_}) {
    SimulationSetup setup = minimised(random_overlaps(), 0.05);
    setup.precision = precision;
    const auto simulation = host().make(setup);
    EXPECT_GT(energy_per_particle(simulation->observe()), 1e3);
    simulation->advance(8000);
    const auto now = simulation->minimisation();
    EXPECT_TRUE(now->converged()) << now->largest_force;
    EXPECT_NEAR(now->largest_force, largest_force(*simulation), 1e-6);
    // What liquids are quenched to is a tenth above the crystal, and never below it.
    const double share = energy_per_particle(simulation->observe()) / crystal_energy(0.8442);
    EXPECT_GT(share, 0.85);
    EXPECT_LT(share, 1.05);  // a crystal with a hole is lower than a stretched one
  }
}

TEST(Fire, NobodyMovesFarther) {
  SimulationSetup setup = minimised(random_overlaps(), 0.05);
  const auto simulation = host().make(setup);
  std::vector<Double3> before = unwrapped(*simulation);
  double largest = 0.0;
  for (int step = 0; step < 60; ++step) {
    simulation->advance(1);
    const std::vector<Double3> after = unwrapped(*simulation);
    for (std::size_t i = 0; i < after.size(); ++i) {
      const Double3 &a = before[i], &b = after[i];
      largest = std::max(largest, std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]));
    }
    before = after;
  }
  EXPECT_LE(largest, 0.1 + 1e-12);
  EXPECT_GT(largest, 0.0999) << "nobody was held back";
}

TEST(Fire, RestsWhenItIsDone) {
  const auto simulation = host().make(minimised(shaken_crystal(), 1e-3));
  EXPECT_FALSE(simulation->minimisation()->rests_since);
  EXPECT_FALSE(simulation->is_minimised());
  simulation->advance(1024);
  const auto rests_since = simulation->minimisation()->rests_since;
  ASSERT_TRUE(rests_since);
  EXPECT_GT(*rests_since, 10);
  EXPECT_LT(*rests_since, 896);
  EXPECT_TRUE(simulation->is_minimised());
  const ExactState done = simulation->exact_state();
  for (const Double3& velocity : velocities_of(*simulation)) EXPECT_EQ(velocity, Double3{});
  simulation->advance(1'000'000'000'000);  // counted, not done
  EXPECT_EQ(simulation->step(), 1'000'000'001'024);
  EXPECT_EQ(simulation->exact_state().offset, done.offset);
  EXPECT_EQ(simulation->minimisation()->rests_since, rests_since);
  EXPECT_TRUE(std::isnan(simulation->observe().conserved_energy));
}

/// However the steps are asked for, it is done with at the same one, and in the same state.
TEST(Fire, WhenTheHostLooksChangesNoBit) {
  SimulationSetup setup = minimised(shaken_crystal(), 1e-3);
  setup.deterministic = true;
  for (const char* backend : {"par-part-no-loop", "verlet-list"}) {
    setup.backend = backend;
    setup.options = {};
    for (const DeviceBackend& one : device_backends()) {
      if (one.info.name == backend) setup.options = default_options(one.info);
    }
    const auto alone = host().make(setup);
    alone->advance(1050, LastStep::forces_only);
    const auto looked_at = host().make(setup);
    for (int k = 0; k < 150; ++k) looked_at->advance(7, LastStep::forces_only);
    expect_same(looked_at->exact_state(), alone->exact_state());
    EXPECT_EQ(looked_at->minimisation()->rests_since, alone->minimisation()->rests_since);
  }
}

TEST(Fire, EveryBackEndHasTheSameTrajectory) {
  expect_same_trajectory_everywhere(minimised(shaken_crystal(), 1e-6));
}

TEST(Fire, GoesOnInMidMinimisation) {
  SimulationSetup setup = minimised(random_overlaps(), 0.05);
  setup.deterministic = true;
  const auto whole = host().make(setup);
  whole->advance(70, LastStep::forces_only);
  const auto parts = host().resume(setup, whole->exact_state());
  whole->advance(70, LastStep::forces_only);
  parts->advance(70, LastStep::forces_only);
  expect_same(parts->exact_state(), whole->exact_state());
}

TEST(Fire, LeavesNoVelocityToTheStageThatFollows) {
  const auto simulation = host().make(minimised(random_overlaps(), 1e-3));
  simulation->advance(30);
  StageSettings next;
  next.integrator = "velocity-verlet";
  next.first_step = 30;
  simulation->begin_stage(next);
  for (const Double3& velocity : velocities_of(*simulation)) EXPECT_EQ(velocity, Double3{});
  EXPECT_FALSE(simulation->minimisation());
}

}  // namespace
}  // namespace pencilbox::testing
