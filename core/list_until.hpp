// Until when a list of pairs is used: the word in decks.
#pragma once

#include <array>
#include <string_view>

namespace pencilbox {

enum class ListUntil {
  best,          ///< what is faster for this system on this device
  displacement,  ///< some particle is half the skin away from where the list has it
  missed_pair    ///< two particles are within the cutoff that the list has not, or might be
};

inline constexpr std::array<std::string_view, 3> list_until_names{"auto", "displacement",
                                                                  "missed-pair"};

}  // namespace pencilbox
