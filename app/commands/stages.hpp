// The stages of a deck, as commands other than `run` see them.
#pragma once

#include <functional>
#include <string>

#include "app/engine/simulation.hpp"
#include "io/input/deck.hpp"

namespace pencilbox {

/// Where the deck's last stage begins: where those before it end, which are run here by the deck's
/// back end, or, without any, the deck's start. `tell` is called with what is being done. Throws
/// what make() and advance() do.
StartState start_of_last_stage(const Deck& deck, const DeviceApi& device,
                               const std::function<void(const std::string&)>& tell);

/// The last stage as if it were all of the run.
SimulationSetup setup_of_last_stage(const Deck& deck, StartState start);

}  // namespace pencilbox
