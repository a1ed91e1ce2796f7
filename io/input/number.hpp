// Numbers as they are written in decks and start files. The whole text must be the number, with a
// decimal point whatever the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pencilbox {

/// A finite real number; nothing for "nan", "inf", "1,5", "0x10", "010", "1_000" or "1.0e".
std::optional<double> parse_real(std::string_view text);

/// An integer that fits 64 bits; a whole-valued real such as 1e6 counts while a double is exact
/// (up to 2^53). Nothing for "100.5", "010", "1e30" or "0x10".
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Does the text look like an octal number ("010")? YAML 1.1 readers take it for 8.
bool has_leading_zero(std::string_view text);

}  // namespace pencilbox
