// What the engine may run a problem with: a back end with its options and, if it keeps a list, a
// skin. One candidate where the deck leaves nothing open; else all that are worth a trial.
//
// Which back end is fastest is hard to predict and needs profiling (Few particles per cell, section
// 9), so `auto` profiles: the first steps of a run are done by each candidate in turn. Every trial
// is made of steps of the run: no work is thrown away. The order of trials: trial_schedule.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/simulation.hpp"
#include "app/engine/trial_schedule.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/problem.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

struct Candidate {
  const BackendEntry* entry = nullptr;
  BackendOptions options;
  double skin = 0.0;  ///< 0 for those that rebuild every step [sigma]

  bool keeps_list() const { return entry->info.rebuild == Rebuild::on_displacement; }
  BackendChoice choice() const;
};

/// At least one, those of one back end in a row. `problem` is on the grid of the bare cutoff.
/// Throws BackendRefusal, with the reason in words, if nothing can run it.
std::vector<Candidate> candidates_for(const SimulationSettings& setup, const Problem& problem);

/// Nothing, or the reason in words why candidates_for() would throw.
std::optional<std::string> refusal_of(const SimulationSettings& setup, const Problem& problem);

/// A family is a back end, a ladder one with certain options, a rung a skin.
std::vector<TrialCandidate> trial_candidates(const std::vector<Candidate>& candidates);

/// Whether they want the same cells, but for what skins make of them.
bool have_cells_alike(const Candidate& a, const Candidate& b);

/// The problem as a candidate gets it: on a grid of such cells.
Problem problem_for(const Candidate& candidate, const Problem& problem);

}  // namespace pencilbox::PENCILBOX_DEVICE
