// How steps reach the device: the word in decks.
#pragma once

#include <array>
#include <string_view>

namespace pencilbox {

/// How steps reach the device.
enum class Executor {
  best,      ///< graphs on a GPU, launches where they cost nothing
  launched,  ///< one kernel after the other
  graph      ///< many steps noted once, launched as one
};

inline constexpr std::array<std::string_view, 3> executor_names{"auto", "launched", "graph"};

}  // namespace pencilbox
