#include "app/commands/stages.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "app/commands/program.hpp"
#include "app/commands/setup.hpp"
#include "app/engine/start_of.hpp"
#include "core/error.hpp"

namespace pencilbox {
namespace {

void run_stage(const DeckStage& stage, Simulation& simulation) {
  constexpr std::int64_t some = 1000;
  while (simulation.step() < stage.last_step()) {
    const std::int64_t steps = std::min(some, stage.last_step() - simulation.step());
    simulation.advance(steps, LastStep::forces_only);
  }
}

}  // namespace

SimulationSetup setup_of_last_stage(const Deck& deck, StartState start) {
  SimulationSetup setup = make_setup_to_resume(deck, start.types, deck.steps);
  setup.first_step = 0;
  setup.first_time = 0.0;
  setup.start = std::move(start);
  return setup;
}

StartState start_of_last_stage(const Deck& deck, const DeviceApi& device,
                               const std::function<void(const std::string&)>& tell) {
  SimulationSetup setup = make_setup(deck);
  if (deck.stages.size() == 1) return std::move(setup.start);
  setup.observables.clear();
  const std::vector<ParticleType> types = setup.start.types;
  std::unique_ptr<Simulation> simulation;
  try {
    simulation = device.make(std::move(setup));
  } catch (const BackendRefusal& refusal) {
    throw InputError(refusal_text(deck, refusal.what()));
  }
  for (std::size_t k = 0; k + 1 < deck.stages.size(); ++k) {
    tell("running stage " + deck.stages[k].name);
    run_stage(deck.stages[k], *simulation);
    simulation->begin_stage(settings_of(deck.stages[k + 1]));
  }
  return start_of(*simulation, types);
}

}  // namespace pencilbox
