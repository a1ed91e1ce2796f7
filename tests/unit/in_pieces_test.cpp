#include "core/in_pieces.hpp"

#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

#include "core/lattice.hpp"
#include "core/velocities.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox::testing {
namespace {

constexpr std::int64_t three_pieces_and_some = 3 * particles_of_a_piece + 17;

/// For as long as it lives.
class WithThreads {
 public:
  explicit WithThreads(const char* number) { setenv("OMP_NUM_THREADS", number, 1); }
  ~WithThreads() { unsetenv("OMP_NUM_THREADS"); }
};

TEST(InPieces, MakeUpTheWhole) {
  for (const char* threads : {"1", "2", "7"}) {
    const WithThreads some(threads);
    for (const std::int64_t count :
         {std::int64_t{0}, std::int64_t{1}, particles_of_a_piece, three_pieces_and_some}) {
      std::vector<int> visits(static_cast<std::size_t>(count), 0);
      for_each_piece(count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), std::int64_t{0}), count);
      EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; }));
    }
  }
}

TEST(InPieces, ComeInTheirOrder) {
  const WithThreads some("3");
  const auto begins = of_each_piece<std::int64_t>(
      three_pieces_and_some, [](std::int64_t begin, std::int64_t) { return begin; });
  ASSERT_EQ(begins.size(), 4U);
  for (std::size_t p = 0; p < begins.size(); ++p) {
    EXPECT_EQ(begins[p], static_cast<std::int64_t>(p) * particles_of_a_piece);
  }
}

TEST(InPieces, ThrowWhatTheFirstOfThemThrows) {
  for (const char* threads : {"1", "4"}) {
    const WithThreads some(threads);
    const auto fails_from_the_second_on = [](std::int64_t begin, std::int64_t) {
      if (begin > 0) throw std::runtime_error(std::to_string(begin / particles_of_a_piece));
    };
    try {
      for_each_piece(three_pieces_and_some, fails_from_the_second_on);
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "1");
    }
  }
}

/// More than two pieces.
StartState large_crystal() {
  StartState start = make_lattice(
      {.type = LatticeType::fcc, .density = 0.8442, .cells = {53, 52, 51}}, {true, true, true});
  draw_velocities(start, 1.44, 3);
  return start;
}

TEST(LargeStarts, HaveTheSameBitsOnAnyNumberOfCores) {
  const auto made_with = [](const char* threads) {
    const WithThreads some(threads);
    return large_crystal();
  };
  const StartState one = made_with("1"), five = made_with("5");
  ASSERT_GT(one.size(), 2 * particles_of_a_piece);
  EXPECT_EQ(one.position, five.position);
  EXPECT_EQ(one.velocity, five.velocity);
}

TEST(LargeStarts, AreAtRestAndAsHotAsTheyShould) {
  const StartState start = large_crystal();
  Double3 momentum{};
  for (const Double3& velocity : start.velocity) {
    for (std::size_t d = 0; d < 3; ++d) momentum[d] += velocity[d];
  }
  for (const double component : momentum) EXPECT_LT(std::abs(component), 1e-9);
  EXPECT_NEAR(kinetic_temperature(start), 1.44, 1e-14);
}

TEST(LargeStarts, LieWhereTheLatticeSays) {
  const StartState start = large_crystal();
  const double constant = std::cbrt(4.0 / 0.8442);
  // Atom 2 of cell (7, 11, 50).
  const std::size_t row = 4 * ((50 * 52 + 11) * 53 + 7) + 2;
  EXPECT_EQ(start.id[row], static_cast<ParticleId>(row + 1));
  EXPECT_DOUBLE_EQ(start.position[row][0], 7.5 * constant);
  EXPECT_DOUBLE_EQ(start.position[row][1], 11.0 * constant);
  EXPECT_DOUBLE_EQ(start.position[row][2], 50.5 * constant);
}

TEST(LargeStarts, FillCellsAsTheyAreCountedOneByOne) {
  const StartState start = large_crystal();
  const CellGrid grid = make_periodic_grid(start.box, 2.5, start.position.size(), {});
  std::vector<Index> counts(static_cast<std::size_t>(grid.count()), 0);
  for (const Double3& position : start.position) {
    const auto [x, y, z] = place(grid, position).cell;
    ++counts[static_cast<std::size_t>(grid.view<double>().linear({x, y, z}))];
  }
  EXPECT_EQ(largest_cell(grid, start.position), *std::max_element(counts.begin(), counts.end()));
}

}  // namespace
}  // namespace pencilbox::testing
