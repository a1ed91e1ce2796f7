#include "app/ranks/rank_choices.hpp"

#include "app/engine/candidates.hpp"
#include "app/engine/changing_box.hpp"
#include "app/engine/simulation_problem.hpp"
#include "app/ranks/rank_device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Whether that is the deck's to say, and it says it.
bool is_named(const SimulationSettings& setup, const Problem& bare) {
  return setup.backend != any_backend && candidates_for(setup, bare).size() == 1;
}

}  // namespace

void require_ranks(const SimulationSettings& setup, const Problem& problem, const RankGrid& ranks) {
  std::vector<BackendInfo> backends;
  for (const BackendEntry& entry : backend_registry()) backends.push_back(entry.info);
  if (const auto refusal = refusal_on_ranks(setup, problem.grid, ranks, backends)) {
    throw RanksRefusal(*refusal);
  }
}

Problem as_it_runs(const SimulationSettings& setup, const Problem& bare) {
  return problem_for(candidates_for(setup, bare).front(), bare);
}

Problem as_it_goes_on(const SimulationSettings& setup, const ExactState& state) {
  const Problem bare = make_problem(setup, state, device_properties());
  const Candidate candidate = candidates_for(setup, bare).front();
  Problem problem = problem_for(candidate, bare);
  const bool is_of_candidate =
      candidate.keeps_list() != state.reference.empty() && candidate.skin == state.skin;
  const bool is_open = !bare.box.fully_periodic();  // where cells are those of a crowd
  if (is_of_candidate && (is_open || suits(candidate, grid_of(state), bare))) {
    problem.grid = grid_of(state);
  }
  return problem;
}

std::vector<BackendChoice> choices_on_ranks(const SimulationSettings& setup, const Problem& bare,
                                            const RankWish& wish, int ranks) {
  if (is_named(setup, bare)) return {{setup.backend, setup.options, 0.0}};
  std::vector<Candidate> candidates = candidates_for(setup, bare);
  if (setup.deterministic) candidates.resize(1);
  std::vector<BackendChoice> lists, others;
  std::optional<RanksRefusal> refusal;
  for (const Candidate& candidate : candidates) {
    const BackendChoice choice = candidate.choice();
    const Problem problem = problem_for(candidate, bare);
    try {
      require_ranks(with(setup, choice), problem, rank_grid_for(problem.grid, wish.grid, ranks));
      (candidate.keeps_list() ? lists : others).push_back(choice);
    } catch (const RanksRefusal& why_not) {
      if (!refusal) refusal = why_not;
    }
  }
  if (lists.empty() && others.empty()) throw RanksRefusal(*refusal);
  return lists.empty() ? others : lists;
}

RankGrid grid_of_ranks(const SimulationSettings& setup, const Problem& bare, const RankWish& wish,
                       int ranks) {
  SimulationSettings named = setup;
  if (!is_named(setup, bare)) {
    named = with(setup, choices_on_ranks(setup, bare, wish, ranks).front());
  }
  const Problem problem = as_it_runs(named, bare);
  const RankGrid grid = rank_grid_for(problem.grid, wish.grid, ranks);
  require_ranks(named, problem, grid);
  return grid;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
