// The one line that a bad input gets: "file:line: key: what is wrong, got X, allowed Y".
#pragma once

#include <string>
#include <string_view>

namespace pencilbox {

/// UTF-8 without control characters: what may stand in a line, or on a terminal.
bool is_printable(std::string_view text);

/// What the user wrote, fit to stand in one line: control characters replaced, long text cut.
std::string quoted_input(std::string_view text);

/// Throws InputError with the line. `place` is "deck.yaml:12: potential.cutoff" or as much of that
/// as is known; `got` is cleaned by quoted_input; `got` or `allowed` may be empty.
[[noreturn]] void complain(std::string_view place, std::string_view what, std::string_view got,
                           std::string_view allowed);

}  // namespace pencilbox
