// A deck that says of which substance it is: its times, temperatures and lengths in real units.
#pragma once

#include <string>

#include "io/input/deck.hpp"

namespace pencilbox {

/// A few lines, or nothing where the deck has no `units`.
std::string real_units_text(const Deck& deck);

}  // namespace pencilbox
