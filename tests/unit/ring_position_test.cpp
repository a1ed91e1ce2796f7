// Differences of whole numbers that wrap.
#include "neighbor/walks/ring_position.hpp"

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

template <class Pair>
class RingPositionTest : public ::testing::Test {};
using Pairs = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RingPositionTest, Pairs);

constexpr double side = 2.7;

template <class Pair>
RingPosition<Pair> at(Index column, double offset) {
  using Position = RingPosition<Pair>;
  return Position::of(column, Vec3<double>{offset, 0.3, -0.2},
                      Vec3<Pair>{static_cast<Pair>(offset), Pair(0.3), Pair(-0.2)},
                      Position::units(side), 1);
}

TYPED_TEST(RingPositionTest, DifferencesGoAcrossCells) {
  using Position = RingPosition<TypeParam>;
  const TypeParam unit = Position::unit(side);
  const double bar = sizeof(TypeParam) == 4 ? 1e-6 : 1e-14;
  for (const Index column : {0, 3, 6, 7, 8, 1000}) {
    for (const Index cells : {-3, -1, 0, 1, 3}) {
      if (column + cells < 0) continue;
      const Position here = at<TypeParam>(column, 0.6), there = at<TypeParam>(column + cells, -0.9);
      const double apart = 0.6 - (cells * side - 0.9);
      EXPECT_NEAR(Position::apart(here.x, there.x, unit), apart, bar) << column << ", " << cells;
      EXPECT_EQ(Position::apart(here.x, there.x, unit), -Position::apart(there.x, here.x, unit));
    }
  }
}

TYPED_TEST(RingPositionTest, ImagesAreMetByTheirNumberOfCells) {
  using Position = RingPosition<TypeParam>;
  const TypeParam unit = Position::unit(side);
  for (const Index cells : {1, 2, 5, 8, 13}) {
    const Position first = at<TypeParam>(0, 0.1), last = at<TypeParam>(cells - 1, -0.2);
    const double apart = side * cells + 0.1 - (side * (cells - 1) - 0.2);
    EXPECT_NEAR(Position::apart(first.farther(cells), last.x, unit), apart, 1e-6) << cells;
  }
}

TYPED_TEST(RingPositionTest, TakesWhatIsBesidesX) {
  const RingPosition<TypeParam> position = at<TypeParam>(5, 0.0);
  EXPECT_EQ(position.y, TypeParam(0.3));
  EXPECT_EQ(position.z, TypeParam(-0.2));
  EXPECT_EQ(position.type, 1U);
}

}  // namespace
}  // namespace pencilbox::testing
