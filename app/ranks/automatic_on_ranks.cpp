#include "app/ranks/automatic_on_ranks.hpp"

#include <algorithm>
#include <utility>

#include "app/ranks/rank_trials.hpp"

namespace pencilbox {
namespace {

/// Of a trial: those in which letters find room and kernels are loaded, and those that are timed.
constexpr std::int64_t first_steps = 4, timed_steps = 40;

class AutomaticOnRanks final : public Simulation {
 public:
  AutomaticOnRanks(SimulationSetup setup, std::vector<BackendChoice> choices, RankedMaker maker)
      : AutomaticOnRanks(std::move(choices), std::move(maker)) {
    setup_ = setup;
    one_ = maker_.make(with(trials_.choice(active_), std::move(setup)));
    setup_.start = {};
  }

  AutomaticOnRanks(SimulationSetup setup, const ExactState& state,
                   std::vector<BackendChoice> choices, RankedMaker maker)
      : AutomaticOnRanks(std::move(choices), std::move(maker)) {
    setup_ = std::move(setup);
    setup_.start = {};
    one_ = maker_.resume(with(trials_.choice(active_), setup_), state);
  }

  /// A change comes before steps, not behind them: what is looked at is the state of who did them.
  void advance(std::int64_t steps, LastStep last) override {
    seconds_ = 0.0;
    while (steps > 0) {
      if (is_timed_) change();
      const std::int64_t some = std::min(steps, is_decided() ? steps : steps_of_trial_);
      steps -= some;
      one_->advance(some, steps == 0 ? last : LastStep::forces_only);
      seconds_ += one_->last_advance_seconds();
      if (!is_decided()) note(some);
    }
  }

  std::int64_t step() const override { return one_->step(); }
  void begin_stage(const StageSettings& stage) override {
    one_->begin_stage(stage);
    static_cast<StageSettings&>(setup_) = stage;
  }
  std::optional<Minimisation> minimisation() override { return one_->minimisation(); }
  bool is_minimised() const override { return one_->is_minimised(); }
  void evaluate_energies() override { one_->evaluate_energies(); }
  Observation observe() override { return one_->observe(); }
  ExactState exact_state() override { return one_->exact_state(); }
  Frame snapshot(const FieldSet& fields) override { return one_->snapshot(fields); }
  PackedFrame packed_snapshot(const FieldSet& fields) override {
    return one_->packed_snapshot(fields);
  }
  void sample_observables() override { one_->sample_observables(); }
  std::vector<ObservableResult> observable_results() override { return one_->observable_results(); }
  std::vector<ObservableState> observable_states() override { return one_->observable_states(); }
  void restore_observables(const std::vector<ObservableState>& states) override {
    one_->restore_observables(states);
  }
  double last_advance_seconds() const override { return seconds_; }
  RegionSeconds regions() const override { return one_->regions(); }
  void forget_regions() override { one_->forget_regions(); }
  NeighborStats neighbor_stats() override { return one_->neighbor_stats(); }
  std::int64_t device_bytes() const override { return one_->device_bytes(); }
  std::array<int, 3> ranks() const override { return one_->ranks(); }
  std::string exchange() const override { return one_->exchange(); }

  BackendStats backend_stats() override {
    BackendStats stats = one_->backend_stats();
    stats.is_choosing = !is_decided();
    if (is_decided()) stats.choice = choice();
    if (setup_.backend == "auto")
      stats.note = in_words(trials_.choice(active_)) + ", " + stats.note;
    if (!is_decided()) stats.note += "; others still to be tried";
    return stats;
  }

 private:
  AutomaticOnRanks(std::vector<BackendChoice> choices, RankedMaker maker)
      : trials_(std::move(choices)), maker_(std::move(maker)) {
    is_decided_ = trials_.size() == 1;
  }

  static SimulationSetup with(const BackendChoice& choice, SimulationSetup setup) {
    setup.backend = choice.name;
    setup.options = choice.options;
    if (choice.skin > 0.0) setup.skin = choice.skin;
    return setup;
  }

  bool is_decided() const { return is_decided_; }

  void note(std::int64_t steps) {
    steps_of_trial_ -= steps;
    if (is_warm_) timed_seconds_ += one_->last_advance_seconds();
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
  void change() {
    const std::optional<std::size_t> next = trials_.next();
    is_decided_ = !next;
    is_timed_ = is_warm_ = false;
    steps_of_trial_ = first_steps;
    timed_seconds_ = 0.0;
    const std::size_t chosen = next.value_or(*trials_.best());
    if (std::exchange(active_, chosen) == chosen) return;
    const ExactState state = one_->exact_state();
    const std::vector<ObservableState> observed = one_->observable_states();
    one_.reset();
    one_ = maker_.resume(with(trials_.choice(chosen), setup_), state);
    one_->restore_observables(observed);
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
  RankedMaker maker_;
  SimulationSetup setup_;  // without its start
  std::unique_ptr<Simulation> one_;
  std::size_t active_ = 0;
  bool is_decided_ = false;
  bool is_warm_ = false, is_timed_ = false;  // the present trial
  std::int64_t steps_of_trial_ = first_steps;
  double timed_seconds_ = 0.0;
  double seconds_ = 0.0;
};

}  // namespace

std::unique_ptr<Simulation> make_automatic(SimulationSetup setup,
                                           std::vector<BackendChoice> choices, RankedMaker maker) {
  return std::make_unique<AutomaticOnRanks>(std::move(setup), std::move(choices), std::move(maker));
}

std::unique_ptr<Simulation> resume_automatic(SimulationSetup setup, const ExactState& state,
                                             std::vector<BackendChoice> choices,
                                             RankedMaker maker) {
  return std::make_unique<AutomaticOnRanks>(std::move(setup), state, std::move(choices),
                                            std::move(maker));
}

}  // namespace pencilbox
