// How far a minimisation of the energy has come. Plain data.
#pragma once

#include <cstdint>
#include <optional>

namespace pencilbox {

struct Minimisation {
  double force_tolerance = 0.0;  ///< [epsilon/sigma]
  double largest_force = 0.0;    ///< on any particle, now [epsilon/sigma]
  /// The step after which nothing was moved any more, because its forces were within the tolerance.
  std::optional<std::int64_t> rests_since{};

  bool converged() const { return largest_force <= force_tolerance; }
};

}  // namespace pencilbox
