// A table of a pair's energy and force, as text: after a line `r energy force` one row for each
// distance, evenly spaced; commas or blanks between numbers, # begins a comment.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/interactions/tabulated_model.hpp"

namespace pencilbox {

/// What such a file is called where it is missed.
inline constexpr std::string_view pair_table_kind = "a table of a pair potential";

/// Throws InputError, "file:line: ...", for what is wrong: rows out of order or with a gap, an
/// energy that its force contradicts; and if the file is another one than that of this hash. The
/// cutoff is that of the last row.
PairTable read_pair_table(const std::filesystem::path& path, const std::string& hash);

/// Of what stands in the file, see hash_of(). Throws InputError if it cannot be read.
std::string hash_of_pair_table(const std::filesystem::path& path);

/// The same from a text; `name` stands for its file.
PairTable parse_pair_table(std::string text, const std::string& name);

}  // namespace pencilbox
