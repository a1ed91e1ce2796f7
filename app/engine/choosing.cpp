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
  if (!keeps_list_[active()]) return std::max<std::int64_t>(1, steps_of_a_trial - steps_);
  constexpr std::int64_t at_first = 16;
  return std::max<std::int64_t>(2, expected_interval > 0 ? expected_interval + 1 : at_first);
}

bool Choosing::is_over() const {
  if (!keeps_list_[active()]) return steps_ >= steps_of_a_trial;
  return rebuilds_ > 0 ? seconds_ >= least_of_cycles : steps_ >= longest_cycle;
}

/// Until a rebuild has told how long cycles are, and one of that length has been enqueued.
bool Choosing::warms_up(double seconds, std::int64_t steps, std::int64_t rebuilds) {
  if (is_warm_ || !keeps_list_[active()]) return false;
  if (seconds > long_step * static_cast<double>(steps)) {
    is_warm_ = true;
    return false;
  }
  is_warm_ = warm_up_rebuilds_ > 0 || warm_up_steps_ >= longest_cycle;
  warm_up_rebuilds_ += rebuilds;
  warm_up_steps_ += steps;
  return true;
}

bool Choosing::note(double seconds, std::int64_t steps, std::int64_t rebuilds) {
  if (warms_up(seconds, steps, rebuilds)) return false;
  seconds_ += seconds;
  steps_ += steps;
  rebuilds_ += rebuilds;
  if (!is_over()) return false;
  times_.push_back({seconds_ / static_cast<double>(steps_), seconds_});
  seconds_ = 0.0;
  steps_ = rebuilds_ = warm_up_steps_ = warm_up_rebuilds_ = 0;
  is_warm_ = false;
  if (times_.size() == schedule_.round().size()) {
    schedule_.finish_round(std::exchange(times_, {}));
  }
  return true;
}

}  // namespace pencilbox
