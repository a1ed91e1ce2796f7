// "Did you mean ...?"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pencilbox {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`, blind to
/// case and to the difference of '-' and '_'. Optimal string alignment (Damerau, CACM 7, 171,
/// 1964).
int edit_distance(std::string_view a, std::string_view b);

/// The name nearest to `word`, if it is near enough to be what was meant.
std::optional<std::string> nearest_name(std::string_view word,
                                        const std::vector<std::string>& names);

}  // namespace pencilbox
