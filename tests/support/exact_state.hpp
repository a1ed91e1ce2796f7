// Two exact states are the same to the last bit.
#pragma once

#include <gtest/gtest.h>

#include "core/exact_state.hpp"

namespace pencilbox::testing {

inline void expect_same(const ExactState& a, const ExactState& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.precision, b.precision);
  EXPECT_EQ(a.box.lower, b.box.lower);
  EXPECT_EQ(a.box.edges, b.box.edges);
  EXPECT_EQ(a.box.periodic, b.box.periodic);
  ASSERT_EQ(a.types.size(), b.types.size());
  for (std::size_t i = 0; i < a.types.size(); ++i) {
    EXPECT_EQ(a.types[i].name, b.types[i].name);
    EXPECT_EQ(a.types[i].mass, b.types[i].mass);
  }
  EXPECT_EQ(a.grid.lower, b.grid.lower);
  EXPECT_EQ(a.grid.side, b.grid.side);
  EXPECT_EQ(a.grid.cells, b.grid.cells);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.cell, b.cell);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.image, b.image);
  EXPECT_EQ(a.force, b.force);
  EXPECT_EQ(a.integrator, b.integrator);
  EXPECT_EQ(a.skin, b.skin);
  EXPECT_EQ(a.reference, b.reference);
  EXPECT_EQ(a.list_age, b.list_age);
  EXPECT_EQ(a.list_age_before, b.list_age_before);
}

}  // namespace pencilbox::testing
