// Cells that fill up while nobody looks: what a back end chose by the fullest cell of the start no
// longer fits, and the forces must be right all the same.
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class Crowding : public EveryBackend {};

/// Of cells of the cutoff.
std::int64_t fullest_cell(SimulationSetup setup) {
  setup.backend = "reference";
  setup.options = {};
  return devices().front()->check(setup).largest_cell;
}

/// A gas that falls towards the middle of its box: the fullest cell takes more than twice as many
/// in 30 steps.
SimulationSetup falling_gas() {
  const double side = 15.0;
  StartState gas = random_liquid(350, periodic_box(side, side, side), 0.9, 77);
  for (std::size_t i = 0; i < gas.velocity.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      gas.velocity[i][d] = -4.4 * (gas.position[i][d] - 0.5 * side);
    }
  }
  return make_lj_setup(std::move(gas), 2.5, Truncation::shift);
}

TEST_P(Crowding, BetweenTwoLooksGivesRightForces) {
  SimulationSetup setup = falling_gas();
  setup.precision = precision();
  setup.timestep = 0.004;
  setup.backend = backend().info.name;
  setup.options = default_options(backend().info);
  const std::int64_t fullest_before = fullest_cell(setup);
  const auto simulation = backend().device->make(setup);
  simulation->advance(30);
  FieldSet fields;
  for (const Field field : {Field::position, Field::force, Field::id}) fields.insert(field);
  const Frame mine = simulation->snapshot(fields);

  setup.start.position = mine.position;
  setup.backend = "reference";
  setup.options = {};
  EXPECT_GE(fullest_cell(setup), 2 * fullest_before);
  const Evaluation truth = evaluate_reference(setup);
  EXPECT_LE(largest_difference(mine.force, truth.frame.force),
            Bars({1e-12, 5e-5, 1e-4}).of(precision()) * largest_component(truth.frame.force));
}

PENCILBOX_FOR_EVERY_BACKEND(Crowding);

}  // namespace
}  // namespace pencilbox::testing
