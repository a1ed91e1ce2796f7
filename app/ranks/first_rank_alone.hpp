// Minimisations on several ranks: the first one does such a stage alone, as if there were no
// others, and these wait. So its bits are those of one rank, and nothing of it has to be shared.
#pragma once

#include <memory>

#include "app/ranks/decomposition.hpp"
#include "app/ranks/post.hpp"
#include "app/ranks/simulation_maker.hpp"

namespace pencilbox {

/// Whether the first rank does such a stage alone.
bool is_for_first_rank_alone(const StageSettings& stage);

/// By whom stages are done.
struct DoneBy {
  SimulationMaker all_ranks, first_rank;
  RankGrid ranks{1, 1, 1};  ///< of all, should they never come to it
  std::shared_ptr<Post> post;
};

std::unique_ptr<Simulation> make_by_stages(SimulationSetup setup, const DoneBy& by);
std::unique_ptr<Simulation> resume_by_stages(const SimulationSetup& setup, const ExactState& state,
                                             const DoneBy& by);

}  // namespace pencilbox
