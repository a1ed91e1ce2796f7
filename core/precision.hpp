// The three precisions of a run, and which arithmetic each of them uses where.
#pragma once

#include <array>
#include <string_view>

namespace pencilbox {

enum class Precision { single, mixed, double_ };

inline constexpr std::array<std::string_view, 3> precision_names{"single", "mixed", "double"};

constexpr std::string_view name_of(Precision precision) {
  return precision_names[static_cast<std::size_t>(precision)];
}

/// Everything float; only the sums of observables are double.
struct SinglePrecision {
  static constexpr Precision value = Precision::single;
  using State = float;        ///< positions and velocities
  using Accumulator = float;  ///< a particle's force, energy and virial
  using Pair = float;         ///< arithmetic of one pair, on cell-relative coordinates
};

/// State and accumulators double, the arithmetic of a pair float.
struct MixedPrecision {
  static constexpr Precision value = Precision::mixed;
  using State = double;
  using Accumulator = double;
  using Pair = float;
};

struct DoublePrecision {
  static constexpr Precision value = Precision::double_;
  using State = double;
  using Accumulator = double;
  using Pair = double;
};

}  // namespace pencilbox
