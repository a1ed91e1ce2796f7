// The order in which `auto` tries on several ranks.
#include "app/ranks/rank_trials.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pencilbox::testing {
namespace {

BackendChoice list(const std::string& name, double skin) { return {name, {}, skin}; }

/// What is tried, in order, where the time of a step is this function of a choice.
template <class Seconds>
std::vector<std::size_t> order_of(RankTrials& trials, const Seconds& seconds) {
  std::vector<std::size_t> order;
  while (const auto next = trials.next()) {
    order.push_back(*next);
    trials.note(*next, seconds(trials.choice(*next)));
  }
  return order;
}

std::vector<BackendChoice> two_ladders() {
  return {list("a", 0.4), list("a", 0.6), list("a", 0.3), list("a", 0.8),
          list("b", 0.4), list("b", 0.6), list("b", 0.3)};
}

TEST(RankTrials, FirstOneOfEachLadderThenTheNeighboursOfTheFastest) {
  RankTrials trials(two_ladders());
  const auto order = order_of(trials, [](const BackendChoice& choice) {
    return (choice.name == "a" ? 1.0 : 2.0) + std::abs(choice.skin - 0.4);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 4, 1, 2}));
  EXPECT_EQ(trials.best(), 0U);
  EXPECT_EQ(trials.tried(), 4U);
}

TEST(RankTrials, GoOnInADirectionThatHelps) {
  RankTrials trials(two_ladders());
  const auto order =
      order_of(trials, [](const BackendChoice& choice) { return 2.0 - choice.skin; });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 4, 1, 3}));
  EXPECT_EQ(trials.best(), 3U);
  EXPECT_EQ(trials.runner_up(), 1U);
}

TEST(RankTrials, OfOneThereIsOneTrial) {
  RankTrials trials({list("a", 0.4)});
  EXPECT_EQ(order_of(trials, [](const BackendChoice&) { return 1.0; }).size(), 1U);
  EXPECT_FALSE(trials.runner_up());
}

}  // namespace
}  // namespace pencilbox::testing
