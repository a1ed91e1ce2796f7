#include "app/ranks/changing_on_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "app/ranks/load_watch.hpp"
#include "app/ranks/rank_trials.hpp"
#include "app/ranks/stand_in.hpp"

namespace pencilbox {
namespace {

/// Of a trial: those in which letters find room and kernels are loaded, and those that are timed.
constexpr std::int64_t first_steps = 4, timed_steps = 40;

class ChangingOnRanks final : public StandIn {
 public:
  ChangingOnRanks(SimulationSetup setup, std::vector<BackendChoice> choices, SimulationMaker maker,
                  bool balances)
      : ChangingOnRanks(static_cast<const SimulationSettings&>(setup), std::move(choices),
                        std::move(maker), balances) {
    StartState start = std::move(setup.start);
    watch_.dealt(seconds_of([&] {
      begin_with(maker_.make({active_settings(), std::move(start)}));
    }));
  }

  ChangingOnRanks(const SimulationSettings& setup, const ExactState& state,
                  std::vector<BackendChoice> choices, SimulationMaker maker, bool balances)
      : ChangingOnRanks(setup, std::move(choices), std::move(maker), balances) {
    watch_.dealt(seconds_of([&] { begin_with(maker_.resume({active_settings(), {}}, state)); }));
  }

  /// A change comes before steps, not behind them: what is looked at is the state of who did them.
  void advance(std::int64_t steps, LastStep last) override {
    seconds_ = 0.0;
    while (steps > 0) {
      if (is_timed_) change_back_end();
      if (balances_ && watch_.should_deal()) deal_anew();
      const std::int64_t some = std::min(steps, steps_until_change());
      steps -= some;
      one().advance(some, steps == 0 ? last : LastStep::forces_only);
      seconds_ += one().last_advance_seconds();
      is_decided_ ? watch(some) : note(some);
    }
  }

  double last_advance_seconds() const override { return seconds_; }

  std::optional<RankLoad> rank_load() override {
    if (is_decided_) watch_.look(one().busy_seconds());
    return watch_.load();
  }

  BackendStats backend_stats() override {
    BackendStats stats = one().backend_stats();
    if (stats.list && past_list_) stats.list->follow(*past_list_);
    if (!is_open()) return stats;
    stats.is_choosing = !is_decided_;
    if (is_decided_) stats.choice = choice();
    stats.note = in_words(trials_.choice(active_)) + ", " + stats.note;
    if (!is_decided_) stats.note += "; others still to be tried";
    return stats;
  }

 private:
  ChangingOnRanks(const SimulationSettings& setup, std::vector<BackendChoice> choices,
                  SimulationMaker maker, bool balances)
      : StandIn(setup),
        trials_(std::move(choices)),
        maker_(std::move(maker)),
        balances_(balances),
        is_decided_(trials_.size() == 1) {}

  SimulationSettings active_settings() const { return with(setup(), trials_.choice(active_)); }

  /// Whether the deck has left something to choose.
  bool is_open() const { return trials_.size() > 1 || setup().backend == any_backend; }

  std::int64_t steps_until_change() const {
    if (!is_decided_) return steps_of_trial_;
    return balances_ ? watch_.steps_to_look() : std::numeric_limits<std::int64_t>::max();
  }

  template <class Action>
  static double seconds_of(const Action& action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  void deal_anew() {
    past_list_ = backend_stats().list;
    watch_.dealt(seconds_of([&] { change(maker_, active_settings()); }));
  }

  void watch(std::int64_t steps) {
    if (!balances_) return;
    watch_.advanced(steps);
    if (watch_.steps_to_look() <= 0) watch_.look(one().busy_seconds());
  }

  void note(std::int64_t steps) {
    steps_of_trial_ -= steps;
    if (is_warm_) timed_seconds_ += one().last_advance_seconds();
    if (steps_of_trial_ > 0) return;
    if (!is_warm_) {
      is_warm_ = true;
      steps_of_trial_ = timed_steps;
      return;
    }
    trials_.note(active_, timed_seconds_ / static_cast<double>(timed_steps));
    is_timed_ = true;
  }

  /// To the next that is to be tried, or the one that was fastest.
  void change_back_end() {
    const std::optional<std::size_t> next = trials_.next();
    is_decided_ = !next;
    is_timed_ = is_warm_ = false;
    steps_of_trial_ = first_steps;
    timed_seconds_ = 0.0;
    const std::size_t chosen = next.value_or(*trials_.best());
    if (std::exchange(active_, chosen) != chosen) change(maker_, active_settings());
  }

  AutomaticChoice choice() const {
    AutomaticChoice choice;
    choice.chosen = trials_.choice(active_);
    choice.tried = static_cast<int>(trials_.tried());
    if (const auto second = trials_.runner_up()) {
      choice.runner_up = trials_.choice(*second);
      choice.margin = trials_.seconds(*second) / trials_.seconds(active_) - 1.0;
    }
    return choice;
  }

  RankTrials trials_;
  SimulationMaker maker_;
  bool balances_;
  LoadWatch watch_;
  std::optional<ListStats> past_list_;  ///< of the same list, in other hands
  std::size_t active_ = 0;
  bool is_decided_;
  bool is_warm_ = false, is_timed_ = false;  // the present trial
  std::int64_t steps_of_trial_ = first_steps;
  double timed_seconds_ = 0.0;
  double seconds_ = 0.0;
};

}  // namespace

std::unique_ptr<Simulation> make_changing(SimulationSetup setup, std::vector<BackendChoice> choices,
                                          SimulationMaker maker, bool balances) {
  return std::make_unique<ChangingOnRanks>(std::move(setup), std::move(choices), std::move(maker),
                                           balances);
}

std::unique_ptr<Simulation> resume_changing(const SimulationSetup& setup, const ExactState& state,
                                            std::vector<BackendChoice> choices,
                                            SimulationMaker maker, bool balances) {
  return std::make_unique<ChangingOnRanks>(setup, state, std::move(choices), std::move(maker),
                                           balances);
}

}  // namespace pencilbox
