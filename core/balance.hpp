// Whether ranks share cells by the work that these are.
#pragma once

#include <array>
#include <string_view>

namespace pencilbox {

enum class Balance {
  best,  ///< as much work for each, dealt out anew where waiting costs more than that
  off    ///< as many cells for each
};

/// Of the busiest rank's work over the mean: less is not worth other cuts.
inline constexpr double tolerated_load = 1.1;

inline constexpr std::array<std::string_view, 2> balance_names{"auto", "off"};

}  // namespace pencilbox
