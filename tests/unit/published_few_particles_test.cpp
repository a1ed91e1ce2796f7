// The particles of the first paper's benchmark against what is published of its fifteen rows.
#include <algorithm>

#include <gtest/gtest.h>

#include "app/bench/few_particles.hpp"

namespace pencilbox::testing {
namespace {

/// Particles of each cell, x fastest.
std::vector<std::int64_t> count_cells(const StartState& start, const FewParticlesRow& row) {
  const auto side = static_cast<std::size_t>(row.cells);
  std::vector<std::int64_t> counts(side * side * side, 0);
  const auto cell = [&row, side](double coordinate) {
    return std::min(side - 1, static_cast<std::size_t>(coordinate * row.cells));
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(row.particles()); ++i) {
    const auto& at = start.position[i];
    ++counts[(cell(at[2]) * side + cell(at[1])) * side + cell(at[0])];
  }
  return counts;
}

/// Adds to each cell what the two beside it hold, `stride` away in memory.
std::vector<std::int64_t> add_neighbors(const std::vector<std::int64_t>& counts, std::size_t stride,
                                        std::size_t side) {
  std::vector<std::int64_t> sums = counts;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const std::size_t coordinate = k / stride % side;
    if (coordinate > 0) sums[k] += counts[k - stride];
    if (coordinate + 1 < side) sums[k] += counts[k + stride];
  }
  return sums;
}

double interactions_per_particle(const std::vector<std::int64_t>& counts, std::int32_t cells) {
  const auto side = static_cast<std::size_t>(cells);
  std::vector<std::int64_t> around = counts;
  for (const std::size_t stride : {std::size_t{1}, side, side * side}) {
    around = add_neighbors(around, stride, side);
  }
  std::int64_t interactions = 0;
  std::int64_t particles = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    interactions += counts[k] * (around[k] - 1);
    particles += counts[k];
  }
  return static_cast<double>(interactions) / static_cast<double>(particles);
}

TEST(PublishedFewParticles, AllFifteenRowsAreExact) {
  const StartState start = few_particles_start(published_few_particles.back().row.particles());
  for (const PublishedRow& published : published_few_particles) {
    const FewParticlesRow& row = published.row;
    const auto counts = count_cells(start, row);
    EXPECT_EQ(*std::max_element(counts.begin(), counts.end()), published.largest_cell)
        << row.cells << " " << row.per_cell;
    const double interactions = interactions_per_particle(counts, row.cells);
    EXPECT_TRUE(has_digits(interactions, published.interactions))
        << interactions << " " << published.interactions;
    EXPECT_NEAR(row.expected_interactions(), interactions * static_cast<double>(row.particles()),
                0.15 * row.expected_interactions());
  }
}

TEST(PublishedFewParticles, FewerParticlesAreTheFirstOfMany) {
  const StartState few = few_particles_start(10);
  const StartState many = few_particles_start(1000);
  EXPECT_EQ(few.size(), 10);
  EXPECT_TRUE(std::equal(few.position.begin(), few.position.end(), many.position.begin()));
  for (const Double3& at : many.position) {
    for (const double x : at) EXPECT_TRUE(x > 0.0 && x <= 1.0);
  }
}

TEST(PublishedFewParticles, RowsThatAreNotPublishedHaveNoNumbers) {
  EXPECT_TRUE(find_published({32, 100}).has_value());
  EXPECT_FALSE(find_published({3, 10}).has_value());
}

TEST(PublishedFewParticles, DigitsAreThoseOfTheRoundedNumber) {
  EXPECT_TRUE(has_digits(208.0727, "208.1"));
  EXPECT_FALSE(has_digits(208.04, "208.1"));
  EXPECT_TRUE(has_digits(799.4, "799"));
  EXPECT_FALSE(has_digits(799.6, "799"));
}

}  // namespace
}  // namespace pencilbox::testing
