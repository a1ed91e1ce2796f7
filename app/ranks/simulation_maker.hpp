// How simulations of one kind come to be.
#pragma once

#include <functional>
#include <memory>

#include "app/engine/simulation.hpp"

namespace pencilbox {

/// These settings, with this back end.
inline SimulationSettings with(SimulationSettings setup, const BackendChoice& choice) {
  setup.backend = choice.name;
  setup.options = choice.options;
  if (choice.skin > 0.0) setup.skin = choice.skin;
  return setup;
}

struct SimulationMaker {
  std::function<std::unique_ptr<Simulation>(SimulationSetup)> make;
  std::function<std::unique_ptr<Simulation>(SimulationSetup, const ExactState&)> resume;
};

}  // namespace pencilbox
