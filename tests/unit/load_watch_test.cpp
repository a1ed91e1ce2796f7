// When ranks deal out their cells anew.
#include "app/ranks/load_watch.hpp"

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

TEST(LoadWatch, DealsAnewOnceWaitingHasCostAsMuch) {
  LoadWatch watch;
  watch.dealt(2.0);
  watch.look({3.0, 1.0});
  EXPECT_FALSE(watch.should_deal()) << "a second was waited for";
  watch.look({9.0, 3.0});
  EXPECT_TRUE(watch.should_deal()) << "three were";
  EXPECT_DOUBLE_EQ(watch.load().busiest, 1.5);
  EXPECT_EQ(watch.load().dealt, 0) << "the first is none";
}

TEST(LoadWatch, LittleIsNotWorthIt) {
  LoadWatch watch;
  watch.dealt(0.001);
  watch.look({1050.0, 950.0});
  EXPECT_FALSE(watch.should_deal());
}

TEST(LoadWatch, IsMorePatientWhereItDidNotHelp) {
  LoadWatch watch;
  watch.dealt(1.0);
  watch.look({6.0, 2.0});
  EXPECT_TRUE(watch.should_deal());
  watch.dealt(1.0);
  EXPECT_FALSE(watch.should_deal());
  watch.look({6.0, 2.5});
  EXPECT_FALSE(watch.should_deal()) << "the same again: 1.75 s are less than two";
  watch.look({12.0, 5.0});
  EXPECT_TRUE(watch.should_deal());
  watch.dealt(1.0);
  watch.look({8.1, 7.9});
  EXPECT_FALSE(watch.should_deal());
  EXPECT_EQ(watch.load().dealt, 2);
  EXPECT_DOUBLE_EQ(watch.load().busiest, 1.0 + (2.0 + 3.5 + 0.1) / (4.0 + 8.5 + 8.0));
}

TEST(LoadWatch, NobodyWhoIsTimedIsNoLoad) {
  LoadWatch watch;
  watch.dealt(1.0);
  watch.look({});
  watch.look({0.0, 0.0});
  EXPECT_FALSE(watch.should_deal());
  EXPECT_EQ(watch.load().busiest, 1.0);
}

TEST(LoadWatch, LooksSoonThenSeldom) {
  LoadWatch watch;
  watch.dealt(1.0);
  const std::int64_t soon = watch.steps_to_look();
  watch.advanced(soon);
  EXPECT_EQ(watch.steps_to_look(), 0);
  watch.look({1.0, 1.0});
  EXPECT_GT(watch.steps_to_look(), soon);
}

}  // namespace
}  // namespace pencilbox::testing
