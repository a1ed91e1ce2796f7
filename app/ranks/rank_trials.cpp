#include "app/ranks/rank_trials.hpp"

#include <algorithm>
#include <utility>

namespace pencilbox {

RankTrials::RankTrials(std::vector<BackendChoice> choices)
    : choices_(std::move(choices)), seconds_(choices_.size()) {}

bool RankTrials::is_of_one_ladder(std::size_t a, std::size_t b) const {
  return choices_[a].name == choices_[b].name && choices_[a].options == choices_[b].options;
}

bool RankTrials::is_first_of_ladder(std::size_t trial) const {
  for (std::size_t before = 0; before < trial; ++before) {
    if (is_of_one_ladder(before, trial)) return false;
  }
  return true;
}

/// The next skin in its ladder.
std::optional<std::size_t> RankTrials::neighbor(std::size_t trial, bool larger_skin) const {
  const auto is_beyond = [&](std::size_t a, std::size_t b) {
    return larger_skin ? choices_[a].skin > choices_[b].skin : choices_[a].skin < choices_[b].skin;
  };
  std::optional<std::size_t> nearest;
  for (std::size_t other = 0; other < size(); ++other) {
    if (!is_of_one_ladder(other, trial) || !is_beyond(other, trial)) continue;
    if (!nearest || is_beyond(*nearest, other)) nearest = other;
  }
  return nearest;
}

std::optional<std::size_t> RankTrials::next() const {
  for (std::size_t trial = 0; trial < size(); ++trial) {
    if (is_first_of_ladder(trial) && !seconds_[trial]) return trial;
  }
  for (const bool larger_skin : {true, false}) {
    const auto candidate = neighbor(*best(), larger_skin);
    if (candidate && !seconds_[*candidate]) return candidate;
  }
  return {};
}

std::size_t RankTrials::tried() const {
  const auto is_timed = [](const auto& seconds) { return seconds.has_value(); };
  return static_cast<std::size_t>(std::count_if(seconds_.begin(), seconds_.end(), is_timed));
}

std::optional<std::size_t> RankTrials::fastest_but(std::optional<std::size_t> other) const {
  std::optional<std::size_t> fastest;
  for (std::size_t trial = 0; trial < size(); ++trial) {
    if (!seconds_[trial] || trial == other) continue;
    if (!fastest || *seconds_[trial] < *seconds_[*fastest]) fastest = trial;
  }
  return fastest;
}

std::optional<std::size_t> RankTrials::best() const { return fastest_but({}); }

std::optional<std::size_t> RankTrials::runner_up() const {
  return best() ? fastest_but(best()) : std::nullopt;
}

}  // namespace pencilbox
