// The deck's table as a JSON Schema, for editors that complete and check YAML.
#pragma once

#include <string>

#include "io/input/catalogue.hpp"

namespace pencilbox {

/// JSON Schema, draft 2020-12, of the decks that this build accepts.
std::string json_schema(const Catalogue& catalogue);

}  // namespace pencilbox
