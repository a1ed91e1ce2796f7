// Bricks of cells, and the order of the particles around one.
#include "neighbor/vectors/brick.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "neighbor/vectors/brick_order.hpp"

namespace pencilbox::host {
namespace {

GridView<double> grid_of(const CellCoordinates& cells, const Vec3<bool>& periodic) {
  GridView<double> grid;
  grid.cells = cells;
  grid.side = grid.exact_side = {3.0, 2.5, 2.75};
  grid.periodic = periodic;
  return grid;
}

TEST(Bricks, HaveEachCellOnce) {
  for (const CellCoordinates& cells : {CellCoordinates{1, 1, 1}, {11, 9, 4}, {7, 2, 13}}) {
    const Bricks bricks(cells, Bricks::most_cells);
    std::vector<int> times(static_cast<std::size_t>(cells.x * cells.y * cells.z), 0);
    for (Index k = 0; k < bricks.count(); ++k) {
      const auto& [first, size] = bricks[k];
      EXPECT_LE(size.x, Bricks::most_cells.x);
      EXPECT_LE(size.y, Bricks::most_cells.y);
      EXPECT_LE(size.z, Bricks::most_cells.z);
      for (Index z = first.z; z < first.z + size.z; ++z) {
        for (Index y = first.y; y < first.y + size.y; ++y) {
          for (Index x = first.x; x < first.x + size.x; ++x) {
            ++times[static_cast<std::size_t>((z * cells.y + y) * cells.x + x)];
          }
        }
      }
    }
    for (const int of_a_cell : times) EXPECT_EQ(of_a_cell, 1);
  }
}

/// One particle in each cell of the grid.
TEST(Bricks, SeeTheCellsAroundThemThroughPeriodicFacesAlone) {
  const std::vector<Index> offset{0, 1, 2, 3, 4};
  const BrickLayout layout(grid_of({4, 1, 1}, {false, true, false}), {{0, 0, 0}, {2, 1, 1}});
  EXPECT_EQ(layout.particles(offset.data(), {1, 1, 1}).begin, 0);
  EXPECT_EQ(layout.particles(offset.data(), {1, 0, 1}).begin, 0);  // an image of itself
  EXPECT_EQ(layout.particles(offset.data(), {3, 2, 1}).begin, 2);
  EXPECT_EQ(layout.particles(offset.data(), {0, 1, 1}).count(), 0);
  EXPECT_EQ(layout.particles(offset.data(), {1, 1, 0}).count(), 0);
  EXPECT_EQ(layout.x.there().begin, 1);  // open
  EXPECT_EQ(layout.x.there().end, 4);
  EXPECT_EQ(layout.y.there().begin, 0);
}

class AroundABrick : public ::testing::Test {
 protected:
  /// Puts particles into bins of a column, in turn.
  void fill(Index y, Index z) {
    const Index bins = layout_.x.cells() * order_.bins_of_a_cell();
    for (Index k = 0; k < particles_; ++k) order_.bins()[k] = order_.bin({0, y, z}) + k % bins;
    places_ = order_.count();
    for (Index k = 0; k < particles_; ++k) place_.push_back(order_.place(k));
  }

  static constexpr Index particles_ = 200;
  BrickLayout layout_{grid_of({8, 8, 8}, {true, true, true}), {{2, 2, 2}, {4, 2, 2}}};
  BrickOrder order_;
  Index places_ = 0;
  std::vector<Index> place_;
};

TEST_F(AroundABrick, EachParticleHasAPlaceAndNoneIsInAGap) {
  order_.begin(layout_, particles_);
  fill(1, 1);
  std::vector<int> taken(static_cast<std::size_t>(places_), 0);
  for (const Index place : place_) {
    ASSERT_GE(place, 0);
    ASSERT_LT(place, places_);
    ++taken[static_cast<std::size_t>(place)];
  }
  for (const int times : taken) EXPECT_LE(times, 1);
  for (const Index gap : order_.gaps()) {
    for (Index k = gap; k < gap + BrickOrder::room_behind; ++k) {
      EXPECT_EQ(taken.at(static_cast<std::size_t>(k)), 0);
    }
  }
}

TEST_F(AroundABrick, StretchesOfAColumnOfItsOwnAreApart) {
  order_.begin(layout_, particles_);
  fill(1, 1);
  const IndexRange before = order_.places(order_.before(), 1, 1);
  const IndexRange own = order_.places(order_.own(), 1, 1);
  const IndexRange behind = order_.places(order_.behind(), 1, 1);
  EXPECT_EQ(before.count() + own.count() + behind.count(), particles_);
  EXPECT_GE(own.begin, before.end + BrickOrder::room_behind);
  EXPECT_GE(behind.begin, own.end + BrickOrder::room_behind);
}

TEST_F(AroundABrick, BinsAreFoundByCoordinates) {
  order_.begin(layout_, particles_);
  const float far = std::numeric_limits<float>::max();
  const IndexRange all = order_.between(-far, far);
  EXPECT_EQ(all.begin, order_.all().begin);
  EXPECT_EQ(all.end, order_.all().end);
  const float begin = layout_.x.at(2);
  const IndexRange one = order_.between(begin + 0.01F, begin + 0.02F);
  EXPECT_EQ(one.begin, 2 * order_.bins_of_a_cell());
  EXPECT_EQ(one.count(), 1);
}

/// Who has left through an open face is in the last bin of those that there are.
TEST(BricksAtAnOpenFace, EndWithTheirOwnCells) {
  const BrickLayout layout(grid_of({4, 4, 4}, {false, false, false}), {{0, 0, 0}, {4, 4, 4}});
  BrickOrder order;
  order.begin(layout, 100);
  const IndexRange beyond = order.between(1e6F, 2e6F);
  EXPECT_EQ(beyond.end, order.own().end);
  EXPECT_EQ(beyond.count(), 1);
  EXPECT_EQ(order.between(-2e6F, -1e6F).begin, order.own().begin);
}

}  // namespace
}  // namespace pencilbox::host
