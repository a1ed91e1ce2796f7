// What a deck says of the pairs of types, as the model of a potential.
#pragma once

#include <vector>

#include "core/interactions/potential.hpp"
#include "io/input/deck.hpp"

namespace pencilbox {

/// Unlike pairs by Lorentz-Berthelot where they are absent, tables from their files, or the types'
/// masses. Throws InputError for a pair that is of no type, missing or there twice.
Potential potential_of(const Deck& deck, const std::vector<ParticleType>& types);

}  // namespace pencilbox
