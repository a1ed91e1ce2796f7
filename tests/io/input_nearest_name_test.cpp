// "Did you mean ...?"
#include <gtest/gtest.h>

#include "io/input/nearest_name.hpp"

namespace pencilbox::testing {
namespace {

TEST(EditDistance, CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("cutoff", "cutoff"), 0);
  EXPECT_EQ(edit_distance("cutof", "cutoff"), 1);
  EXPECT_EQ(edit_distance("denisty", "density"), 1);
  EXPECT_EQ(edit_distance("Cut-Off", "cut_off"), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(NearestName, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> names{"type", "cutoff", "truncation"};
  EXPECT_EQ(nearest_name("cutof", names), "cutoff");
  EXPECT_EQ(nearest_name("truncatoin", names), "truncation");
  EXPECT_FALSE(nearest_name("zebra", names));
  EXPECT_FALSE(nearest_name(std::string(1000000, 'x'), names));
}

}  // namespace
}  // namespace pencilbox::testing
