// A run on several ranks whose simulation is another one's from time to time: where `auto` tries
// the next back end, and where cells are dealt out anew since ranks have waited for each other.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "app/engine/simulation.hpp"

namespace pencilbox {

/// How simulations on ranks come to be, for settings that name a back end; each deals out cells by
/// the work that these are then.
struct RankedMaker {
  std::function<std::unique_ptr<Simulation>(SimulationSetup)> make;
  std::function<std::unique_ptr<Simulation>(SimulationSetup, const ExactState&)> resume;
  bool balances = false;  ///< cells may be dealt out anew
};

/// `choices`: what may be tried, at least one, the first of which it begins with. One alone is not
/// tried.
std::unique_ptr<Simulation> make_changing(SimulationSetup setup, std::vector<BackendChoice> choices,
                                          RankedMaker maker);
std::unique_ptr<Simulation> resume_changing(SimulationSetup setup, const ExactState& state,
                                            std::vector<BackendChoice> choices, RankedMaker maker);

}  // namespace pencilbox
