// In which order `backend: auto` tries, and what it makes of the times.
#include "app/engine/trial_schedule.hpp"

#include <stdexcept>

#include <gmock/gmock.h>

namespace pencilbox {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Every trial of a candidate takes `seconds` of it. The trials, by round.
std::vector<std::vector<std::size_t>> run(TrialSchedule& schedule,
                                          const std::vector<double>& seconds) {
  std::vector<std::vector<std::size_t>> rounds;
  while (!schedule.decided()) {
    rounds.push_back(schedule.round());
    std::vector<double> times;
    for (const std::size_t candidate : rounds.back()) times.push_back(seconds[candidate]);
    schedule.finish_round(times);
  }
  return rounds;
}

TEST(TrialSchedule, OfOneCandidateNothingIsTried) {
  const TrialSchedule schedule({0});
  EXPECT_TRUE(schedule.decided());
  EXPECT_EQ(schedule.best(), 0U);
  EXPECT_EQ(schedule.runner_up(), std::nullopt);
  EXPECT_EQ(schedule.tried(), 0U);
}

TEST(TrialSchedule, BeforeAnythingIsKnownTheFirstIsBest) {
  const TrialSchedule schedule({0, 0, 1});
  EXPECT_FALSE(schedule.decided());
  EXPECT_EQ(schedule.best(), 0U);
}

TEST(TrialSchedule, TriesVariantsOfFastFamiliesOnly) {
  TrialSchedule schedule({0, 0, 1, 1, 2});
  const auto rounds = run(schedule, {1.0, 0.7, 9.0, 0.1, 1.05});
  EXPECT_THAT(rounds, ElementsAre(ElementsAre(0, 2, 4), ElementsAre(1)));
  EXPECT_EQ(schedule.best(), 1U);
  EXPECT_EQ(schedule.runner_up(), 0U);
  EXPECT_EQ(schedule.tried(), 4U);
}

TEST(TrialSchedule, TriesTheFastestAgainInTurn) {
  TrialSchedule schedule({0, 1, 2});
  EXPECT_THAT(run(schedule, {1.05, 1.0, 2.0}),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 0, 1, 0),
                          ElementsAre(1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0)));
  EXPECT_EQ(schedule.best(), 1U);
  EXPECT_DOUBLE_EQ(schedule.seconds(1), 1.0);
}

TEST(TrialSchedule, TheLeastOfACandidatesTimesCounts) {
  TrialSchedule schedule({0, 1});
  schedule.finish_round({1.05, 1.0});
  schedule.finish_round({1.0, 1.05, 1.0, 1.05});
  const std::vector<std::size_t> in_turn = schedule.round();
  ASSERT_THAT(in_turn, ElementsAre(1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0));
  std::vector<double> seconds(in_turn.size(), 1.2);
  seconds[0] = 60.0;  // a disturbance
  seconds[5] = 0.95;  // of candidate 0
  schedule.finish_round(seconds);
  EXPECT_THAT(schedule.round(), IsEmpty());
  EXPECT_EQ(schedule.best(), 0U);
  EXPECT_EQ(schedule.runner_up(), 1U);
  EXPECT_DOUBLE_EQ(schedule.seconds(0), 0.95);
  EXPECT_DOUBLE_EQ(schedule.seconds(1), 1.0);
}

/// The first launch of a kernel of 7 us may take 15: it must not cost the fastest its chance.
TEST(TrialSchedule, AFirstLaunchOfAShortKernelIsForgiven) {
  TrialSchedule schedule({0, 0, 1});
  schedule.finish_round({9e-6, 10e-6});
  ASSERT_THAT(schedule.round(), ElementsAre(1));
  schedule.finish_round({15e-6});
  ASSERT_THAT(schedule.round(), ElementsAre(0, 2, 1, 0, 2, 1));
  schedule.finish_round({9e-6, 10e-6, 8e-6, 9e-6, 10e-6, 7e-6});
  EXPECT_THAT(schedule.round(), ElementsAre(1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2));
  EXPECT_EQ(schedule.best(), 1U);
}

/// A long one's is not: nobody is tried again for 10 us.
TEST(TrialSchedule, OfLongKernelsTheSlowAreTriedOnce) {
  TrialSchedule schedule({0, 1});
  EXPECT_THAT(run(schedule, {1e-3, 1.3e-3}), ElementsAre(ElementsAre(0, 1)));
}

TEST(TrialSchedule, WantsATimeForEachTrial) {
  TrialSchedule schedule({0, 1});
  EXPECT_THROW(schedule.finish_round({1.0}), std::logic_error);
  EXPECT_THROW(TrialSchedule({}), std::logic_error);
}

}  // namespace
}  // namespace pencilbox
