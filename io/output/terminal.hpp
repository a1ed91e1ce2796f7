// What a terminal can show.
#pragma once

#include <cstddef>
#include <string>

namespace pencilbox {

/// Where something else than a terminal takes the output, and where a terminal does not know.
inline constexpr std::size_t usual_width = 80;

/// Columns of the terminal behind a descriptor, at this moment.
std::size_t terminal_width(int descriptor);

/// Is it a terminal whose lines can be rewritten? Not so with TERM=dumb.
bool is_terminal(int descriptor);

/// Is it one, and is NO_COLOR empty or not set?
bool wants_colour(int descriptor);

std::string bold(const std::string& text);
std::string bold_red(const std::string& text);

}  // namespace pencilbox
