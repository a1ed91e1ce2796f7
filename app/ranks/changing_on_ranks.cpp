#include "app/ranks/changing_on_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "app/ranks/load_watch.hpp"
#include "app/ranks/rank_trials.hpp"

namespace pencilbox {
namespace {

/// Of a trial: those in which letters find room and kernels are loaded, and those that are timed.
constexpr std::int64_t first_steps = 4, timed_steps = 40;

class ChangingOnRanks final : public Simulation {
 public:
  ChangingOnRanks(SimulationSetup setup, std::vector<BackendChoice> choices, RankedMaker maker)
      : ChangingOnRanks(setup, std::move(choices), std::move(maker), nullptr) {
    become([&] { return maker_.make(with(trials_.choice(active_), std::move(setup))); });
  }

  ChangingOnRanks(const SimulationSetup& setup, const ExactState& state,
                  std::vector<BackendChoice> choices, RankedMaker maker)
      : ChangingOnRanks(setup, std::move(choices), std::move(maker), nullptr) {
    become([&] { return maker_.resume(with(trials_.choice(active_), settings()), state); });
  }

  /// A change comes before steps, not behind them: what is looked at is the state of who did them.
  void advance(std::int64_t steps, LastStep last) override {
    seconds_ = 0.0;
    while (steps > 0) {
      if (is_timed_) try_next();
      if (watch_.should_deal()) deal_anew();
      const std::int64_t some = std::min(steps, steps_until_change());
      steps -= some;
      one_->advance(some, steps == 0 ? last : LastStep::forces_only);
      seconds_ += one_->last_advance_seconds();
      is_decided_ ? watch(some) : note(some);
    }
  }

  std::int64_t step() const override { return one_->step(); }
  void begin_stage(const StageSettings& stage) override {
    one_->begin_stage(stage);
    static_cast<StageSettings&>(settings_) = stage;
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
  RegionSeconds regions() const override {
    RegionSeconds all = one_->regions();
    all += regions_before_;
    return all;
  }
  /// Who watches the load remembers on.
  void forget_regions() override {
    regions_before_ = {};
    one_->forget_regions();
  }
  NeighborStats neighbor_stats() override { return one_->neighbor_stats(); }
  std::int64_t device_bytes() const override { return one_->device_bytes(); }
  std::array<int, 3> ranks() const override { return one_->ranks(); }
  std::string exchange() const override { return one_->exchange(); }

  std::vector<double> busy_seconds() override { return one_->busy_seconds(); }
  std::optional<RankLoad> rank_load() override {
    if (is_decided_) watch_.look(one_->busy_seconds());
    return watch_.load();
  }

  BackendStats backend_stats() override {
    BackendStats stats = one_->backend_stats();
    if (stats.list && list_before_) stats.list->follow(*list_before_);
    if (!is_open()) return stats;
    stats.is_choosing = !is_decided_;
    if (is_decided_) stats.choice = choice();
    stats.note = in_words(trials_.choice(active_)) + ", " + stats.note;
    if (!is_decided_) stats.note += "; others still to be tried";
    return stats;
  }

 private:
  ChangingOnRanks(const SimulationSettings& settings, std::vector<BackendChoice> choices,
                  RankedMaker maker, std::nullptr_t)
      : trials_(std::move(choices)), maker_(std::move(maker)), settings_(settings) {
    is_decided_ = trials_.size() == 1;
  }

  SimulationSetup settings() const { return {settings_, {}}; }

  static SimulationSetup with(const BackendChoice& choice, SimulationSetup setup) {
    setup.backend = choice.name;
    setup.options = choice.options;
    if (choice.skin > 0.0) setup.skin = choice.skin;
    return setup;
  }

  /// Whether the deck has left something to choose.
  bool is_open() const { return trials_.size() > 1 || settings_.backend == any_backend; }

  std::int64_t steps_until_change() const {
    if (!is_decided_) return steps_of_trial_;
    return maker_.balances ? watch_.steps_to_look() : std::numeric_limits<std::int64_t>::max();
  }

  template <class Make>
  void become(const Make& make) {
    const auto begin = std::chrono::steady_clock::now();
    one_ = make();
    watch_.dealt(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }

  /// With the choice that is active, from where it is now.
  void become_another() {
    const ExactState state = one_->exact_state();
    const std::vector<ObservableState> observed = one_->observable_states();
    regions_before_ += one_->regions();
    one_.reset();
    one_ = maker_.resume(with(trials_.choice(active_), settings()), state);
    one_->restore_observables(observed);
  }

  void deal_anew() {
    list_before_ = backend_stats().list;
    const auto begin = std::chrono::steady_clock::now();
    become_another();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    watch_.dealt(seconds.count());
  }

  void watch(std::int64_t steps) {
    if (!maker_.balances) return;
    watch_.advanced(steps);
    if (watch_.steps_to_look() <= 0) watch_.look(one_->busy_seconds());
  }

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

  /// Or the one that was fastest.
  void try_next() {
    const std::optional<std::size_t> next = trials_.next();
    is_decided_ = !next;
    is_timed_ = is_warm_ = false;
    steps_of_trial_ = first_steps;
    timed_seconds_ = 0.0;
    const std::size_t chosen = next.value_or(*trials_.best());
    if (std::exchange(active_, chosen) != chosen) become_another();
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
  SimulationSettings settings_;
  std::unique_ptr<Simulation> one_;
  RegionSeconds regions_before_;
  std::optional<ListStats> list_before_;  ///< of the same list, in other hands
  LoadWatch watch_;
  std::size_t active_ = 0;
  bool is_decided_ = false;
  bool is_warm_ = false, is_timed_ = false;  // the present trial
  std::int64_t steps_of_trial_ = first_steps;
  double timed_seconds_ = 0.0;
  double seconds_ = 0.0;
};

}  // namespace

std::unique_ptr<Simulation> make_changing(SimulationSetup setup, std::vector<BackendChoice> choices,
                                          RankedMaker maker) {
  return std::make_unique<ChangingOnRanks>(std::move(setup), std::move(choices), std::move(maker));
}

std::unique_ptr<Simulation> resume_changing(SimulationSetup setup, const ExactState& state,
                                            std::vector<BackendChoice> choices, RankedMaker maker) {
  return std::make_unique<ChangingOnRanks>(std::move(setup), state, std::move(choices),
                                           std::move(maker));
}

}  // namespace pencilbox
