// In which order `backend: auto` tries, and what it makes of the times.
#include "app/engine/trial_schedule.hpp"

#include <stdexcept>

#include <gmock/gmock.h>

namespace pencilbox::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Candidates on no ladder, by their families.
std::vector<TrialCandidate> families(const std::vector<std::size_t>& family_of) {
  std::vector<TrialCandidate> candidates;
  for (std::size_t k = 0; k < family_of.size(); ++k) candidates.push_back({family_of[k], k, 0.0});
  return candidates;
}

/// Steps of trials that are too short for a candidate to be known.
std::vector<TrialTime> short_trials(const std::vector<double>& step_seconds) {
  std::vector<TrialTime> times;
  for (const double seconds : step_seconds) times.push_back({seconds, 0.0});
  return times;
}

/// Every trial of a candidate takes `seconds` of it a step, and `of_all`. The trials, by round.
std::vector<std::vector<std::size_t>> run(TrialSchedule& schedule,
                                          const std::vector<double>& seconds, double of_all = 0.0) {
  std::vector<std::vector<std::size_t>> rounds;
  while (!schedule.decided()) {
    rounds.push_back(schedule.round());
    std::vector<TrialTime> times;
    for (const std::size_t candidate : rounds.back()) times.push_back({seconds[candidate], of_all});
    schedule.finish_round(times);
  }
  return rounds;
}

TEST(TrialSchedule, OfOneCandidateNothingIsTried) {
  const TrialSchedule schedule(families({0}));
  EXPECT_TRUE(schedule.decided());
  EXPECT_EQ(schedule.best(), 0U);
  EXPECT_EQ(schedule.runner_up(), std::nullopt);
  EXPECT_EQ(schedule.tried(), 0U);
}

TEST(TrialSchedule, BeforeAnythingIsKnownTheFirstIsBest) {
  const TrialSchedule schedule(families({0, 0, 1}));
  EXPECT_FALSE(schedule.decided());
  EXPECT_EQ(schedule.best(), 0U);
}

TEST(TrialSchedule, TriesVariantsOfFastFamiliesOnly) {
  TrialSchedule schedule(families({0, 0, 1, 1, 2}));
  const auto rounds = run(schedule, {1.0, 0.7, 9.0, 0.1, 1.05});
  EXPECT_THAT(rounds, ElementsAre(ElementsAre(0, 2, 4), ElementsAre(1)));
  EXPECT_EQ(schedule.best(), 1U);
  EXPECT_EQ(schedule.runner_up(), 0U);
  EXPECT_EQ(schedule.tried(), 4U);
}

TEST(TrialSchedule, WhereStepsAreShortMoreVariantsAreTried) {
  const std::vector<double> factors{1.0, 3.0, 0.5};  // of a second family: first and variant
  for (const bool is_short : {true, false}) {
    const double step = is_short ? 40e-6 : 400e-6;
    TrialSchedule schedule(families({0, 1, 1}));
    const auto rounds =
        run(schedule, {step * factors[0], step * factors[1], step * factors[2]}, 4e-3);
    EXPECT_EQ(rounds.size(), is_short ? 2U : 1U);
    EXPECT_EQ(schedule.best(), is_short ? 2U : 0U);
  }
}

TEST(TrialSchedule, TriesTheFastestAgainInTurn) {
  TrialSchedule schedule(families({0, 1, 2}));
  EXPECT_THAT(run(schedule, {1.05, 1.0, 2.0}),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 0, 1, 0),
                          ElementsAre(1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0)));
  EXPECT_EQ(schedule.best(), 1U);
  EXPECT_DOUBLE_EQ(schedule.seconds(1), 1.0);
}

TEST(TrialSchedule, TheLeastOfACandidatesTimesCounts) {
  TrialSchedule schedule(families({0, 1}));
  schedule.finish_round(short_trials({1.05, 1.0}));
  schedule.finish_round(short_trials({1.0, 1.05, 1.0, 1.05}));
  const std::vector<std::size_t> in_turn = schedule.round();
  ASSERT_THAT(in_turn, ElementsAre(1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0));
  std::vector<double> seconds(in_turn.size(), 1.2);
  seconds[0] = 60.0;  // a disturbance
  seconds[5] = 0.95;  // of candidate 0
  schedule.finish_round(short_trials(seconds));
  EXPECT_THAT(schedule.round(), IsEmpty());
  EXPECT_EQ(schedule.best(), 0U);
  EXPECT_EQ(schedule.runner_up(), 1U);
  EXPECT_DOUBLE_EQ(schedule.seconds(0), 0.95);
  EXPECT_DOUBLE_EQ(schedule.seconds(1), 1.0);
}

/// The first launch of a kernel of 7 us may take 15: it must not cost the fastest its chance.
TEST(TrialSchedule, AFirstLaunchOfAShortKernelIsForgiven) {
  TrialSchedule schedule(families({0, 0, 1}));
  schedule.finish_round(short_trials({9e-6, 10e-6}));
  ASSERT_THAT(schedule.round(), ElementsAre(1));
  schedule.finish_round(short_trials({15e-6}));
  ASSERT_THAT(schedule.round(), ElementsAre(0, 2, 1, 0, 2, 1));
  schedule.finish_round(short_trials({9e-6, 10e-6, 8e-6, 9e-6, 10e-6, 7e-6}));
  EXPECT_THAT(schedule.round(), ElementsAre(1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2));
  EXPECT_EQ(schedule.best(), 1U);
}

/// A long one's is not: nobody is tried again for 10 us.
TEST(TrialSchedule, OfLongKernelsTheSlowAreTriedOnce) {
  TrialSchedule schedule(families({0, 1}));
  EXPECT_THAT(run(schedule, {1e-3, 1.3e-3}), ElementsAre(ElementsAre(0, 1)));
}

/// Long trials are not repeated.
TEST(TrialSchedule, WhoeverHadLongTrialsIsKnown) {
  TrialSchedule schedule(families({0, 1, 2}));
  EXPECT_THAT(run(schedule, {1.0, 1.02, 1.05}, 4e-3), ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_EQ(schedule.best(), 0U);
  TrialSchedule again(families({0, 1}));
  EXPECT_THAT(run(again, {1.0, 1.02}, 1.2e-3),
              ElementsAre(ElementsAre(0, 1), ElementsAre(0, 1, 0, 1)));
}

std::vector<TrialCandidate> candidates_on_two_ladders() {
  std::vector<TrialCandidate> candidates{{0, 0, 0.0}};
  for (const std::size_t family : {1U, 2U}) {
    for (const double rung : {0.4, 0.6, 0.3, 0.8, 1.0})
      candidates.push_back({family, family, rung});
  }
  return candidates;
}

/// Upwards from the first rung, and on where it gets better; not at all where a ladder is far from
/// the fastest.
TEST(TrialSchedule, ClimbsALadderFromTheFirstRung) {
  TrialSchedule schedule(candidates_on_two_ladders());
  const std::vector<double> seconds{3.0, 1.0, 0.9, 1.1, 0.8, 0.85, 2.0, 0.1, 0.1, 0.1, 0.1};
  EXPECT_THAT(run(schedule, seconds, 4e-3),
              ElementsAre(ElementsAre(0, 1, 6), ElementsAre(2), ElementsAre(4), ElementsAre(5)));
  EXPECT_EQ(schedule.best(), 4U);
  EXPECT_EQ(schedule.runner_up(), 5U);
}

TEST(TrialSchedule, StaysOnTheFirstRungWhereBothNeighborsAreSlower) {
  TrialSchedule schedule(candidates_on_two_ladders());
  const std::vector<double> seconds{3.0, 1.0, 1.1, 1.05, 0.1, 0.1, 2.0, 0.1, 0.1, 0.1, 0.1};
  EXPECT_THAT(run(schedule, seconds, 4e-3),
              ElementsAre(ElementsAre(0, 1, 6), ElementsAre(2), ElementsAre(3)));
  EXPECT_EQ(schedule.best(), 1U);
}

/// What another program did to one trial of the fastest must not cost it its chance.
TEST(TrialSchedule, WhereTrialsMayBeDisturbedTwoOfThemHaveToAgree) {
  TrialSchedule schedule(families({0, 1}), 2);
  ASSERT_THAT(schedule.round(), ElementsAre(0, 1, 0, 1));
  schedule.finish_round({{1.0, 4e-3}, {3.0, 4e-3}, {1.1, 4e-3}, {0.4, 4e-3}});
  EXPECT_TRUE(schedule.decided());
  EXPECT_EQ(schedule.best(), 1U);
}

TEST(TrialSchedule, WantsATimeForEachTrial) {
  TrialSchedule schedule(families({0, 1}));
  EXPECT_THROW(schedule.finish_round(short_trials({1.0})), std::logic_error);
  EXPECT_THROW(TrialSchedule({}), std::logic_error);
}

}  // namespace
}  // namespace pencilbox::testing
