#include "io/input/fixed_keys.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ramp_parameter.hpp"

namespace pencilbox {
namespace {

constexpr std::array<std::string_view, 6> fixed_paths{
    "system", "potential", "integrator", "barostat", "run.precision", "run.zero_momentum"};
constexpr std::string_view start_file = "system.particles.file", tables = "potential.tables";

using Line = std::pair<std::string, std::string>;

std::string value_text(const std::string& path, const DeckValue& value) {
  if (path != start_file) return to_flow_yaml(value);
  return std::filesystem::path(std::get<std::string>(value.data)).filename().string();
}

/// Of a table's file the name, and by its hash what stands in it: where it lies does not matter.
void append_tables(const DeckValue::List& list, std::string& text) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string entry = std::string(tables) + '[' + std::to_string(i) + "].";
    const std::string file = std::filesystem::path(list[i].text("file")).filename().string();
    text += entry + "types: " + to_flow_yaml(*list[i].find("types")) + '\n';
    text += entry + "file: " + file + " of " + list[i].text("hash") + '\n';
    if (const DeckValue* cutoff = list[i].find("cutoff")) {
      text += entry + "cutoff: " + to_flow_yaml(*cutoff) + '\n';
    }
  }
}

void append_lines(const std::string& path, const DeckValue& value, std::string& text) {
  if (path == tables) return append_tables(std::get<DeckValue::List>(value.data), text);
  const auto* section = std::get_if<DeckValue::Section>(&value.data);
  if (section == nullptr) {
    text += path + ": " + value_text(path, value) + '\n';
    return;
  }
  for (const auto& [key, child] : *section) append_lines(path + '.' + key, child, text);
}

/// Keys hold no colon, so the first one ends them.
std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos)
      lines.emplace_back(line.substr(0, colon), line.substr(colon + 2));
  }
  return lines;
}

/// Empty if the key is absent.
std::string value_of(const std::vector<Line>& lines, const std::string& key) {
  const auto line =
      std::find_if(lines.begin(), lines.end(), [&](const Line& l) { return l.first == key; });
  return line == lines.end() ? std::string() : line->second;
}

/// A run may be made longer by its last steps, unless something changes along the way to them.
bool steps_are_fixed(const Deck& deck, std::size_t stage) {
  const DeckStage& one = deck.stages[stage];
  return stage + 1 < deck.stages.size() || has_ramp(one.parameters) ||
         (one.barostat && has_ramp(one.barostat->parameters));
}

void append_stages(const Deck& deck, std::string& text) {
  const std::string first = "run.stages[";
  for (std::size_t i = 0; i < deck.stages.size(); ++i) {
    const std::string stage = first + std::to_string(i) + "]";
    for (const auto& [key, value] : std::get<DeckValue::Section>(deck.values.find(stage)->data)) {
      if (key == "steps" && !steps_are_fixed(deck, i)) continue;
      append_lines(stage + '.' + key, value, text);
    }
  }
}

}  // namespace

std::string fixed_keys(const Deck& deck) {
  std::string text;
  for (const std::string_view path : fixed_paths) {
    if (const DeckValue* value = deck.values.find(path)) {
      append_lines(std::string(path), *value, text);
    }
  }
  if (deck.values.find("run.stages") != nullptr) {
    append_stages(deck, text);
  } else if (steps_are_fixed(deck, 0)) {
    append_lines("run.steps", *deck.values.find("run.steps"), text);
  }
  return text;
}

std::optional<KeyDifference> first_difference(const std::string& before, const std::string& now) {
  const std::vector<Line> old_lines = lines_of(before), new_lines = lines_of(now);
  for (const auto& [key, value] : new_lines) {
    const std::string old_value = value_of(old_lines, key);
    if (old_value != value) return KeyDifference{key, old_value, value};
  }
  for (const auto& [key, value] : old_lines) {
    if (value_of(new_lines, key).empty()) return KeyDifference{key, value, ""};
  }
  return {};
}

}  // namespace pencilbox
