#include "neighbor/cells/cell_grid.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

const std::vector<Double3> nobody(1, Double3{});

TEST(CellGrid, CellsAreAsSmallAsTheCutoffAllows) {
  const std::vector<Double3> many(1000, Double3{});
  const Box box{{0, 0, 0}, {7.5, 7.49, 2.6}, {true, true, true}};
  const CellGrid grid = make_cell_grid(box, 2.5, many);
  EXPECT_EQ(grid.cells, (std::array<Index, 3>{3, 2, 1}));
  EXPECT_DOUBLE_EQ(grid.side[0], 2.5);
  EXPECT_DOUBLE_EQ(grid.side[2], 2.6);
}

TEST(CellGrid, RanksCanShareTheCellsOfALongSide) {
  const auto cells_along_z = [](double length) {
    const Box box{{0, 0, 0}, {5, 5, length}, {true, true, true}};
    const CellGrid grid = make_cell_grid(box, 2.5, nobody);
    EXPECT_GE(grid.side[2], 2.5);
    EXPECT_LE(grid.side[2], 1.01 * 2.5);
    return grid.cells[2];
  };
  EXPECT_EQ(cells_along_z(2.5 * 199), 199);
  EXPECT_EQ(cells_along_z(2.5 * 215 + 0.1), 214);
  EXPECT_EQ(cells_along_z(2.5 * 403), 400);
  EXPECT_EQ(cells_along_z(2.5 * 815), 808);
}

TEST(CellGrid, CellsGrowInADiluteSystem) {
  const Box box{{0, 0, 0}, {1e5, 1e5, 1e5}, {true, true, true}};
  const CellGrid grid = make_cell_grid(box, 2.5, nobody);
  EXPECT_LE(grid.count(), 262144);
  EXPECT_GE(grid.side[0], 2.5);
  EXPECT_DOUBLE_EQ(grid.side[0] * grid.cells[0], 1e5);
}

TEST(CellGrid, OpenDirectionsCoverTheParticles) {
  const Box box{{0, 0, 0}, {10, 10, 10}, {false, false, false}};
  const CellGrid grid = make_cell_grid(box, 2.0, {{-3.0, 1.0, 5.0}, {20.0, 2.0, 5.0}});
  EXPECT_DOUBLE_EQ(grid.lower[0], -3.0);
  EXPECT_GE(grid.side[0] * grid.cells[0], 23.0 - 1e-12);
  EXPECT_EQ(grid.cells[2], 1);
  EXPECT_GE(grid.side[2], 2.0);
}

const Box open_box{{0, 0, 0}, {9, 9, 9}, {false, false, false}};

Resolution lennard_jones_in(Precision precision) {
  return resolution_of(LennardJonesModel{}, precision);
}

TEST(CellGrid, CellsDoNotGrowForOneFarParticle) {
  for (std::size_t d = 0; d < 3; ++d) {
    for (const double far : {1e8, -1e8, 1e15}) {
      std::vector<Double3> positions{{2, 2, 2}, {3.1, 2, 2}, {2, 2, 2}};
      positions[2][d] = far;
      const CellGrid grid =
          make_cell_grid(open_box, 2.5, positions, lennard_jones_in(Precision::mixed));
      for (const double side : grid.side) EXPECT_EQ(side, 2.5) << far;
      EXPECT_EQ(place(grid, positions[0]).cell, place(grid, positions[1]).cell);
    }
  }
}

TEST(CellGrid, InSingleAFarParticleIsCoveredIfCellsCanBeNarrowEnough) {
  const std::vector<Double3> positions{{2, 2, 2}, {3.1, 2, 2}, {2, 1e7, 2}};
  const Resolution resolution = lennard_jones_in(Precision::single);
  const CellGrid grid = make_cell_grid(open_box, 2.5, positions, resolution);
  EXPECT_LE(grid.side[1], resolution.widest_cell());
  EXPECT_LE(std::abs(place(grid, positions[2]).offset[1]), 0.51 * grid.side[1]);
}

TEST(CellGrid, OneCrowdIsCoveredNotAStretchOfEach) {
  // Along x the pair is the fullest stretch; along y the two that share it with nobody.
  const std::vector<Double3> positions{{0, 1e9, 0}, {1.1, 1e9, 0}, {1e9, 0, 0}, {2e9, 1, 0}};
  const CellGrid grid =
      make_cell_grid(open_box, 2.5, positions, lennard_jones_in(Precision::mixed));
  EXPECT_EQ(grid.side[0], 2.5);
  EXPECT_EQ(grid.lower[0], 0.0);
  EXPECT_EQ(grid.lower[1], 1e9);
}

TEST(CellGrid, ACloudThatFitsInNarrowerCellsIsCoveredButForFew) {
  std::vector<Double3> positions;
  for (int i = 0; i < 1000; ++i)
    positions.push_back({i % 10 * 100.0, i / 10 % 10 * 100.0, i / 100 * 100.0});
  const CellGrid grid =
      make_cell_grid(open_box, 2.5, positions, lennard_jones_in(Precision::mixed));
  EXPECT_LE(grid.count(), 262144);
  int outside = 0;
  for (const Double3& position : positions) {
    const Double3 offset = place(grid, position).offset;
    bool inside = true;
    for (std::size_t d = 0; d < 3; ++d) inside &= std::abs(offset[d]) <= 0.5 * grid.side[d];
    outside += inside ? 0 : 1;
  }
  EXPECT_LE(outside, 1000 / 64);
}

TEST(CellGrid, WhatOneCellHoldsLiesAroundItsCentre) {
  // Gravity: its one cell has to be narrow where most bodies are.
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Double3> positions{{2, 2, 2}, {3.1, 2, 2}, {2, 3.3, 2}, {1e8, 2, 2}};
  const CellGrid grid = make_cell_grid(open_box, infinity, positions);
  EXPECT_EQ(grid.count(), 1);
  EXPECT_LE(grid.side[0], 2.0);
  EXPECT_LE(std::abs(place(grid, positions[0]).offset[0]), 1.0);
}

TEST(CellGrid, MoreCellsWhereDigitsNeedThem) {
  const Box box{{0, 0, 0}, {1e4, 1e4, 1e4}, {true, true, true}};
  const CellGrid coarse = make_cell_grid(box, 2.5, nobody);
  const Resolution mixed = lennard_jones_in(Precision::mixed);
  const CellGrid grid = make_cell_grid(box, 2.5, nobody, mixed);
  EXPECT_GT(coarse.side[0], mixed.fine_cell());
  EXPECT_LE(grid.side[0], 1.2 * mixed.fine_cell());
  EXPECT_EQ(make_cell_grid(box, 2.5, nobody, lennard_jones_in(Precision::double_)).cells,
            coarse.cells);
}

TEST(CellGrid, OrdinaryGridsDoNotDependOnTheResolution) {
  const std::vector<Double3> positions{{0, 0, 0}, {400, 300, 20}};
  for (const Bool3 periodic : {Bool3{true, true, true}, Bool3{false, false, false}}) {
    const Box box{{0, 0, 0}, {1000, 900, 30}, periodic};
    const CellGrid grid = make_cell_grid(box, 2.5, positions);
    for (const Precision precision : {Precision::single, Precision::mixed, Precision::double_}) {
      const CellGrid other = make_cell_grid(box, 2.5, positions, lennard_jones_in(precision));
      EXPECT_EQ(other.cells, grid.cells);
      EXPECT_EQ(other.side, grid.side);
      EXPECT_EQ(other.lower, grid.lower);
    }
  }
}

TEST(CellGrid, ACoarserGridCoversTheSameWithFewerCells) {
  const Box box{{-1, 0, 0}, {17.6, 7.6, 2.6}, {true, false, true}};
  const CellGrid grid = make_cell_grid(box, 2.5, {{0, 0, 0}, {0, 7.6, 0}});
  const CellGrid coarse = coarser_grid(grid, 2);
  EXPECT_EQ(grid.cells, (std::array<Index, 3>{7, 3, 1}));
  EXPECT_EQ(coarse.cells, (std::array<Index, 3>{3, 1, 1}));
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_DOUBLE_EQ(coarse.side[d] * coarse.cells[d], grid.side[d] * grid.cells[d]);
    EXPECT_EQ(coarse.lower[d], grid.lower[d]);
    EXPECT_EQ(coarse.periodic[d], grid.periodic[d]);
  }
  EXPECT_EQ(coarser_grid(grid, 1).cells, grid.cells);
}

TEST(CellGrid, PlacesWrapAndCountImages) {
  const Box box{{-5, -5, -5}, {10, 10, 10}, {true, true, true}};
  const CellGrid grid = make_cell_grid(box, 2.5, nobody);
  GridPlace there = place(grid, {7.0, -5.0, -25.5});
  EXPECT_EQ(there.image, (std::array<std::int32_t, 3>{1, 0, -3}));
  EXPECT_EQ(there.cell, (std::array<Index, 3>{0, 0, 3}));
  EXPECT_DOUBLE_EQ(there.offset[0], 0.75);  // from the centre
  const Double3 back = position_of(grid, there);
  EXPECT_DOUBLE_EQ(back[0], -3.0);
  EXPECT_DOUBLE_EQ(back[2], 4.5);
}

TEST(CellGrid, APlaceThatRoundingLeftOnTheUpperFaceIsWrapped) {
  const Box box{{0, 0, 0}, {10, 10, 10}, {true, false, true}};
  const CellGrid grid = make_cell_grid(box, 2.5, {{0, 0, 0}, {10, 10, 10}});
  GridPlace on_face{{3, 3, 0}, {1.25, 1.25, -1.25}, {0, 0, 0}};
  const Double3 position = position_of(grid, on_face);
  EXPECT_EQ(position[0], 0.0);
  EXPECT_EQ(position[1], 10.0);  // open: stays
  EXPECT_EQ(on_face.image, (std::array<std::int32_t, 3>{1, 0, 0}));
}

TEST(CellGrid, NeighboursWrapInPeriodicDirectionsOnly) {
  const GridView<float> grid{{3, 1, 4}, {1, 1, 1}, {1, 1, 1}, {true, true, false}};
  EXPECT_EQ(grid.wrap_x(-1), 2);
  EXPECT_EQ(grid.wrap_x(3), 0);
  EXPECT_EQ(grid.wrap_y(-1), 0);
  EXPECT_EQ(grid.wrap_y(1), 0);
  EXPECT_EQ(grid.wrap_z(-1), -1);
  EXPECT_EQ(grid.wrap_z(4), -1);
  for (Index i = 0; i < 12; ++i) EXPECT_EQ(grid.linear(grid.coordinates(i)), i);
}

TEST(CellGrid, LargestCell) {
  const Box box{{0, 0, 0}, {10, 10, 10}, {true, true, true}};
  const std::vector<Double3> positions{{1, 1, 1}, {1.1, 1, 1}, {9, 9, 9}, {11.5, 1, 1}};
  const CellGrid grid = make_cell_grid(box, 2.5, positions);
  EXPECT_EQ(largest_cell(grid, positions), 3);
}

}  // namespace
}  // namespace pencilbox::testing
