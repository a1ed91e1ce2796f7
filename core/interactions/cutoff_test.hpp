// The cutoff alone: what counting candidates and partners needs of an interaction.
#pragma once

#include "core/device/macros.hpp"

namespace pencilbox {

template <class RealType>
struct CutoffTest {
  using Real = RealType;
  static constexpr bool needs_types = false;
  Real cutoff_squared;
  Real near_squared;  ///< of a first test, on separations that are looked at again

  PENCILBOX_DEVICE_FUNCTION bool in_range(Real r2) const { return r2 < cutoff_squared; }
  PENCILBOX_DEVICE_FUNCTION bool near_range(Real r2) const { return r2 < near_squared; }
};

}  // namespace pencilbox
