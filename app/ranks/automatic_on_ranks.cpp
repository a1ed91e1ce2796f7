#include "app/ranks/automatic_on_ranks.hpp"

#include <algorithm>
#include <utility>

#include "app/ranks/rank_trials.hpp"
#include "app/ranks/stand_in.hpp"

namespace pencilbox {
namespace {

/// Of a trial: those in which letters find room and kernels are loaded, and those that are timed.
constexpr std::int64_t first_steps = 4, timed_steps = 40;

class AutomaticOnRanks final : public StandIn {
 public:
  AutomaticOnRanks(SimulationSetup setup, std::vector<BackendChoice> choices, SimulationMaker maker)
      : AutomaticOnRanks(static_cast<const SimulationSettings&>(setup), std::move(choices),
                         std::move(maker)) {
    StartState start = std::move(setup.start);
    begin_with(maker_.make({with(trials_.choice(active_)), std::move(start)}));
  }

  AutomaticOnRanks(const SimulationSettings& setup, const ExactState& state,
                   std::vector<BackendChoice> choices, SimulationMaker maker)
      : AutomaticOnRanks(setup, std::move(choices), std::move(maker)) {
    begin_with(maker_.resume({with(trials_.choice(active_)), {}}, state));
  }

  /// A change comes before steps, not behind them: what is looked at is the state of who did them.
  void advance(std::int64_t steps, LastStep last) override {
    seconds_ = 0.0;
    while (steps > 0) {
      if (is_timed_) change_back_end();
      const std::int64_t some = std::min(steps, is_decided() ? steps : steps_of_trial_);
      steps -= some;
      one().advance(some, steps == 0 ? last : LastStep::forces_only);
      seconds_ += one().last_advance_seconds();
      if (!is_decided()) note(some);
    }
  }

  double last_advance_seconds() const override { return seconds_; }

  BackendStats backend_stats() override {
    BackendStats stats = one().backend_stats();
    stats.is_choosing = !is_decided();
    if (is_decided()) stats.choice = choice();
    if (setup().backend == "auto")
      stats.note = in_words(trials_.choice(active_)) + ", " + stats.note;
    if (!is_decided()) stats.note += "; others still to be tried";
    return stats;
  }

 private:
  AutomaticOnRanks(const SimulationSettings& setup, std::vector<BackendChoice> choices,
                   SimulationMaker maker)
      : StandIn(setup), trials_(std::move(choices)), maker_(std::move(maker)) {
    is_decided_ = trials_.size() == 1;
  }

  SimulationSettings with(const BackendChoice& choice) const {
    SimulationSettings named = setup();
    named.backend = choice.name;
    named.options = choice.options;
    if (choice.skin > 0.0) named.skin = choice.skin;
    return named;
  }

  bool is_decided() const { return is_decided_; }

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
    if (std::exchange(active_, chosen) == chosen) return;
    StandIn::change(maker_, with(trials_.choice(chosen)));
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
  std::size_t active_ = 0;
  bool is_decided_ = false;
  bool is_warm_ = false, is_timed_ = false;  // the present trial
  std::int64_t steps_of_trial_ = first_steps;
  double timed_seconds_ = 0.0;
  double seconds_ = 0.0;
};

}  // namespace

std::unique_ptr<Simulation> make_automatic(SimulationSetup setup,
                                           std::vector<BackendChoice> choices,
                                           SimulationMaker maker) {
  return std::make_unique<AutomaticOnRanks>(std::move(setup), std::move(choices), std::move(maker));
}

std::unique_ptr<Simulation> resume_automatic(SimulationSetup setup, const ExactState& state,
                                             std::vector<BackendChoice> choices,
                                             SimulationMaker maker) {
  return std::make_unique<AutomaticOnRanks>(std::move(setup), state, std::move(choices),
                                            std::move(maker));
}

}  // namespace pencilbox
