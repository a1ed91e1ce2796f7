#pragma once

#include <limits>

namespace pencilbox {

/// In place of a figure that was not measured, or that a device does not tell.
inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

}  // namespace pencilbox
