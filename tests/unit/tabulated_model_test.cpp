// Between the rows of a table: the order of its error, and a force that is the energy's slope.
#include "core/interactions/tabulated_model.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/interactions/tabulated.hpp"

namespace pencilbox::testing {
namespace {

PairTerm<double> formula(double r) {
  const double s6 = std::pow(r, -6);
  return {24.0 * (2.0 * s6 * s6 - s6) / (r * r), 4.0 * (s6 * s6 - s6)};
}

PairTable table_with(int rows) {
  PairTable table{0.8, 1.7 / (rows - 1), 2.5, {}, {}};
  for (int k = 0; k < rows; ++k) {
    const double r = table.first + k * table.spacing;
    table.energy.push_back(formula(r).energy);
    table.force.push_back(formula(r).force_over_r * r);
  }
  return table;
}

struct Errors {
  double energy = 0.0, force = 0.0;
};

Errors largest_errors(const PairTable& table) {
  Errors largest;
  for (int k = 1; k < 40000; ++k) {
    const double r = 0.8 + 1.7 * k / 40000.0;
    const PairTerm<double> found = table.at(r), right = formula(r);
    largest.energy = std::max(largest.energy, std::abs(found.energy - right.energy));
    largest.force = std::max(largest.force, r * std::abs(found.force_over_r - right.force_over_r));
  }
  return largest;
}

TEST(TabulatedModel, ErrsByTheFourthPowerOfTheSpacing) {
  const Errors coarse = largest_errors(table_with(426)), fine = largest_errors(table_with(851));
  EXPECT_NEAR(coarse.energy / fine.energy, 16.0, 1.0);
  EXPECT_NEAR(coarse.force / fine.force, 8.0, 0.5);
  // The bounds of the header: the fourth derivative is largest at the first row.
  const double h = 1.7 / 425.0,
               fourth = 4.0 * (32760.0 * std::pow(0.8, -16) - 3024.0 * std::pow(0.8, -10));
  EXPECT_LE(coarse.energy, h * h * h * h / 384.0 * fourth);
  EXPECT_GE(coarse.energy, 0.9 * h * h * h * h / 384.0 * fourth);
  EXPECT_LE(coarse.force, h * h * h * std::sqrt(3.0) / 216.0 * fourth);
}

TEST(TabulatedModel, ItsForceIsTheSlopeOfItsEnergy) {
  const PairTable table = table_with(30);
  constexpr double h = 1e-5;
  for (double r = 0.81; r < 2.45; r += 0.0173) {
    const double slope = (table.at(r + h).energy - table.at(r - h).energy) / (2.0 * h);
    EXPECT_NEAR(-slope, table.at(r).force_over_r * r, 1e-6 * std::max(1.0, std::abs(slope))) << r;
  }
}

TEST(TabulatedModel, HasItsRowsAsTheyAre) {
  const PairTable table = table_with(40);
  for (std::size_t k = 0; k < 40; ++k) {
    const double r = table.first + static_cast<double>(k) * table.spacing;
    EXPECT_NEAR(table.at(r).energy, table.energy[k],
                1e-12 * std::max(1.0, std::abs(table.energy[k])));
    EXPECT_NEAR(table.at(r).force_over_r * r, table.force[k],
                1e-10 * std::max(1.0, std::abs(table.force[k])));
  }
}

TEST(TabulatedModel, TheFunctorOfDevicesIsTheSame) {
  const TabulatedModel model{1, {table_with(300)}, {0}};
  const TablesAndPieces<double> all = tables_and_pieces<double>(model);
  const TabulatedPairs<double> functor{all.tables.data(), all.pieces.data(), 1, 6.25, 6.25};
  for (double r = 0.8001; r < 2.5; r += 0.0171) {
    const PairTerm<double> mine = functor(r * r, 0, 0), right = model.tables[0].at(r);
    EXPECT_NEAR(mine.energy, right.energy, 1e-12 * std::max(1.0, std::abs(right.energy))) << r;
    EXPECT_NEAR(mine.force_over_r, right.force_over_r,
                1e-11 * std::max(1.0, std::abs(right.force_over_r)))
        << r;
  }
  EXPECT_EQ(functor(2.51 * 2.51, 0, 0).energy, 0.0);
  EXPECT_TRUE(std::isnan(functor(0.79 * 0.79, 0, 0).energy));
  EXPECT_TRUE(std::isnan(functor(0.01, 0, 0).force_over_r));
}

}  // namespace
}  // namespace pencilbox::testing
