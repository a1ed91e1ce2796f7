// The keys of a deck that a run cannot change half-way: what its particles are, how they interact,
// how they are moved, how exactly. A checkpoint carries them, and a resumed run is held to them.
#pragma once

#include <optional>
#include <string>

#include "io/input/deck.hpp"

namespace pencilbox {

/// `system.particles.lattice.density: 0.8442` and so on, a key a line, defaults included. Of a
/// start file the name alone: it may have moved.
std::string fixed_keys(const Deck& deck);

/// A key that two decks do not agree about; a value is empty where the key is absent.
struct KeyDifference {
  std::string key;
  std::string before, now;
};

/// The first difference between two results of fixed_keys(), or nothing.
std::optional<KeyDifference> first_difference(const std::string& before, const std::string& now);

}  // namespace pencilbox
