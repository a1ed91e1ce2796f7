#include "app/engine/trial_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace pencilbox {
namespace {

constexpr double untried = std::numeric_limits<double>::infinity();

/// A family is worth more trials if its first candidate took at most so many times the least: where
/// steps are short, for few particles, several threads a target change a back end's time by as
/// much.
constexpr double family_within_if_short = 4.0;
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

TrialSchedule::TrialSchedule(std::vector<TrialCandidate> candidates, int trials_of_a_first)
    : candidates_(std::move(candidates)),
      least_(candidates_.size(), untried),
      tried_for_(candidates_.size(), 0.0),
      trials_of_a_first_(trials_of_a_first) {
  if (candidates_.empty()) throw std::logic_error("trial schedule: no candidate");
  if (candidates_.size() == 1) next_ = Kind::none;
  begin_round();
}

void TrialSchedule::finish_round(const std::vector<TrialTime>& times) {
  if (times.size() != round_.size()) throw std::logic_error("trial schedule: a time a trial");
  for (std::size_t i = 0; i < times.size(); ++i) {
    least_[round_[i]] = std::min(least_[round_[i]], times[i].of_a_step);
    tried_for_[round_[i]] += times[i].of_all;
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

bool TrialSchedule::is_first_of(std::size_t candidate, std::size_t TrialCandidate::*group) const {
  const auto same = [&](const TrialCandidate& other) {
    return other.*group == candidates_[candidate].*group;
  };
  const auto first = std::find_if(candidates_.begin(), candidates_.end(), same);
  return static_cast<std::size_t>(std::distance(candidates_.begin(), first)) == candidate;
}

bool TrialSchedule::is_near(std::size_t candidate, double within) const {
  return least_[candidate] <= within * least_[best()] + first_launch;
}

std::vector<std::size_t> TrialSchedule::firsts() const {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (is_first_of(k, &TrialCandidate::family)) found.push_back(k);
  }
  return found;
}

std::vector<std::size_t> TrialSchedule::variants_of_fast_families() const {
  const double within = least_[best()] < short_step ? family_within_if_short : slow_within;
  std::vector<std::size_t> found;
  for (const std::size_t first : firsts()) {
    if (!is_near(first, within)) continue;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      if (candidates_[k].family != candidates_[first].family || k == first) continue;
      if (is_first_of(k, &TrialCandidate::ladder)) found.push_back(k);
    }
  }
  return found;
}

/// Of those that were tried.
std::optional<std::size_t> TrialSchedule::best_of_ladder(std::size_t ladder) const {
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (candidates_[k].ladder != ladder || least_[k] == untried) continue;
    if (!best || least_[k] < least_[*best]) best = k;
  }
  return best;
}

std::optional<std::size_t> TrialSchedule::next_rung(std::size_t from, bool above) const {
  std::optional<std::size_t> next;
  const auto distance = [&](std::size_t k) {
    return (above ? 1.0 : -1.0) * (candidates_[k].rung - candidates_[from].rung);
  };
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (candidates_[k].ladder != candidates_[from].ladder || !(distance(k) > 0.0)) continue;
    if (!next || distance(k) < distance(*next)) next = k;
  }
  return next;
}

std::vector<std::size_t> TrialSchedule::rungs_next_to_the_best() const {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (!is_first_of(k, &TrialCandidate::ladder)) continue;
    const auto best_here = best_of_ladder(candidates_[k].ladder);
    if (!best_here || !is_near(*best_here, near_within)) continue;
    for (const bool above : {true, false}) {
      const auto next = next_rung(*best_here, above);
      if (!next || least_[*next] < untried) continue;
      found.push_back(*next);
      break;
    }
  }
  return found;
}

/// By their times; none if there is but one.
std::vector<std::size_t> TrialSchedule::near_the_fastest() const {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < least_.size(); ++k) {
    if (is_near(k, near_within)) found.push_back(k);
  }
  std::sort(found.begin(), found.end(),
            [this](std::size_t a, std::size_t b) { return least_[a] < least_[b]; });
  if (found.size() == 1) found.clear();
  return found;
}

std::vector<std::size_t> TrialSchedule::unknown_of(
    const std::vector<std::size_t>& candidates) const {
  std::vector<std::size_t> found;
  for (const std::size_t k : candidates) {
    if (tried_for_[k] < long_enough) found.push_back(k);
  }
  return found;
}

std::vector<std::size_t> TrialSchedule::trials_of(Kind kind) const {
  switch (kind) {
    case Kind::firsts:
      return in_turn(firsts(), trials_of_a_first_);
    case Kind::variants:
      return variants_of_fast_families();
    case Kind::rungs:
      return rungs_next_to_the_best();
    case Kind::near_ones:
      return in_turn(unknown_of(near_the_fastest()), trials_of_the_near);
    case Kind::finalists: {
      std::vector<std::size_t> finalists = near_the_fastest();
      finalists.resize(std::min(finalists.size(), most_finalists));
      return in_turn(unknown_of(finalists), trials_of_a_finalist);
    }
    case Kind::none:
      break;
  }
  return {};
}

/// The next round that has anything to try; none after the last. Rungs are climbed until there is
/// none left.
void TrialSchedule::begin_round() {
  round_.clear();
  while (round_.empty() && next_ != Kind::none) {
    round_ = trials_of(next_);
    const bool again = next_ == Kind::rungs && !round_.empty();
    if (!again) next_ = static_cast<Kind>(static_cast<int>(next_) + 1);
  }
}

}  // namespace pencilbox
