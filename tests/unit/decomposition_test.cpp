// Who owns which cells, and who sees them: by counting.
#include "app/ranks/decomposition.hpp"

#include <map>
#include <utility>

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

using Cell = std::array<Index, 3>;

CellGrid grid(Index x, Index y, Index z) {
  return {{-1.0, 2.0, 0.5}, {2.5, 2.75, 3.0}, {x, y, z}, {true, true, true}};
}

CellGrid open_in_x_and_z(CellGrid grid) {
  grid.periodic = {false, true, false};
  return grid;
}

template <class Visit>
void for_each_cell(const std::array<Index, 3>& cells, Visit&& visit) {
  for (Index z = 0; z < cells[2]; ++z) {
    for (Index y = 0; y < cells[1]; ++y) {
      for (Index x = 0; x < cells[0]; ++x) visit(Cell{x, y, z});
    }
  }
}

/// Each place of each rank's own grid shows the cell that lies there; beyond an open face none.
void expect_that_all_is_seen(const CellGrid& global, const RankGrid& ranks) {
  const Decomposition decomposition(global, ranks);
  std::map<std::pair<int, Index>, Cell> shown;
  for_each_cell(global.cells, [&](const Cell& cell) {
    const Index number = global.view<double>().linear({cell[0], cell[1], cell[2]});
    const int owner = decomposition.owner_of(number);
    EXPECT_TRUE(
        shown.emplace(std::pair(owner, decomposition.place_of_own(owner, number)), cell).second);
    EXPECT_EQ(decomposition.own_cell_at(owner, decomposition.place_of_own(owner, number)), number);
    decomposition.who_sees().for_each(
        {cell[0], cell[1], cell[2]}, [&](int rank, Index there, bool is_owner) {
          EXPECT_EQ(rank == owner, is_owner);
          if (is_owner) return;
          EXPECT_TRUE(shown.emplace(std::pair(rank, there), cell).second);
          EXPECT_EQ(decomposition.own_cell_at(rank, there), std::nullopt);
        });
  });
  std::size_t places = 0;
  for (int rank = 0; rank < decomposition.ranks(); ++rank) {
    const Domain domain = decomposition.domain(rank);
    places += static_cast<std::size_t>(domain.grid.count());
    for_each_cell(domain.grid.cells, [&](const Cell& place) {
      const auto found = shown.find(
          std::pair(rank, domain.grid.view<double>().linear({place[0], place[1], place[2]})));
      bool is_beyond = false;
      for (std::size_t d = 0; d < 3; ++d) {
        const Index global_cell = domain.first[d] - domain.margin[d] + place[d];
        const bool is_outside = global_cell < 0 || global_cell >= global.cells[d];
        is_beyond = is_beyond || (is_outside && !global.periodic[d]);
      }
      ASSERT_EQ(found == shown.end(), is_beyond);
      if (is_beyond) {
        --places;
        return;
      }
      for (std::size_t d = 0; d < 3; ++d) {
        const Index all = global.cells[d];
        const Index global_cell = domain.first[d] - domain.margin[d] + place[d];
        EXPECT_EQ(found->second[d], (global_cell + all) % all);
        EXPECT_NEAR(domain.grid.lower[d] + static_cast<double>(place[d]) * domain.grid.side[d],
                    global.lower[d] + static_cast<double>(global_cell) * global.side[d], 1e-12);
      }
    });
  }
  EXPECT_EQ(places, shown.size());
}

TEST(Decomposition, EachRankSeesItsCellsAndALayerAround) {
  expect_that_all_is_seen(grid(4, 3, 5), {1, 1, 1});
  expect_that_all_is_seen(grid(4, 3, 5), {2, 1, 1});
  expect_that_all_is_seen(grid(7, 3, 5), {3, 2, 2});
  expect_that_all_is_seen(grid(4, 3, 5), {4, 3, 5});
}

TEST(Decomposition, NobodyIsBeyondAnOpenFace) {
  expect_that_all_is_seen(open_in_x_and_z(grid(4, 3, 5)), {1, 1, 1});
  expect_that_all_is_seen(open_in_x_and_z(grid(4, 3, 5)), {2, 1, 1});
  expect_that_all_is_seen(open_in_x_and_z(grid(7, 3, 5)), {3, 2, 2});
  expect_that_all_is_seen(open_in_x_and_z(grid(2, 2, 2)), {2, 2, 2});
}

TEST(Decomposition, BothNeighboursMayBeTheSameRank) {
  expect_that_all_is_seen(grid(2, 3, 3), {2, 1, 1});
  expect_that_all_is_seen(grid(2, 2, 2), {2, 2, 2});
}

TEST(Decomposition, ADirectionIsPeriodicOnlyWhereOneRankHasItAll) {
  const Domain domain = Decomposition(grid(6, 4, 4), {3, 1, 2}).domain(1);
  EXPECT_EQ(domain.grid.periodic, (Bool3{false, true, false}));
  EXPECT_EQ(domain.grid.cells, (Cell{4, 4, 4}));
  EXPECT_EQ(domain.first, (Cell{2, 0, 0}));
}

TEST(Decomposition, DealsCellsOutEvenly) {
  const Decomposition decomposition(grid(10, 7, 3), {4, 3, 1});
  std::map<int, int> owned;
  for (Index cell = 0; cell < 10 * 7 * 3; ++cell) ++owned[decomposition.owner_of(cell)];
  ASSERT_EQ(owned.size(), 12U);
  for (const auto& [rank, count] : owned) {
    EXPECT_GE(count, 2 * 2 * 3) << rank;
    EXPECT_LE(count, 3 * 3 * 3) << rank;
  }
}

TEST(Decomposition, ManyRanksTakeTheGridWithTheFewestCopies) {
  EXPECT_EQ(rank_grid_with_fewest_copies({10, 10, 10}, 1), (RankGrid{1, 1, 1}));
  EXPECT_EQ(rank_grid_with_fewest_copies({10, 10, 10}, 4), (RankGrid{1, 1, 4}));
  EXPECT_EQ(rank_grid_with_fewest_copies({12, 12, 12}, 8), (RankGrid{1, 2, 4}));
  EXPECT_EQ(rank_grid_with_fewest_copies({64, 8, 8}, 4), (RankGrid{4, 1, 1}));
  EXPECT_EQ(rank_grid_with_fewest_copies({1, 1, 5}, 5), (RankGrid{1, 1, 5}));
  EXPECT_FALSE(rank_grid_with_fewest_copies({4, 3, 3}, 7));
}

TEST(Decomposition, RefusesRanksWithoutCells) {
  EXPECT_THROW(Decomposition(grid(4, 3, 5), {1, 4, 1}), std::logic_error);
  EXPECT_THROW(Decomposition(grid(4, 3, 5), {0, 1, 1}), std::logic_error);
}

}  // namespace
}  // namespace pencilbox::testing
