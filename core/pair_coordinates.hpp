// What a position of the state is to a pair.
//
// Where coordinates are floats and sums are not, the forces of a pair cancel to the last bit only
// if both sides see the same separation. On a lattice coarse enough that 24 bits reach from the
// centre of a cell to every partner of its particles each sum and difference of coordinates and
// shifts is exact, so it does not matter from which cell a pair is seen, and what comes first.
#pragma once

#include <cmath>
#include <type_traits>

#include "core/vec3.hpp"

namespace pencilbox {

/// The finest spacing, a power of two, such that floats hold all its multiples up to `reach`
/// [sigma].
inline double lattice_spacing(double reach) { return std::exp2(std::ceil(std::log2(reach)) - 24); }

/// `Pair` is the arithmetic of a pair, `State` that of positions.
template <class State, class Pair>
struct PairCoordinates {
  /// So large that what is added to it is rounded to a multiple of the spacing; 0 without one.
  double anchor = 0.0;

  /// `spacing`: 0 for coordinates as fine as a pair's arithmetic.
  static PairCoordinates with(double spacing) { return {spacing * (3.0 * 0x1p51)}; }

  PENCILBOX_DEVICE_FUNCTION Vec3<Pair> operator()(const Vec3<State>& position) const {
    if constexpr (std::is_same_v<State, Pair>) {
      return position;
    } else {
      return {rounded(position.x), rounded(position.y), rounded(position.z)};
    }
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Pair rounded(State coordinate) const {
    return static_cast<Pair>((coordinate + anchor) - anchor);
  }
};

}  // namespace pencilbox
