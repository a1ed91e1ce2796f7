// How the grid is cut into sub-boxes, by the examples of the paper, and which cells are in one.
#include "neighbor/backends/all_in_sm/sub_box.hpp"

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

TEST(SubBox, ThePapersExample) {
  // Few particles per cell, section 5.1: 48 KB, 16 particles a cell, 8 floats a particle.
  const std::int64_t cells = 48 * 1024 / (16 * 8 * 4);
  ASSERT_EQ(cells, 96);
  const SubBoxSides sides = paper_sides_with_ghosts(cells).value();
  EXPECT_EQ(sides, (SubBoxSides{4, 4, 6}));
  EXPECT_EQ(without_ghosts(sides), (SubBoxSides{2, 2, 4}));
  EXPECT_EQ(in_words(sides), "4 x 4 x 6");
}

TEST(SubBox, BelowThreeByThreeByThreeThereIsNone) {
  EXPECT_FALSE(paper_sides_with_ghosts(0));
  EXPECT_FALSE(paper_sides_with_ghosts(26));
  EXPECT_EQ(paper_sides_with_ghosts(27), (SubBoxSides{3, 3, 3}));
}

TEST(SubBox, TheGreatestOfFourShapes) {
  EXPECT_EQ(paper_sides_with_ghosts(35), (SubBoxSides{3, 3, 3}));
  EXPECT_EQ(paper_sides_with_ghosts(36), (SubBoxSides{3, 3, 4}));
  EXPECT_EQ(paper_sides_with_ghosts(44), (SubBoxSides{3, 3, 4}));
  EXPECT_EQ(paper_sides_with_ghosts(45), (SubBoxSides{3, 3, 5}));
  EXPECT_EQ(paper_sides_with_ghosts(48), (SubBoxSides{3, 4, 4}));
  EXPECT_EQ(paper_sides_with_ghosts(64), (SubBoxSides{4, 4, 4}));
  EXPECT_EQ(paper_sides_with_ghosts(95), (SubBoxSides{4, 4, 5}));
  for (std::int64_t cells = 27; cells < 9000; ++cells) {
    const std::int64_t taken = cells_of(paper_sides_with_ghosts(cells).value());
    EXPECT_LE(taken, cells);
    EXPECT_GE(taken, cells_of(paper_sides_with_ghosts(cells - 1).value_or(SubBoxSides{})));
  }
}

TEST(SubBox, ShrinksWhileMultiprocessorsIdle) {
  // Section 7.1: 12 blocks of 2 x 2 x 2 for 40 processors become 48 of 2 x 1 x 1.
  const SubBoxSides grid{4, 4, 6};
  ASSERT_EQ(sub_boxes_in(grid, {2, 2, 2}), 12);
  EXPECT_EQ(shrink_for(12, grid, {2, 2, 2}), (SubBoxSides{2, 2, 2}));
  EXPECT_EQ(shrink_for(13, grid, {2, 2, 2}), (SubBoxSides{2, 2, 1}));
  EXPECT_EQ(shrink_for(40, grid, {2, 2, 2}), (SubBoxSides{2, 1, 1}));
  EXPECT_EQ(shrink_for(1000, grid, {2, 2, 2}), (SubBoxSides{1, 1, 1}));
  EXPECT_EQ(shrink_for(2, {5, 1, 1}, {5, 1, 1}), (SubBoxSides{3, 1, 1}));
}

TEST(SubBox, IsCutToTheGrid) {
  EXPECT_EQ(cut_to_grid({4, 4, 6}, {1, 9, 5}), (SubBoxSides{1, 4, 5}));
  EXPECT_EQ(sub_boxes_in({1, 9, 5}, {1, 4, 5}), 3);
}

TEST(SubBox, WhatIsTriedFitsAndIsTriedOnce) {
  const SubBoxSides first{2, 2, 4};
  const SubBoxSides grid{3, 2, 10};
  const auto tried = sub_boxes_to_try(first, grid, 96);
  EXPECT_EQ(tried.front(), first);
  EXPECT_GT(tried.size(), 3U);
  for (std::size_t k = 0; k < tried.size(); ++k) {
    EXPECT_EQ(tried[k], cut_to_grid(tried[k], grid));
    EXPECT_LE(cells_of(with_ghosts(tried[k])), 96);
    for (std::size_t j = 0; j < k; ++j) EXPECT_NE(tried[j], tried[k]);
  }
}

/// Every sub-box of a grid: its cells are the neighbours of its targets, its runs hold the
/// particles of its cells in their order, and every cell of the grid is a target once.
void check_all(const GridView<float>& grid, const CellCoordinates& targets) {
  const Index count = grid.cells.x * grid.cells.y * grid.cells.z;
  std::vector<Index> offset{0};
  for (Index cell = 0; cell < count; ++cell) offset.push_back(offset.back() + (cell * 7 + 3) % 5);
  std::vector<int> times_a_target(static_cast<std::size_t>(count));
  const auto boxes = static_cast<Index>(
      sub_boxes_in({grid.cells.x, grid.cells.y, grid.cells.z}, {targets.x, targets.y, targets.z}));
  for (Index number = 0; number < boxes; ++number) {
    const SubBoxWithGhosts<float> box(grid, targets, number);
    std::vector<Index> by_cell, by_run;
    for (Index cell = 0; cell < box.cells(); ++cell) {
      const CellCoordinates place = box.place(cell);
      ASSERT_EQ(box.number(place), cell);
      const Index there = box.grid_cell(place);
      const IndexRange run = box.particles_of_run(offset.data(), box.run_of(place));
      if (there < 0) {
        ASSERT_EQ(run.begin, run.end);
        continue;
      }
      const auto c = static_cast<std::size_t>(there);
      ASSERT_LE(run.begin, offset[c]);
      ASSERT_GE(run.end, offset[c + 1]);
      for (Index i = offset[c]; i < offset[c + 1]; ++i) by_cell.push_back(i);
    }
    for (Index run = 0; run < box.runs(); ++run) {
      const IndexRange range = box.particles_of_run(offset.data(), run);
      for (Index i = range.begin; i < range.end; ++i) by_run.push_back(i);
    }
    ASSERT_EQ(by_cell, by_run);
    for (Index k = 0; k < box.targets(); ++k) {
      const CellCoordinates home = box.home(box.target(k));
      ++times_a_target[static_cast<std::size_t>(grid.linear(home))];
    }
  }
  EXPECT_EQ(times_a_target, std::vector<int>(static_cast<std::size_t>(count), 1));
}

TEST(SubBox, HoldsEveryNeighbourOfItsTargets) {
  for (const CellCoordinates& cells : {CellCoordinates{1, 1, 1}, CellCoordinates{2, 1, 3},
                                       CellCoordinates{3, 2, 2}, CellCoordinates{7, 5, 4}}) {
    for (const CellCoordinates& targets :
         {CellCoordinates{1, 1, 1}, CellCoordinates{2, 3, 1}, CellCoordinates{3, 2, 4}}) {
      for (int mask = 0; mask < 8; ++mask) {
        const GridView<float> grid{
            cells, {1, 1, 1}, {1, 1, 1}, {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0}};
        check_all(grid, {std::min(targets.x, cells.x), std::min(targets.y, cells.y),
                         std::min(targets.z, cells.z)});
      }
    }
  }
}

}  // namespace
}  // namespace pencilbox::testing
