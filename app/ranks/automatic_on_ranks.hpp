// `auto` on several ranks: a simulation that is another one's each time another back end is tried.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "app/engine/simulation.hpp"

namespace pencilbox {

/// How simulations on ranks come to be, for settings that name a back end.
struct RankedMaker {
  std::function<std::unique_ptr<Simulation>(SimulationSetup)> make;
  std::function<std::unique_ptr<Simulation>(SimulationSetup, const ExactState&)> resume;
};

/// `choices`: what may be tried, at least one, the first of which it begins with.
std::unique_ptr<Simulation> make_automatic(SimulationSetup setup,
                                           std::vector<BackendChoice> choices, RankedMaker maker);
std::unique_ptr<Simulation> resume_automatic(SimulationSetup setup, const ExactState& state,
                                             std::vector<BackendChoice> choices, RankedMaker maker);

}  // namespace pencilbox
