#include "app/engine/choosing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pencilbox {

Choosing::Choosing(std::vector<TrialCandidate> candidates, std::vector<bool> keeps_list,
                   bool is_shared)
    : schedule_(std::move(candidates), is_shared ? 2 : 1), keeps_list_(std::move(keeps_list)) {}

std::size_t Choosing::active() const {
  return decided() ? schedule_.best() : schedule_.round()[times_.size()];
}

/// Of a list whole cycles: a rebuild more or less would count for as much as what tells two skins
/// apart. All that the trial still needs comes at once: a run does not wait after each cycle
/// either.
std::int64_t Choosing::steps_wanted(std::int64_t expected_interval) const {
  if (!keeps_list_[active()]) {
    const bool may_be_out = trial_.steps == 0 && fastest_ > TrialSchedule::short_step;
    return may_be_out ? 1 : std::max<std::int64_t>(1, steps_of_a_trial - trial_.steps);
  }
  constexpr std::int64_t at_first = 16;
  if (expected_interval <= 0) return at_first;
  if (!trial_.is_warm) return std::max<std::int64_t>(2, expected_interval + 1);
  const double step =
      trial_.steps > 0 ? trial_.seconds / static_cast<double>(trial_.steps) : trial_.step_seconds;
  std::int64_t wanted = trial_.steps + 1;
  if (step > 0.0) wanted = std::max(wanted, static_cast<std::int64_t>(least_of_cycles / step));
  const std::int64_t cycles =
      std::max<std::int64_t>(1, (wanted - steps_behind_a_rebuild - 1) / expected_interval + 1);
  return cycles * expected_interval + steps_behind_a_rebuild - trial_.steps;
}

bool Choosing::is_over(std::int64_t expected_interval) const {
  if (!keeps_list_[active()]) {
    return trial_.steps >= steps_of_a_trial ||
           is_out(trial_.seconds / static_cast<double>(trial_.steps));
  }
  if (trial_.rebuilds == 0) return trial_.steps >= longest_cycle;
  if (trial_.seconds < least_of_cycles) return false;
  if (trial_.rebuilds >= many_rebuilds || expected_interval <= 0) return true;
  const std::int64_t behind_a_rebuild = (trial_.steps - 1) % expected_interval;
  return behind_a_rebuild < steps_behind_a_rebuild + expected_interval / 8;
}

/// A long step that was much slower than the fastest says enough.
bool Choosing::is_out(double of_a_step) const {
  return fastest_ > TrialSchedule::short_step && of_a_step > TrialSchedule::slow_within * fastest_;
}

/// Until a rebuild has told how long cycles are, and, where steps are short, one of that length has
/// been enqueued. The first lists of who was not tried before look ahead by what the last one has
/// served, which is too short as yet: two of them, unless it is out anyway.
bool Choosing::warms_up(double seconds, std::int64_t steps, std::int64_t rebuilds) {
  if (trial_.is_warm || !keeps_list_[active()]) return false;
  const double of_a_step = seconds / static_cast<double>(steps);
  const bool is_long = of_a_step > long_step;
  const bool is_known = is_out(of_a_step) || std::isfinite(schedule_.seconds(active()));
  const std::int64_t wanted = is_known ? (is_long ? 0 : 1) : 2;
  trial_.is_warm = trial_.warm_up_rebuilds >= wanted || trial_.warm_up_steps >= longest_cycle;
  if (is_long && trial_.is_warm) {
    // A list that holds for long is known by now.
    if (wanted > 0 && trial_.warm_up_rebuilds == 0) {
      trial_.steps = trial_.warm_up_steps;
      trial_.seconds = trial_.step_seconds * static_cast<double>(trial_.warm_up_steps);
    }
    return false;
  }
  trial_.warm_up_rebuilds += rebuilds;
  trial_.warm_up_steps += steps;
  trial_.step_seconds = of_a_step;
  return true;
}

bool Choosing::note(double seconds, std::int64_t steps, std::int64_t rebuilds,
                    std::int64_t expected_interval) {
  if (warms_up(seconds, steps, rebuilds)) return false;
  trial_.seconds += seconds;
  trial_.steps += steps;
  trial_.rebuilds += rebuilds;
  if (!is_over(expected_interval)) return false;
  times_.push_back({trial_.seconds / static_cast<double>(trial_.steps), trial_.seconds});
  const double of_a_step = times_.back().of_a_step;
  fastest_ = fastest_ > 0.0 ? std::min(fastest_, of_a_step) : of_a_step;
  trial_ = {};
  if (times_.size() == schedule_.round().size()) {
    schedule_.finish_round(std::exchange(times_, {}));
  }
  return true;
}

}  // namespace pencilbox
