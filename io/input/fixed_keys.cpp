#include "io/input/fixed_keys.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace pencilbox {
namespace {

constexpr std::array<std::string_view, 4> fixed_paths{"system", "potential", "integrator",
                                                      "run.precision"};
constexpr std::string_view start_file = "system.particles.file";

using Line = std::pair<std::string, std::string>;

std::string value_text(const std::string& path, const DeckValue& value) {
  if (path != start_file) return to_flow_yaml(value);
  return std::filesystem::path(std::get<std::string>(value.data)).filename().string();
}

void append_lines(const std::string& path, const DeckValue& value, std::string& text) {
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

}  // namespace

std::string fixed_keys(const Deck& deck) {
  std::string text;
  for (const std::string_view path : fixed_paths) {
    if (const DeckValue* value = deck.values.find(path)) {
      append_lines(std::string(path), *value, text);
    }
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
