// In which order `backend: auto` tries what it may choose from, and when it has seen enough. Only
// arithmetic on times: what is timed, and how, is the caller's.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace pencilbox {

/// Candidates are tried in rounds, because a trial of a slow one costs a run more than it teaches:
///
/// 1. of each family (back end) the first candidate;
/// 2. the other candidates of families whose first came near the fastest;
/// 3. all that came near the fastest twice more, in turn;
/// 4. the fastest few again, in turn, until their order can be trusted.
///
/// Of a candidate's trials the least time counts: what disturbs a measurement makes it longer.
class TrialSchedule {
 public:
  /// `family_of[k]`: which family candidate k belongs to. At least one candidate; the first is what
  /// to use before anything is known.
  explicit TrialSchedule(std::vector<std::size_t> family_of);

  /// The candidates to time, in this order, one trial each entry. Empty once decided.
  const std::vector<std::size_t>& round() const { return round_; }

  /// `seconds[i]` is what trial i of round() took. Begins the next round, or decides.
  void finish_round(const std::vector<double>& seconds);

  bool decided() const { return round_.empty(); }

  /// The fastest so far.
  std::size_t best() const;
  /// The fastest of the others that were tried.
  std::optional<std::size_t> runner_up() const;
  /// Least time of a candidate that was tried [s].
  double seconds(std::size_t candidate) const { return least_.at(candidate); }
  std::size_t tried() const;

 private:
  std::vector<std::size_t> firsts() const;
  std::vector<std::size_t> variants_of_fast_families() const;
  std::vector<std::size_t> near_the_fastest() const;
  std::vector<std::size_t> finalists() const;
  std::vector<std::size_t> trials_of(int round) const;
  void begin_round();

  std::vector<std::size_t> family_of_;
  std::vector<double> least_;  ///< infinite where not tried
  std::vector<std::size_t> round_;
  int rounds_begun_ = 0;
};

}  // namespace pencilbox
