// How the letters of a step reach the neighbours' devices.
#pragma once

#include <array>
#include <string_view>

namespace pencilbox {

enum class Exchange {
  best,    ///< directly where each device reaches the others' memory
  direct,  ///< kernels store into the neighbour's memory
  host     ///< through memory of the host, by any MPI
};

inline constexpr std::array<std::string_view, 3> exchange_names{"auto", "direct", "host"};

}  // namespace pencilbox
