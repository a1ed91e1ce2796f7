// Which cells ranks get: as much work for each as whole cells allow.
#include "app/ranks/sharing.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "app/ranks/rank_device.hpp"

namespace pencilbox::testing {
namespace {

CellGrid cube(Index cells) {
  return {{0.0, 0.0, 0.0}, {2.5, 2.5, 2.5}, {cells, cells, cells}, {true, true, true}};
}

/// So many in each cell within `radius` cells of this one.
std::vector<std::int64_t> droplet(const CellGrid& grid, const std::array<Index, 3>& middle,
                                  double radius) {
  std::vector<std::int64_t> particles;
  for (Index z = 0; z < grid.cells[2]; ++z) {
    for (Index y = 0; y < grid.cells[1]; ++y) {
      for (Index x = 0; x < grid.cells[0]; ++x) {
        const double away = std::hypot(x - middle[0], y - middle[1], z - middle[2]);
        particles.push_back(away < radius ? 14 : (x + y + z) % 8 == 0);
      }
    }
  }
  return particles;
}

RankWish wish(std::optional<RankGrid> grid = {}, Balance balance = Balance::best) {
  RankWish one;
  one.grid = grid;
  one.balance = balance;
  return one;
}

TEST(Sharing, IsEvenWhereParticlesAre) {
  const CellGrid grid = cube(8);
  const std::vector<std::int64_t> particles(512, 14);
  for (const int ranks : {1, 2, 4, 8}) {
    const Sharing sharing = share_cells(grid, particles, wish(), ranks);
    EXPECT_EQ(sharing.cuts,
              even_cuts(grid.cells, *rank_grid_with_fewest_copies(grid.cells, ranks)));
    EXPECT_NEAR(sharing.busiest, 1.0, 0.05);
  }
}

TEST(Sharing, OfADropletInACornerEachHasAPart) {
  const CellGrid grid = cube(24);
  const auto particles = droplet(grid, {7, 7, 7}, 6.0);
  for (const int ranks : {2, 3, 4, 8}) {
    const Sharing even = share_cells(grid, particles, wish({}, Balance::off), ranks);
    const Sharing shared = share_cells(grid, particles, wish(), ranks);
    EXPECT_GT(even.busiest, 1.6) << ranks;
    EXPECT_LT(shared.busiest, 1.45) << ranks;
    EXPECT_LT(shared.busiest, 0.8 * even.busiest) << ranks;
    EXPECT_NO_THROW(Decomposition(grid, shared.cuts));
  }
}

TEST(Sharing, KeepsTheGridThatIsAskedFor) {
  const CellGrid grid = cube(24);
  const auto particles = droplet(grid, {4, 4, 19}, 5.0);
  for (const RankGrid& ranks : {RankGrid{4, 1, 1}, RankGrid{2, 2, 1}, RankGrid{1, 2, 4}}) {
    const Sharing shared =
        share_cells(grid, particles, wish(ranks), ranks[0] * ranks[1] * ranks[2]);
    EXPECT_EQ(ranks_of(shared.cuts), ranks);
    const int number = ranks[0] * ranks[1] * ranks[2];
    EXPECT_LT(shared.busiest,
              0.7 * share_cells(grid, particles, wish(ranks, Balance::off), number).busiest);
  }
}

/// However little there is in most of them.
TEST(Sharing, LeavesNobodyWithoutCells) {
  const CellGrid grid = cube(6);
  std::vector<std::int64_t> particles(216, 0);
  particles[0] = 1000;
  for (const RankGrid& ranks : {RankGrid{6, 1, 1}, RankGrid{1, 6, 6}, RankGrid{2, 3, 1}}) {
    const Sharing shared =
        share_cells(grid, particles, wish(ranks), ranks[0] * ranks[1] * ranks[2]);
    EXPECT_NO_THROW(Decomposition(grid, shared.cuts));
  }
  EXPECT_THROW(share_cells(grid, particles, wish(), 7 * 31), RanksRefusal);
}

TEST(Sharing, CountsWhereParticlesAreWhateverGridTheyComeWith) {
  const CellGrid grid = cube(4);
  StartState start;
  start.position = {{0.1, 0.1, 0.1}, {9.9, 0.1, 0.1}, {-0.1, 0.1, 0.1}, {12.4, 12.6, 22.6}};
  const auto counted = particles_in_cells(grid, start);
  EXPECT_EQ(std::accumulate(counted.begin(), counted.end(), std::int64_t{0}), 4);
  EXPECT_EQ(counted[0], 1);
  EXPECT_EQ(counted[3], 2);
  EXPECT_EQ(counted[0 + 4 * 1 + 16 * 1], 1);

  ExactState state;
  state.grid = {{0.0, 0.0, 0.0}, {5.0, 5.0, 5.0}, {2, 2, 2}};
  state.cell = {{0, 0, 0}, {1, 0, 1}};
  state.offset = {{-2.4, -2.4, -2.4}, {2.4, -2.4, 0.1}};
  const auto of_state = particles_in_cells(grid, state);
  EXPECT_EQ(of_state[0], 1);
  EXPECT_EQ(of_state[3 + 16 * 3], 1);
}

}  // namespace
}  // namespace pencilbox::testing
