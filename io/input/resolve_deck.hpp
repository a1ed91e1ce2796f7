// From YAML to typed values: every key is checked against the table, defaults are filled in.
#pragma once

#include <string>
#include <vector>

#include "io/input/deck_schema.hpp"
#include "io/input/deck_value.hpp"
#include "io/input/yaml_tree.hpp"

namespace pencilbox {

/// Puts overrides ("potential.cutoff=3.0" or "run.stages[1].steps=50", the value in YAML) over what
/// the deck says; the last of several for one key holds. Throws InputError for one that is not
/// key=value.
void apply_overrides(YamlNode& root, const std::vector<std::string>& overrides);

/// Checks the tree against the schema and fills in the defaults. Throws InputError for the first
/// key that is unknown, missing, or of a wrong type or value. `name` is the deck's
/// name in errors.
DeckValue resolve_deck(const YamlNode& root, const DeckSchema& schema, const std::string& name);

/// "deck.yaml:12: potential.cutoff", or "--set potential.cutoff".
std::string place_of(const std::string& name, const Origin& origin, const std::string& path);

}  // namespace pencilbox
