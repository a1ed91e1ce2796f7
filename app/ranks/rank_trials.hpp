// Which back end `auto` takes on several ranks: each is tried by steps of the run, one after the
// other, since to change costs a way of all particles through the first rank.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/registry.hpp"

namespace pencilbox {

/// First one of each ladder, then, while that helps, the neighbours in the ladder of the fastest.
class RankTrials {
 public:
  /// What differs in its skin alone is a ladder; the first of each is tried first. At least one.
  explicit RankTrials(std::vector<BackendChoice> choices);

  /// What is to be tried next; nothing once it is decided.
  std::optional<std::size_t> next() const;
  void note(std::size_t trial, double seconds_a_step) { seconds_[trial] = seconds_a_step; }

  const BackendChoice& choice(std::size_t trial) const { return choices_[trial]; }
  std::size_t size() const { return choices_.size(); }
  std::size_t tried() const;
  /// The fastest so far, if any was timed, and the one after it.
  std::optional<std::size_t> best() const;
  std::optional<std::size_t> runner_up() const;
  double seconds(std::size_t trial) const { return seconds_[trial].value_or(0.0); }

 private:
  bool is_of_one_ladder(std::size_t a, std::size_t b) const;
  bool is_first_of_ladder(std::size_t trial) const;
  std::optional<std::size_t> neighbor(std::size_t trial, bool larger_skin) const;
  std::optional<std::size_t> fastest_but(std::optional<std::size_t> other) const;

  std::vector<BackendChoice> choices_;
  std::vector<std::optional<double>> seconds_;
};

}  // namespace pencilbox
