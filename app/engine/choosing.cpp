#include "app/engine/choosing.hpp"

#include <algorithm>
#include <utility>

namespace pencilbox {

Choosing::Choosing(std::vector<TrialCandidate> candidates, std::vector<bool> keeps_list)
    : schedule_(std::move(candidates)), keeps_list_(std::move(keeps_list)) {}

std::size_t Choosing::active() const {
  return decided() ? schedule_.best() : schedule_.round()[times_.size()];
}

std::int64_t Choosing::steps_wanted(std::int64_t expected_interval) const {
  if (!keeps_list_[active()]) return std::max<std::int64_t>(1, steps_of_a_trial - trial_.steps);
  constexpr std::int64_t at_first = 16;
  return std::max<std::int64_t>(2, expected_interval > 0 ? expected_interval + 1 : at_first);
}

bool Choosing::is_over() const {
  if (!keeps_list_[active()]) return trial_.steps >= steps_of_a_trial;
  return trial_.rebuilds > 0 ? trial_.seconds >= least_of_cycles : trial_.steps >= longest_cycle;
}

/// Until a rebuild has told how long cycles are, and one of that length has been enqueued.
bool Choosing::warms_up(double seconds, std::int64_t steps, std::int64_t rebuilds) {
  if (trial_.is_warm || !keeps_list_[active()]) return false;
  if (seconds > long_step * static_cast<double>(steps)) {
    trial_.is_warm = true;
    return false;
  }
  trial_.is_warm = trial_.warm_up_rebuilds > 0 || trial_.warm_up_steps >= longest_cycle;
  trial_.warm_up_rebuilds += rebuilds;
  trial_.warm_up_steps += steps;
  return true;
}

bool Choosing::note(double seconds, std::int64_t steps, std::int64_t rebuilds) {
  if (warms_up(seconds, steps, rebuilds)) return false;
  trial_.seconds += seconds;
  trial_.steps += steps;
  trial_.rebuilds += rebuilds;
  if (!is_over()) return false;
  times_.push_back({trial_.seconds / static_cast<double>(trial_.steps), trial_.seconds});
  trial_ = {};
  if (times_.size() == schedule_.round().size()) {
    schedule_.finish_round(std::exchange(times_, {}));
  }
  return true;
}

}  // namespace pencilbox
