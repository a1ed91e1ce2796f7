// Numbers as decks and start files write them.
#include <gtest/gtest.h>

#include "io/input/number.hpp"

namespace pencilbox::testing {
namespace {

TEST(ParseReal, ReadsWholeDecimalNumbers) {
  EXPECT_EQ(parse_real("2.5"), 2.5);
  EXPECT_EQ(parse_real("-1e-3"), -1e-3);
  EXPECT_EQ(parse_real("+3"), 3.0);
  EXPECT_EQ(parse_real(".5"), 0.5);
  EXPECT_EQ(parse_real("5."), 5.0);
  EXPECT_EQ(parse_real("0"), 0.0);
  EXPECT_EQ(parse_real("0.1"), 0.1);
  EXPECT_EQ(parse_real("16.795961913825074"), 16.795961913825074);
}

TEST(ParseReal, RefusesEverythingElse) {
  for (const char* text : {"",    " 1",  "1 ",  "abc",  "1.0e",     "1,5",   "0x10",  "1_000",
                           "yes", "nan", "inf", "-inf", "infinity", "1e999", "010",   "-01.5",
                           "+-1", "++1", "+",   "1.5x", ".inf",     ".nan",  "1e5.5", "--1"}) {
    EXPECT_FALSE(parse_real(text)) << '"' << text << '"';
  }
}

TEST(ParseInteger, ReadsIntegersAndWholeReals) {
  EXPECT_EQ(parse_integer("100"), 100);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("1e6"), 1000000);
  EXPECT_EQ(parse_integer("1.5e3"), 1500);
  EXPECT_EQ(parse_integer("20.0"), 20);
  EXPECT_EQ(parse_integer("9223372036854775807"), 9223372036854775807LL);
}

TEST(ParseInteger, RefusesEverythingElse) {
  for (const char* text : {"", "100.5", "1e30", "9223372036854775808", "0x10", "010", "1_000",
                           "yes", "1e-3", "nan", "inf"}) {
    EXPECT_FALSE(parse_integer(text)) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace pencilbox::testing
