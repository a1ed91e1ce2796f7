// How steps reach the device: the word in decks.
#pragma once

#include <array>
#include <string_view>

namespace pencilbox {

/// How steps reach the device.
enum class Executor {
  best,       ///< graphs on a GPU, launches where they cost nothing
  launched,   ///< one kernel after the other
  graph,      ///< many steps noted once, launched as one
  persistent  ///< from one rebuild of a list to the next in one kernel, whose blocks meet after
              ///< each step
};

inline constexpr std::array<std::string_view, 4> executor_names{"auto", "launched", "graph",
                                                                "persistent"};

}  // namespace pencilbox
