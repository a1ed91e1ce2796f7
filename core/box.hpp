// The simulation box: an orthogonal cell with any lower corner and any edges, each direction
// periodic or open.
#pragma once

#include <array>

namespace pencilbox {

/// Three doubles or bools, indexed by direction: 0 = x, 1 = y, 2 = z.
using Double3 = std::array<double, 3>;
using Bool3 = std::array<bool, 3>;

inline bool in_every_direction(const Bool3& is_so) { return is_so[0] && is_so[1] && is_so[2]; }

struct Box {
  Double3 lower{0.0, 0.0, 0.0};  ///< lower corner [sigma]
  Double3 edges{1.0, 1.0, 1.0};  ///< side lengths [sigma], all > 0
  Bool3 periodic{true, true, true};

  double volume() const { return edges[0] * edges[1] * edges[2]; }
  bool fully_periodic() const { return in_every_direction(periodic); }
};

}  // namespace pencilbox
