// YAML as a plain tree whose every node knows its line. The only file that reads with yaml-cpp:
// what YAML allows but a deck must not contain is refused here, before anything is built from it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pencilbox {

/// Where a node was written.
struct Origin {
  int line = 1;                ///< 1-based, of the deck
  bool from_override = false;  ///< came from --set: the line means nothing
};

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  std::string text;                ///< of a scalar
  bool quoted = false;             ///< a scalar in quotes, or a block scalar: text, never a number
  std::vector<YamlNode> items;     ///< of a list
  std::vector<YamlEntry> entries;  ///< of a map, in the order of the text
  Origin origin;                   ///< of the key in a map, else of the value

  const YamlNode* find(std::string_view key) const;
  YamlNode* find(std::string_view key);
};

/// A key of a map and its value. (No std::pair: clang 14 and 15 cannot complete one of a class that
/// holds it.)
struct YamlEntry {
  std::string key;
  YamlNode value;
};

/// Reads one YAML document. `place` names the text in errors: "deck.yaml", to which the line is
/// added, or "--set run.steps", which stays alone. Throws InputError for malformed YAML, anchors,
/// aliases, merge keys, tags, duplicate keys (names both lines), keys that are not plain words,
/// a second document, and nesting deeper than any deck has.
YamlNode parse_yaml(const std::string& text, const std::string& place, bool from_override);

}  // namespace pencilbox
