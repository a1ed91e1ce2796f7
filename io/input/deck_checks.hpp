// What one key of a deck demands of another.
#pragma once

#include "io/input/deck.hpp"

namespace pencilbox {

/// Throws InputError where keys that are legal each do not go together.
void check_deck(const Deck& deck);

}  // namespace pencilbox
