// The constants of two types, as a pair kernel finds them: in a register where all particles are of
// one type, else in a table.
#pragma once

#include <cstdint>

#include "core/device/macros.hpp"

namespace pencilbox {

/// Of one pair: force = force_over_r * separation on the target; energy of the whole pair.
template <class Real>
struct PairTerm {
  Real force_over_r;
  Real energy;
};

/// All particles are of one type.
template <class Constants>
struct OnePairOfTypes {
  static constexpr bool needs_types = false;
  Constants constants;

  PENCILBOX_DEVICE_FUNCTION const Constants& operator()(std::int32_t, std::int32_t) const {
    return constants;
  }
};

/// types x types rows in device memory, row-major.
template <class Constants>
struct TableOfPairs {
  static constexpr bool needs_types = true;
  const Constants* rows;
  std::int32_t types;

  PENCILBOX_DEVICE_FUNCTION const Constants& operator()(std::int32_t a, std::int32_t b) const {
    return rows[a * types + b];
  }
};

}  // namespace pencilbox
