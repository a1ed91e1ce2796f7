// How x-pencil is launched, by numbers that are worked out by hand from the paper's rules.
#include "neighbor/backends/x_pencil/pencil_rules.hpp"

#include <gmock/gmock.h>

namespace pencilbox::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t table_bytes = 400;  // of nine pencils
constexpr std::int64_t source_bytes = 16;

/// A grid of side^3 cells, ten particles a cell on average, on a device like an H200.
Problem problem(Index side, Index largest_cell) {
  Problem problem;
  problem.grid.cells = {side, side, side};
  problem.particles = 10 * side * side * side;
  problem.largest_cell = largest_cell;
  problem.device.multiprocessors = 132;
  problem.device.shared_bytes_opt_in = 227 * 1024;
  return problem;
}

PencilRules rules(const Problem& of, const BackendOptions& chosen = {}) {
  BackendOptions options;
  for (const OptionInfo& option : PencilRules::options())
    options[option.name] = option.default_value;
  for (const auto& [name, value] : chosen) options.at(name) = value;
  return {of, options, table_bytes, source_bytes};
}

Index only_length(const PencilRules& rules) {
  const std::vector<PencilShape> shapes = rules.shapes_to_try();
  EXPECT_EQ(shapes.size(), 1U);
  return shapes.at(0).length;
}

TEST(PencilRules, ThePapersPencilIsAsLongAsTheRow) {
  const PencilRules published = rules(problem(16, 20));
  const PencilShape shape = published.shapes_to_try().at(0);
  EXPECT_EQ(only_length(published), 16);  // 48,752 bytes hold 152 cells; 256 blocks
  EXPECT_EQ(shape.lanes, 1);
  EXPECT_EQ(published.blocks_with(16), 256);
  const int threads = published.threads_of(shape);
  EXPECT_EQ(threads, 384);  // 20 (16 + 2) = 360, whole warps
  const PencilLayout layout = published.layout_of(shape, threads);
  EXPECT_EQ(layout.length, 16);
  EXPECT_EQ(layout.per_row, 1);
  EXPECT_EQ(layout.half, 360);
  EXPECT_FALSE(layout.across_pencils);
}

TEST(PencilRules, ThePapersPencilShrinksWhileMultiprocessorsIdle) {
  // 64 rows: 4 cells a pencil make 128 blocks, 3 make 192.
  EXPECT_EQ(only_length(rules(problem(8, 20))), 3);
}

TEST(PencilRules, ThePapersPencilHasNoMoreTargetsAndGhostsThanABlockHasThreads) {
  EXPECT_EQ(only_length(rules(problem(16, 200))), 3);  // 1024 / 200 = 5, two of them ghosts
  EXPECT_EQ(only_length(rules(problem(16, 600))), 1);
}

TEST(PencilRules, RefusesWhereThreeCellsDoNotFit) {
  EXPECT_FALSE(rules(problem(16, 1015)).refuse());
  const auto reason = rules(problem(16, 1016)).refuse();
  ASSERT_TRUE(reason);
  EXPECT_THAT(*reason, HasSubstr("48752 bytes hold 2 cells of 1016 particles"));
  EXPECT_FALSE(rules(problem(16, 1016), {{"shared_memory", "device"}}).refuse());
}

TEST(PencilRules, APencilGetsShorterWhenCellsFill) {
  PencilRules published = rules(problem(16, 20));
  const PencilShape shape = published.shapes_to_try().at(0);
  published.occupancy_changed(400);  // 48,752 bytes hold 7 cells, two of them ghosts
  EXPECT_EQ(published.fitting(shape).length, 5);
  published.occupancy_changed(100000);
  EXPECT_EQ(published.fitting(shape).length, 1);
  const PencilLayout layout = published.layout_of(published.fitting(shape), 1024);
  EXPECT_EQ(layout.half, 48752 / 32) << "no more than half of shared memory: it comes in pieces";
}

TEST(PencilRules, TheBestIsLookedForAmongEvenCutsOfARow) {
  std::vector<Index> lengths;
  const std::vector<PencilShape> shapes =
      rules(problem(16, 20), {{"length", "best"}}).shapes_to_try();
  for (const PencilShape& shape : shapes) {
    if (shape.threads == PencilThreads::targets && shape.lanes == 1) {
      lengths.push_back(shape.length);
    }
  }
  EXPECT_THAT(lengths, ElementsAre(16, 8, 6, 4, 3, 2, 1));
  EXPECT_EQ(shapes.size(), 4 * lengths.size()) << "two rules for threads, 1 or 8 for a target";
}

TEST(PencilRules, OnlyWhatGivesTheSameBitsIsTriedWhereTheyCount) {
  Problem same_bits = problem(16, 20);
  same_bits.deterministic = true;
  for (const PencilShape& shape : rules(same_bits, {{"length", "best"}}).shapes_to_try()) {
    EXPECT_EQ(shape.lanes, 1);
  }
}

TEST(PencilRules, ThreadsForTheAveragePencilAreFewerThanForTheFullest) {
  const PencilRules best = rules(problem(16, 20), {{"length", "best"}});
  EXPECT_EQ(best.threads_of({16, PencilThreads::targets, 1}), 320);
  EXPECT_EQ(best.threads_of({16, PencilThreads::average, 1}), 224);  // 160 + 3 sqrt(160) = 197
  EXPECT_EQ(best.threads_of({16, PencilThreads::average, 8}), 1024);
  const PencilLayout layout = best.layout_of({16, PencilThreads::average, 1}, 224);
  EXPECT_TRUE(layout.across_pencils);
  EXPECT_EQ(layout.half, 672) << "three sources a thread";
}

}  // namespace
}  // namespace pencilbox::testing
