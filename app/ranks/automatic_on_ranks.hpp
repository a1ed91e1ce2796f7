// `auto` on several ranks: a simulation that is another one's each time another back end is tried.
#pragma once

#include <memory>
#include <vector>

#include "app/ranks/simulation_maker.hpp"

namespace pencilbox {

/// `maker`: for settings that name a back end. `choices`: what may be tried, at least one, the
/// first of which it begins with.
std::unique_ptr<Simulation> make_automatic(SimulationSetup setup,
                                           std::vector<BackendChoice> choices,
                                           SimulationMaker maker);
std::unique_ptr<Simulation> resume_automatic(SimulationSetup setup, const ExactState& state,
                                             std::vector<BackendChoice> choices,
                                             SimulationMaker maker);

}  // namespace pencilbox
