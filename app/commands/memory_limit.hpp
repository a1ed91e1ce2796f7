// Whether a deck's particles fit into the memory that a run may take here, asked before they are
// made. What is allocated on the way asks for itself (core/memory_limit.hpp).
#pragma once

#include "app/engine/simulation.hpp"
#include "io/input/deck.hpp"

namespace pencilbox {

/// Throws SystemError, in words, if the start of a deck does not fit; a start file's reader asks
/// itself, once it knows how many particles there are.
void require_memory_for_start(const Deck& deck);

/// The same for what a device that computes in this machine's own memory needs beside the start,
/// for so many simulations.
void require_memory_on_host(const DeviceApi& device, const SimulationSetup& setup, int at_once = 1);

/// The same for a simulation that goes on from a state.
void require_memory_on_host(const DeviceApi& device, SimulationSetup setup,
                            const ExactState& state);

}  // namespace pencilbox
