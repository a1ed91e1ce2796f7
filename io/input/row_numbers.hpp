// Numbers in the rows of a start file, and what all formats ask of their boxes and counts. Each
// throws InputError "file:line: key: ..." for what is wrong.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/box.hpp"
#include "io/input/line_reader.hpp"

namespace pencilbox {

double real_in_row(const LineReader& lines, std::string_view key, std::string_view word);
std::int64_t integer_in_row(const LineReader& lines, std::string_view key, std::string_view word);

/// The three reals from column `first` on.
Double3 vector_in_row(const LineReader& lines, std::string_view key, const Words& words,
                      std::size_t first);

/// The three image flags from column `first` on.
using Image = std::array<std::int32_t, 3>;
Image image_in_row(const LineReader& lines, std::string_view key, const Words& words,
                   std::size_t first);

/// A mass that a type may have.
double mass_in_row(const LineReader& lines, std::string_view key, std::string_view word);

/// The row must have one of these numbers of columns; `layout` names them.
void require_columns(const LineReader& lines, std::string_view key, const Words& words,
                     std::initializer_list<std::size_t> allowed, std::string_view layout);

/// A coordinate of a corner has to be near enough to the origin for a double to tell its digits.
void require_box_corner(double corner, const std::string& place);

/// Sets lower corner and edge of a direction; low < high, edge within what a deck may have.
void set_box_side(Box& box, std::size_t d, double low, double high, const std::string& place);

/// Refuses a count that the bytes of the file cannot hold, before memory is taken for it.
void refuse_impossible_count(const LineReader& lines, std::int64_t count, std::int64_t bytes);

}  // namespace pencilbox
