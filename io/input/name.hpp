// Names that a user gives: of types in decks and start files, which outputs repeat.
#pragma once

#include <string_view>

namespace pencilbox {

inline constexpr std::string_view what_a_name_is =
    "a word of at most 32 letters, digits, '_', '-' and '+'";

bool is_name(std::string_view text);

}  // namespace pencilbox
