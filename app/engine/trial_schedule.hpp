// In which order `backend: auto` tries what it may choose from, and when it has seen enough. Only
// arithmetic on times: what is timed, and how, is the caller's.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace pencilbox {

/// What may be tried.
struct TrialCandidate {
  std::size_t family = 0;  ///< back end
  std::size_t ladder = 0;  ///< those of one ladder differ by their rung alone
  double rung = 0.0;  ///< where on it: a skin, of which one is best, and time rises on both sides
};

/// What a trial took.
struct TrialTime {
  double of_a_step = 0.0;  ///< [s]
  double of_all = 0.0;     ///< of its steps together [s]: the longer, the better it is known
};

/// Candidates are tried in rounds, because a trial of a slow one costs a run more than it teaches:
///
/// 1. of each family the first candidate, twice in turn where a trial may be disturbed;
/// 2. of families whose first came near the fastest one of each other ladder; and from then on,
///    on ladders near the fastest, the rung above the best, and where that is slower the one below,
///    until those on both sides are;
/// 3. all that came near the fastest twice more, in turn;
/// 4. the fastest few again, in turn, until their order can be trusted.
///
/// Whoever had long trials is known, and not tried again. Of a candidate's trials the least time
/// counts: what disturbs a measurement makes it longer.
class TrialSchedule {
 public:
  /// After so many seconds of trials a candidate is known.
  static constexpr double long_enough = 3e-3;

  /// At least one candidate; the first is what to use before anything is known.
  /// `trials_of_a_first`: in the first round, where whoever is slow is not looked at again. Two of
  /// them must agree to condemn somebody for what another program did to the machine.
  explicit TrialSchedule(std::vector<TrialCandidate> candidates, int trials_of_a_first = 1);

  /// Where the fastest takes longer for a step [s], whoever takes `slow_within` times as long is
  /// out, and what else its family has.
  static constexpr double short_step = 50e-6;
  static constexpr double slow_within = 1.5;

  /// The candidates to time, in this order, one trial each entry. Empty once decided.
  const std::vector<std::size_t>& round() const { return round_; }

  /// What the trials of round() took. Begins the next round, or decides.
  void finish_round(const std::vector<TrialTime>& times);

  bool decided() const { return round_.empty(); }

  /// The fastest so far.
  std::size_t best() const;
  /// The fastest of the others that were tried.
  std::optional<std::size_t> runner_up() const;
  /// Least time of a candidate that was tried [s].
  double seconds(std::size_t candidate) const { return least_.at(candidate); }
  std::size_t tried() const;

 private:
  enum class Kind { firsts, variants, rungs, near_ones, finalists, none };

  bool is_first_of(std::size_t candidate, std::size_t TrialCandidate::*group) const;
  bool is_near(std::size_t candidate, double within) const;
  std::vector<std::size_t> firsts() const;
  std::vector<std::size_t> variants_of_fast_families() const;
  std::optional<std::size_t> best_of_ladder(std::size_t ladder) const;
  std::optional<std::size_t> next_rung(std::size_t from, bool above) const;
  std::vector<std::size_t> rungs_next_to_the_best() const;
  std::vector<std::size_t> near_the_fastest() const;
  std::vector<std::size_t> unknown_of(const std::vector<std::size_t>& candidates) const;
  std::vector<std::size_t> trials_of(Kind kind) const;
  void begin_round();

  std::vector<TrialCandidate> candidates_;
  std::vector<double> least_;      ///< of a step; infinite where not tried [s]
  std::vector<double> tried_for_;  ///< all trials together [s]
  std::vector<std::size_t> round_;
  int trials_of_a_first_;
  Kind next_ = Kind::firsts;
};

}  // namespace pencilbox
