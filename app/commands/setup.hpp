// From a deck to everything that a simulation needs.
#pragma once

#include <cstdint>
#include <vector>

#include "app/engine/simulation.hpp"
#include "io/input/deck.hpp"

namespace pencilbox {

/// Builds the start (reads its file, if it has one), hands out types and velocities, and fills the
/// model of the potential: unlike pairs by Lorentz-Berthelot, or the types' masses. Throws
/// InputError where the start cannot be made as the deck says. Whether a back end can run the
/// result is not asked here.
SimulationSetup make_setup(const Deck& deck);

/// The same without a start, for a run that goes on with particles of these types at this step.
SimulationSetup make_setup_to_resume(const Deck& deck, const std::vector<ParticleType>& types,
                                     std::int64_t step);

StageSettings settings_of(const DeckStage& stage);

}  // namespace pencilbox
