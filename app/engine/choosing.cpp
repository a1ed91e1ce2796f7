#include "app/engine/choosing.hpp"

#include <algorithm>
#include <utility>

namespace pencilbox {

Choosing::Choosing(const std::vector<std::size_t>& family, std::vector<bool> keeps_list)
    : schedule_(family), keeps_list_(std::move(keeps_list)) {}

std::size_t Choosing::active() const {
  return decided() ? schedule_.best() : schedule_.round()[step_seconds_.size()];
}

std::int64_t Choosing::steps_wanted(std::int64_t expected_interval) const {
  if (!keeps_list_[active()]) return std::max<std::int64_t>(1, steps_of_a_trial - steps_);
  constexpr std::int64_t at_first = 16;
  const std::int64_t cycle = expected_interval > 0 ? expected_interval + 1 : at_first;
  return std::max<std::int64_t>(2, cycle - steps_);
}

/// A cycle begins with the rebuild that came before the trial, and ends with the next.
bool Choosing::is_over() const {
  if (!keeps_list_[active()]) return steps_ >= steps_of_a_trial;
  return rebuilds_ > 0 || steps_ >= longest_cycle;
}

bool Choosing::note(double seconds, std::int64_t steps, std::int64_t rebuilds) {
  seconds_ += seconds;
  steps_ += steps;
  rebuilds_ += rebuilds;
  if (!is_over()) return false;
  step_seconds_.push_back(seconds_ / static_cast<double>(steps_));
  seconds_ = 0.0;
  steps_ = rebuilds_ = 0;
  if (step_seconds_.size() == schedule_.round().size()) {
    schedule_.finish_round(std::exchange(step_seconds_, {}));
  }
  return true;
}

}  // namespace pencilbox
