// A checked deck as a tree of typed values, each with its origin. Only resolve_deck makes one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "io/input/yaml_tree.hpp"

namespace pencilbox {

class DeckValue {
 public:
  using List = std::vector<DeckValue>;
  using Section = std::vector<std::pair<std::string, DeckValue>>;
  using Data = std::variant<bool, std::int64_t, double, std::string, List, Section>;

  DeckValue() : data(Section{}) {}
  DeckValue(Data value, Origin place) : data(std::move(value)), origin(place) {}

  Data data;
  Origin origin;

  /// The value at a path such as "system.particles.lattice.cells" or "run.stages[1].steps", or
  /// null.
  const DeckValue* find(std::string_view path) const;
  DeckValue* find(std::string_view path);

  /// The values at a path that is there, of the type that the schema gave them.
  bool boolean(std::string_view path) const { return get<bool>(path); }
  std::int64_t integer(std::string_view path) const { return get<std::int64_t>(path); }
  double real(std::string_view path) const { return get<double>(path); }
  const std::string& text(std::string_view path) const { return get<std::string>(path); }
  const List& list(std::string_view path) const { return get<List>(path); }
  const Section& section(std::string_view path) const { return get<Section>(path); }

  /// Where the value or, if it is not there, the innermost section around it was written.
  Origin origin_of(std::string_view path) const;

 private:
  const DeckValue& at(std::string_view path) const;
  template <class T>
  const T& get(std::string_view path) const {
    return std::get<T>(at(path).data);
  }
};

/// The tree as YAML text that reads back to the same tree.
std::string to_yaml(const DeckValue& root);

/// One value as YAML in one line.
std::string to_flow_yaml(const DeckValue& value);

}  // namespace pencilbox
