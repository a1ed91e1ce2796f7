// From a deck and the folder of an earlier run to the state that the run goes on from.
#pragma once

#include <string>

#include "io/checkpoint/generations.hpp"
#include "io/input/deck.hpp"

namespace pencilbox {

/// The newest whole checkpoint in the deck's output folder, held against the deck; changes nothing.
/// Throws InputError, one line: there is none, none is whole, it is of another run (what differs,
/// both values), or it is later than `run.steps`.
FoundCheckpoint find_checkpoint_of(const Deck& deck);

/// "nothing left to do: ..." or "at step 100, from melt/checkpoint.h5; 900 steps to go".
std::string resume_text(const Deck& deck, const FoundCheckpoint& found);

}  // namespace pencilbox
