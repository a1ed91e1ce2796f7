// How simulations of one kind come to be.
#pragma once

#include <functional>
#include <memory>

#include "app/engine/simulation.hpp"

namespace pencilbox {

struct SimulationMaker {
  std::function<std::unique_ptr<Simulation>(SimulationSetup)> make;
  std::function<std::unique_ptr<Simulation>(SimulationSetup, const ExactState&)> resume;
};

}  // namespace pencilbox
