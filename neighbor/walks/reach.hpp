// How far a walk looks that leaves out whole groups of sources.
#pragma once

namespace pencilbox {

/// The square of a distance, and a little more: what rounds to it is in reach.
template <class Pair>
Pair reach_squared_of(double distance) {
  return static_cast<Pair>(1.0001 * distance * distance + 1e-6);
}

}  // namespace pencilbox
