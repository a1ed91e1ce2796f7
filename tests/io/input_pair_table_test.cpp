// Tables of pair potentials: how they are written, and what is refused in which words.
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "io/input/pair_table.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Of Lennard-Jones; `force` is what a force is multiplied by.
std::string rows(int count, double force = 1.0, const char* format = "{:.8f},{:.10g},{:.10g}\n") {
  std::string text;
  for (int k = 0; k < count; ++k) {
    const double r = 0.8 + 1.7 * k / (count - 1), s6 = std::pow(r, -6);
    text += fmt::format(fmt::runtime(format), r, 4.0 * (s6 * s6 - s6),
                        force * 24.0 * (2.0 * s6 * s6 - s6) / r);
  }
  return text;
}

TEST(PairTable, IsReadWithCommasOrBlanksAndComments) {
  const PairTable commas = parse_pair_table("# argon\nr,energy,force\n" + rows(171), "a.csv");
  EXPECT_DOUBLE_EQ(commas.first, 0.8);
  EXPECT_NEAR(commas.spacing, 0.01, 1e-14);
  EXPECT_DOUBLE_EQ(commas.cutoff, 2.5);
  ASSERT_EQ(commas.energy.size(), 171U);
  EXPECT_NEAR(commas.at(1.0).force_over_r, 24.0, 1e-8);
  const PairTable blanks = parse_pair_table(
      "\n r  energy  force  # sigma, epsilon\r\n" + rows(171, 1.0, "  {:.8f}  {:.10g} {:.10g}\n"),
      "a.txt");
  EXPECT_EQ(blanks.energy, commas.energy);
  EXPECT_EQ(blanks.force, commas.force);
}

TEST(PairTable, TakesAsManyDigitsAsPeopleWrite) {
  const std::string text = "r energy force\n" + rows(3401, 1.0, "{:.6f} {:.6f} {:.6f}\n");
  EXPECT_EQ(parse_pair_table(text, "a").energy.size(), 3401U);
}

struct BadTable {
  const char* name;
  std::string text;
  const char* says;
  const char* also;
};

class RefusedTable : public ::testing::TestWithParam<BadTable> {};

TEST_P(RefusedTable, InOneLine) {
  try {
    parse_pair_table(GetParam().text, "t.csv");
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("t.csv"), HasSubstr(GetParam().says), HasSubstr(GetParam().also)));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

const std::string head = "r,energy,force\n";

std::string without_row(int row) {
  std::string text = rows(171);
  std::size_t begin = 0;
  for (int k = 0; k < row; ++k) begin = text.find('\n', begin) + 1;
  return text.erase(begin, text.find('\n', begin) + 1 - begin);
}

INSTANTIATE_TEST_SUITE_P(
    PairTable, RefusedTable,
    ::testing::Values(
        BadTable{"empty", "", "no head of a table", "allowed r,energy,force"},
        BadTable{"no_head", rows(171), "t.csv:1", "no head of a table"},
        BadTable{"lammps", "LJ\nN 100\n1 0.8 1 2\n", "t.csv:1: no head", "got LJ"},
        BadTable{"few", head + "1,0,0\n1.1,0,0\n", "too few rows", "got 2"},
        BadTable{"columns", head + "1,0\n", "t.csv:2: row", "r energy force"},
        BadTable{"word", head + "1,0,zero\n", "t.csv:2: force", "zero"},
        BadTable{"nan", head + "1,nan,0\n", "t.csv:2: energy", "nan"},
        BadTable{"zero", head + "0,0,0\n", "t.csv:2: r: not a distance", "more than 0"},
        BadTable{"backwards", head + "1,0,0\n1.1,0,0\n1.05,0,0\n1.2,0,0\n",
                 "t.csv:4: r: rows out of order", "more than 1.1"},
        BadTable{"twice", head + "1,0,0\n1,0,0\n", "t.csv:3: r: rows out of order", "more than 1"},
        BadTable{"gap", head + without_row(80), "rows are not evenly spaced", "170 rows from"},
        BadTable{"sign", head + rows(171, -1.0), "energy and force contradict", "by the forces"},
        BadTable{"unit", head + rows(171, 4.184), "energy and force contradict", "by the forces"},
        BadTable{"potential_of_r", head + rows(171, 0.8), "contradict", "by the forces"},
        BadTable{"coarse", head + rows(12), "contradict", "nearer to each other"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace pencilbox::testing
