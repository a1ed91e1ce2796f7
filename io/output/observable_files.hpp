// What an observable has found: a table in observable-NAME.csv, and a picture of it in
// observable-NAME.svg.
#pragma once

#include <filesystem>
#include <string>

#include "core/observable_info.hpp"

namespace pencilbox {

/// Columns with their names in the first line, 17 digits; `nan` where nothing is known.
std::string to_csv(const ObservableResult& result);

/// Writes both, each whole or not at all. Throws SystemError.
void write_observable(const std::filesystem::path& directory, const ObservableResult& result);

}  // namespace pencilbox
