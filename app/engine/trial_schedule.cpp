#include "app/engine/trial_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace pencilbox {
namespace {

constexpr double untried = std::numeric_limits<double>::infinity();

/// A family is worth more trials if its first candidate took at most so many times the least: for
/// few particles, several threads a target change a back end's time by as much.
constexpr double family_within = 4.0;
/// Single trials of one candidate differ by some per cent.
constexpr double near_within = 1.25;
/// The first launch of a kernel takes so much longer [s]: its code is in no cache yet, and after a
/// round the device waits for the host. That may be as long as a short kernel itself.
constexpr double first_launch = 10e-6;
constexpr int trials_of_the_near = 2;
constexpr std::size_t most_finalists = 5;
constexpr int trials_of_a_finalist = 6;

/// In turn, so that a slow drift of the clock meets all alike.
std::vector<std::size_t> in_turn(const std::vector<std::size_t>& candidates, int times) {
  std::vector<std::size_t> trials;
  for (int i = 0; i < times; ++i) trials.insert(trials.end(), candidates.begin(), candidates.end());
  return trials;
}

}  // namespace

TrialSchedule::TrialSchedule(std::vector<std::size_t> family_of)
    : family_of_(std::move(family_of)), least_(family_of_.size(), untried) {
  if (family_of_.empty()) throw std::logic_error("trial schedule: no candidate");
  begin_round();
}

void TrialSchedule::finish_round(const std::vector<double>& seconds) {
  if (seconds.size() != round_.size()) throw std::logic_error("trial schedule: a time a trial");
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    least_[round_[i]] = std::min(least_[round_[i]], seconds[i]);
  }
  begin_round();
}

std::size_t TrialSchedule::best() const {
  return static_cast<std::size_t>(
      std::distance(least_.begin(), std::min_element(least_.begin(), least_.end())));
}

std::optional<std::size_t> TrialSchedule::runner_up() const {
  const std::size_t winner = best();
  std::optional<std::size_t> second;
  for (std::size_t k = 0; k < least_.size(); ++k) {
    if (k == winner || least_[k] == untried) continue;
    if (!second || least_[k] < least_[*second]) second = k;
  }
  return second;
}

std::size_t TrialSchedule::tried() const {
  return static_cast<std::size_t>(std::count_if(least_.begin(), least_.end(),
                                                [](double seconds) { return seconds < untried; }));
}

std::vector<std::size_t> TrialSchedule::firsts() const {
  std::vector<std::size_t> candidates;
  for (std::size_t k = 0; k < family_of_.size(); ++k) {
    const auto first = std::find(family_of_.begin(), family_of_.end(), family_of_[k]);
    if (static_cast<std::size_t>(std::distance(family_of_.begin(), first)) == k) {
      candidates.push_back(k);
    }
  }
  return candidates;
}

std::vector<std::size_t> TrialSchedule::variants_of_fast_families() const {
  std::vector<std::size_t> candidates;
  for (const std::size_t first : firsts()) {
    if (least_[first] > family_within * least_[best()] + first_launch) continue;
    for (std::size_t k = 0; k < family_of_.size(); ++k) {
      if (family_of_[k] == family_of_[first] && k != first) candidates.push_back(k);
    }
  }
  return candidates;
}

/// By their times; none if there is but one.
std::vector<std::size_t> TrialSchedule::near_the_fastest() const {
  std::vector<std::size_t> candidates;
  for (std::size_t k = 0; k < least_.size(); ++k) {
    if (least_[k] <= near_within * least_[best()] + first_launch) candidates.push_back(k);
  }
  std::sort(candidates.begin(), candidates.end(),
            [this](std::size_t a, std::size_t b) { return least_[a] < least_[b]; });
  if (candidates.size() == 1) candidates.clear();
  return candidates;
}

std::vector<std::size_t> TrialSchedule::finalists() const {
  std::vector<std::size_t> candidates = near_the_fastest();
  candidates.resize(std::min(candidates.size(), most_finalists));
  return candidates;
}

std::vector<std::size_t> TrialSchedule::trials_of(int round) const {
  switch (round) {
    case 1:
      return family_of_.size() > 1 ? firsts() : std::vector<std::size_t>{};
    case 2:
      return variants_of_fast_families();
    case 3:
      return in_turn(near_the_fastest(), trials_of_the_near);
    default:
      return in_turn(finalists(), trials_of_a_finalist);
  }
}

/// The next round that has anything to try; none after the last.
void TrialSchedule::begin_round() {
  constexpr int rounds = 4;
  round_.clear();
  while (round_.empty() && rounds_begun_ < rounds) round_ = trials_of(++rounds_begun_);
}

}  // namespace pencilbox
