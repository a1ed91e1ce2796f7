// Which candidate the engine runs now, and when it has seen enough. Arithmetic on times alone: what
// is run, and how it is timed, is the engine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/engine/trial_schedule.hpp"

namespace pencilbox {

/// A trial is a number of steps that tells what a step costs: a few of a candidate that rebuilds
/// every step; whole cycles, from one rebuild to the next, of one that keeps a list. Where these
/// are short they are noted as graphs, which takes longer than they do: so they begin with some
/// that do not count.
class Choosing {
 public:
  /// `keeps_list[k]`: whether candidate k keeps one. The first candidate is what to run before
  /// anything is known.
  /// `is_shared`: other programs may disturb a trial, as they do on a CPU.
  Choosing(std::vector<TrialCandidate> candidates, std::vector<bool> keeps_list, bool is_shared);

  bool decided() const { return schedule_.decided(); }
  const TrialSchedule& schedule() const { return schedule_; }

  /// The candidate to run.
  std::size_t active() const;

  /// How many steps the trial still wants; `expected_interval`: between two rebuilds, as far as it
  /// is known (0: not).
  std::int64_t steps_wanted(std::int64_t expected_interval) const;

  /// What a part of the trial took. True if that was all of it: then active() is the next.
  bool note(double seconds, std::int64_t steps, std::int64_t rebuilds,
            std::int64_t expected_interval);

 private:
  static constexpr std::int64_t steps_of_a_trial = 2;
  /// A list that holds longer than that is judged as if it held so long.
  static constexpr std::int64_t longest_cycle = 100;
  /// Cycles are timed for as long as makes them known, at once [s]: to begin a trial costs as much.
  static constexpr double least_of_cycles = TrialSchedule::long_enough;
  /// A trial ends so far behind a rebuild that it surely holds it: cycles differ by a step.
  static constexpr std::int64_t steps_behind_a_rebuild = 2;
  /// After so many it may end anywhere.
  static constexpr std::int64_t many_rebuilds = 4;
  /// Of a step: to note some of them in a graph does not take longer [s].
  static constexpr double long_step = 50e-6;

  /// What counts of it, and what came before that.
  struct Trial {
    double seconds = 0.0;
    std::int64_t steps = 0;
    std::int64_t rebuilds = 0;
    bool is_warm = false;
    double step_seconds = 0.0;  ///< of late; 0: not known
    std::int64_t warm_up_steps = 0;
    std::int64_t warm_up_rebuilds = 0;
  };

  bool is_over(std::int64_t expected_interval) const;
  bool is_out(double of_a_step) const;
  bool warms_up(double seconds, std::int64_t steps, std::int64_t rebuilds);

  TrialSchedule schedule_;
  std::vector<bool> keeps_list_;
  std::vector<TrialTime> times_;  ///< of the trials of this round that are over
  Trial trial_;                   ///< that goes on
  double fastest_ = 0.0;          ///< step of a trial so far; 0: there was none [s]
};

}  // namespace pencilbox
