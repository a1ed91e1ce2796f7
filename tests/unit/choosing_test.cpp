// How many steps the trials of a choice ask for, and when they are over.
#include "app/engine/choosing.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

/// So many candidates, each a family of its own.
Choosing choosing(const std::vector<bool>& keeps_list) {
  std::vector<TrialCandidate> candidates;
  for (std::size_t k = 0; k < keeps_list.size(); ++k) candidates.push_back({k, k, 0.0});
  return {candidates, keeps_list, false};
}

TEST(Choosing, ALongStepThatIsMuchSlowerIsOneOfItsKind) {
  Choosing choice = choosing({false, false, false});
  EXPECT_EQ(choice.steps_wanted(0), 2);
  EXPECT_TRUE(choice.note(2e-3, 2, 2, 0));
  EXPECT_EQ(choice.active(), 1U);
  EXPECT_EQ(choice.steps_wanted(0), 1);
  EXPECT_TRUE(choice.note(1.6e-3, 1, 1, 0)) << "1.6 times the fastest: a second would tell no more";
  EXPECT_EQ(choice.active(), 2U);
  EXPECT_EQ(choice.steps_wanted(0), 1);
  EXPECT_FALSE(choice.note(1.4e-3, 1, 1, 0));
  EXPECT_EQ(choice.steps_wanted(0), 1);
  EXPECT_TRUE(choice.note(1.4e-3, 1, 1, 0));
}

TEST(Choosing, ShortStepsComeInPairs) {
  Choosing choice = choosing({false, false});
  EXPECT_TRUE(choice.note(40e-6, 2, 2, 0));
  EXPECT_EQ(choice.steps_wanted(0), 2);
  EXPECT_TRUE(choice.note(400e-6, 2, 2, 0));
}

TEST(Choosing, WhatATrialOfAListStillNeedsComesInOneBatch) {
  Choosing choice = choosing({true, false});
  EXPECT_EQ(choice.steps_wanted(0), 16) << "nothing is known of its cycles";
  EXPECT_FALSE(choice.note(320e-6, 16, 1, 15));
  for (int k = 0; k < 2; ++k) {  // the first of these cycles is that of a second list
    EXPECT_EQ(choice.steps_wanted(15), 16) << "a whole cycle, noted in a graph";
    EXPECT_FALSE(choice.note(160e-6, 16, 1, 15));
  }
  EXPECT_EQ(choice.steps_wanted(15), 302) << "3 ms of steps of 10 us";
  EXPECT_FALSE(choice.note(2e-3, 302, 20, 15)) << "they were faster than that";
  EXPECT_EQ(choice.steps_wanted(15), 467 - 302);
  EXPECT_TRUE(choice.note(1.1e-3, 165, 11, 15));
  EXPECT_EQ(choice.active(), 1U);
}

TEST(Choosing, OfLongStepsWholeCyclesAreATrial) {
  Choosing choice = choosing({true, false});
  EXPECT_EQ(choice.steps_wanted(0), 16);
  EXPECT_FALSE(choice.note(16e-3, 16, 1, 10)) << "the first list does not look ahead";
  EXPECT_EQ(choice.steps_wanted(10), 11);
  EXPECT_FALSE(choice.note(11e-3, 11, 1, 10)) << "and the second not far enough";
  EXPECT_EQ(choice.steps_wanted(10), 11);
  EXPECT_TRUE(choice.note(11e-3, 11, 1, 10));
}

TEST(Choosing, AListThatHoldsForLongIsJudgedWithoutARebuild) {
  Choosing choice = choosing({true, false});
  for (int k = 0; k < 7; ++k) EXPECT_FALSE(choice.note(16e-3, 16, 0, 0));
  EXPECT_TRUE(choice.note(16e-3, 16, 0, 0));
}

TEST(Choosing, AListThatIsMuchSlowerCountsFromItsFirstStep) {
  Choosing choice = choosing({false, true});
  EXPECT_TRUE(choice.note(2e-3, 2, 2, 0));
  EXPECT_EQ(choice.active(), 1U);
  EXPECT_EQ(choice.steps_wanted(0), 16);
  EXPECT_FALSE(choice.note(32e-3, 16, 1, 10));
  EXPECT_EQ(choice.steps_wanted(10), 22 - 16);
  EXPECT_TRUE(choice.note(12e-3, 6, 1, 10)) << "its lists may become better, but not by that much";
}

}  // namespace
}  // namespace pencilbox::testing
