// Counts behind the shares of a chip, and how repeats become a number.
#include "app/compare/ceilings.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "app/bench/few_particles.hpp"
#include "app/bench/measurement.hpp"
#include "app/bench/published.hpp"

namespace pencilbox::testing {
namespace {

DeviceProperties a_chip() {
  DeviceProperties device;
  device.issue_per_s = 1e12;
  device.memory_bytes_per_s = 1e11;
  return device;
}

TEST(Ceilings, IssueShareCountsCandidatesAndPartners) {
  BackendStats stats;
  stats.candidates_per_particle = 100.0;
  stats.pairs_in_range = 5000.0;
  // 1,000 x 100 x 8 + 2 x 5,000 x 11 = 910,000 instructions in a microsecond of a million.
  EXPECT_DOUBLE_EQ(issue_share(a_chip(), stats, 1000, LennardJonesModel{}, Precision::single, 1e-6),
                   0.91);
  EXPECT_TRUE(std::isnan(
      issue_share(a_chip(), stats, 1000, LennardJonesModel{}, Precision::double_, 1e-6)));
  EXPECT_TRUE(std::isnan(
      issue_share(a_chip(), stats, 1000, SoftenedGravityModel{}, Precision::single, 1e-6)));
  EXPECT_TRUE(
      std::isnan(issue_share({}, stats, 1000, LennardJonesModel{}, Precision::single, 1.0)));
}

TEST(Ceilings, BytesOfAStep) {
  // By hand, out of what the kernels of a step index by particle (integrators, core/arrival.hpp,
  // neighbor/cells/binning.cpp, neighbor/walks/target_walk.hpp), one type, in single, 4 bytes each:
  //   move      x y z, velocity, force, cell in (10); x y z, velocity, ticket out (7)
  //   reorder   cell, ticket, x y z, velocity, id, image in (12); as much less the ticket out (11)
  //   forces    x y z, cell in (4); force out (3)
  EXPECT_EQ(least_bytes_per_step(Precision::single), 4 * (17 + 23 + 7));
  // Twice as long are x y z, velocity and force: 15 of the move's, 12 of reorder's, all but a cell
  // of the forces'.
  EXPECT_EQ(least_bytes_per_step(Precision::double_), 4 * (17 + 23 + 7) + 4 * (15 + 12 + 6));
  // Mixed reads x y z for pairs in 4 bytes each, for which reorder writes them once more: equal.
  EXPECT_EQ(least_bytes_per_step(Precision::mixed), least_bytes_per_step(Precision::double_));
  // 188 bytes of 1,000 particles in 10 us of 100 bytes a ns.
  EXPECT_DOUBLE_EQ(bandwidth_share(a_chip(), 1000, Precision::single, 1e-5), 0.188);
  EXPECT_TRUE(std::isnan(bandwidth_share({}, 1000, Precision::single, 1e-5)));
}

TEST(Measurement, MedianAndSpread) {
  const Spread odd = spread_of({3.0, 1.0, 2.0});
  EXPECT_EQ(odd.median, 2.0);
  EXPECT_EQ(odd.least, 1.0);
  EXPECT_EQ(odd.most, 3.0);
  EXPECT_EQ(odd.relative(), 1.0);
  EXPECT_EQ(spread_of({4.0, 1.0}).median, 2.5);
  EXPECT_TRUE(std::isnan(spread_of({}).median));
}

TEST(Measurement, TheCommandCanBeTypedAgain) {
  const char* words[] = {
      "/some/where/pencilbox", "compare", "a b.yaml", "--set", "x=[1, 2]", "it's"};
  EXPECT_EQ(command_line(6, words), "pencilbox compare 'a b.yaml' --set 'x=[1, 2]' 'it'\\''s'");
}

TEST(Published, EveryRowOfFennsIsThereOnce) {
  for (int scenario = 1; scenario <= 3; ++scenario) {
    for (const std::int64_t particles : {1024, 8192, 65536, 524288, 4194304}) {
      for (const double radius : {scenario == 3 ? 0.3 : 0.2, 0.5, 0.8, 1.0}) {
        const PublishedSearch* row = find_published_search(scenario, particles, radius);
        ASSERT_NE(row, nullptr) << scenario << " " << particles << " " << radius;
        for (const auto& method : {row->hoetzlein, row->green, row->fenns}) {
          EXPECT_GT(method.gtx_1080_ti, 0.0);
          EXPECT_GT(method.titan_x, 0.0);
        }
      }
    }
  }
  EXPECT_EQ(find_published_search(1, 1024, 0.3), nullptr);
  EXPECT_EQ(find_published_search(1, 4194304, 1.0)->fenns.titan_x, 59.71);
  EXPECT_EQ(find_published_search(2, 4194304, 0.2)->hoetzlein.gtx_1080_ti, 419.90);
  EXPECT_EQ(find_published_search(3, 1024, 0.3)->green.titan_x, 8.53);
}

TEST(Published, EveryRowOfTheFirstPaperHasItsTimes) {
  for (const PublishedRow& row : published_few_particles) {
    const auto* times = find_published_times(row.row.cells, row.row.per_cell);
    ASSERT_NE(times, nullptr) << row.interactions;
    for (const auto& chip : {times->t600, times->a100, times->mi210, times->h200}) {
      EXPECT_GT(chip.par_part_no_loop, 1e-6);
      EXPECT_LT(chip.x_pencil, 1.0);
    }
  }
  EXPECT_EQ(find_published_times(32, 100)->t600.x_pencil, 2.2e-1);
  EXPECT_EQ(find_published_times(2, 1)->h200.par_part_no_loop, 3.86e-6);
}

}  // namespace
}  // namespace pencilbox::testing
