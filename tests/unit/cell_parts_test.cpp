// The curve through the parts of a cell.
#include "core/cell_parts.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

const Vec3<double> cell_size{2.0, 3.0, 4.0};

Index part_at(double x, double y, double z) {
  return CellParts{CellParts::of_a_curve}.number(cell_size, 0, Vec3<double>{x, y, z});
}

TEST(CellParts, OneIsTheCell) {
  EXPECT_EQ(CellParts{}.number(cell_size, 7, Vec3<double>{0.9, -1.4, 1.9}), 7);
}

TEST(CellParts, FollowEachOtherAtAFace) {
  std::vector<Vec3<double>> center(CellParts::of_a_curve, {100.0, 0.0, 0.0});
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.75, 0.75}) {
      for (const double z : {-1.5, -0.5, 0.5, 1.5}) {
        center.at(static_cast<std::size_t>(part_at(x, y, z))) = {x, y, z};
      }
    }
  }
  for (std::size_t k = 1; k < center.size(); ++k) {
    const Vec3<double> step = center[k] - center[k - 1];
    const int faces = (step.x != 0.0 ? 1 : 0) + (step.y != 0.0 ? 1 : 0) + (step.z != 0.0 ? 1 : 0);
    EXPECT_EQ(faces, 1) << "part " << k;
    EXPECT_LE(std::abs(step.z), 1.0) << "part " << k;
  }
}

TEST(CellParts, WhatLiesOutsideBelongsToThePartNextToIt) {
  EXPECT_EQ(part_at(-50.0, -50.0, -50.0), part_at(-0.5, -0.75, -1.5));
  EXPECT_EQ(part_at(50.0, -0.1, 1e9), part_at(0.5, -0.75, 1.5));
}

TEST(CellParts, AreNumberedOverAllCells) {
  const CellParts parts{CellParts::of_a_curve};
  EXPECT_EQ(parts.number(cell_size, 3, Vec3<double>{}) - parts.number(cell_size, 0, Vec3<double>{}),
            48);
}

TEST(CellParts, SlicesFollowEachOtherAlongX) {
  const CellParts slices{CellParts::of_slices};
  for (Index k = 0; k < CellParts::of_slices; ++k) {
    constexpr double width = 2.0 / CellParts::of_slices;
    const double middle = -1.0 + width * (k + 0.5);
    for (const double at : {middle - 0.48 * width, middle, middle + 0.48 * width}) {
      const Index number = slices.number(cell_size, 5, Vec3<double>{at, -1.4, 1.9});
      EXPECT_EQ(number, 5 * CellParts::of_slices + k) << at;
    }
  }
}

TEST(CellParts, SlicesAtTheEndsTakeWhatLiesOutside) {
  const CellParts slices{CellParts::of_slices};
  EXPECT_EQ(slices.number(cell_size, 0, Vec3<float>{-1e30F, 0.0F, 0.0F}.to<double>()), 0);
  constexpr Index last = CellParts::of_slices - 1;
  EXPECT_EQ(slices.number(cell_size, 0, Vec3<double>{1e30, 0.0, 0.0}), last);
  EXPECT_EQ(slices.number(cell_size, 0, Vec3<double>{1.0, 0.0, 0.0}), last);
}

}  // namespace
}  // namespace pencilbox::testing
