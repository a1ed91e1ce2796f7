// What one key of a deck demands of another.
#pragma once

#include "io/input/deck.hpp"

namespace pencilbox {

/// Throws InputError where keys that are legal each do not go together. A start that is not the
/// deck's own may lie where the deck writes: then nothing is written there.
void check_deck(const Deck& deck, bool start_is_the_decks = true);

}  // namespace pencilbox
