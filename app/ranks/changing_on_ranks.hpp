// A run on several ranks whose simulation is another one's from time to time: where `auto` tries
// the next back end, and where cells are dealt out anew since ranks have waited for each other.
#pragma once

#include <memory>
#include <vector>

#include "app/ranks/simulation_maker.hpp"

namespace pencilbox {

/// `maker`: for settings that name a back end; it deals out cells by the work that these are then.
/// `choices`: what may be tried, at least one, the first of which it begins with; one alone is not
/// tried. `balances`: cells may be dealt out anew.
std::unique_ptr<Simulation> make_changing(SimulationSetup setup, std::vector<BackendChoice> choices,
                                          SimulationMaker maker, bool balances);
std::unique_ptr<Simulation> resume_changing(const SimulationSetup& setup, const ExactState& state,
                                            std::vector<BackendChoice> choices,
                                            SimulationMaker maker, bool balances);

}  // namespace pencilbox
