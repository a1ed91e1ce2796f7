// What is asked of forces of a simulation of one type in mixed precision, at whatever step it is.
#pragma once

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/pairs_that_cancel.hpp"

namespace pencilbox::testing {

/// Those of its present positions, by the reference, and that they cancel. `setup`: it began with.
inline void expect_right_forces(Simulation& simulation, SimulationSetup setup) {
  FieldSet fields;
  for (const Field field : {Field::position, Field::force}) fields.insert(field);
  const Frame mine = simulation.snapshot(fields);
  setup.start.position = mine.position;
  const std::vector<Double3> truth = evaluate_reference(std::move(setup)).frame.force;
  EXPECT_LE(largest_difference(mine.force, truth), 5e-5 * std::max(1.0, largest_component(truth)));
  expect_to_cancel(mine.force);
}

/// Large enough for quanta, when it last looked.
inline bool has_large_forces(const ExactState& state) {
  return state.integrator.at("forces_are_large").front() != 0.0;
}

}  // namespace pencilbox::testing
