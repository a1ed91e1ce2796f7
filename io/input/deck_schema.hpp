// Every key of a deck, once: what it takes, its bounds, its default and its documentation. The
// checks, the resolved deck and the JSON Schema all come from this table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "io/input/catalogue.hpp"

namespace pencilbox {

enum class KeyKind {
  section,       ///< keys of its own
  section_list,  ///< a list of sections; their keys have the path "list[].key"
  real,          ///< with `choices`, one of these words too
  integer,
  boolean,
  text,
  name,    ///< a word: letters, digits, '_', '-', '+'
  choice,  ///< one of `choices`
  option,  ///< of a back end: one of `choices`, or an integer within the bounds
};

enum class Presence {
  optional,  ///< may be absent; filled in where there is a default
  required,
  alternative,  ///< exactly one of the section's alternatives is there
};

struct KeyRule {
  std::string path{};  ///< "system.particles.lattice.density"
  KeyKind kind = KeyKind::text;
  Presence presence = Presence::optional;
  std::string default_value{};  ///< YAML text; empty: none
  std::string documentation{};
  std::string unit{};
  std::string not_beside{};  ///< path of a key in whose place this one stands; empty: none
  bool may_ramp = false;     ///< a number, or a section with the keys `from` and `to`
  std::vector<std::string> only_with{};  ///< choices of the section's key `type`; empty: all
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices{};
  std::size_t least = 0;  ///< number of list entries; most = 0: not a list
  std::size_t most = 0;

  std::string_view name() const;             ///< "density"
  std::string_view parent() const;           ///< "system.particles.lattice"
  std::vector<std::string> words_for_all{};  ///< each may stand in place of a list

  bool is_list() const { return most > 0; }
  bool goes_with(std::string_view type) const {
    return only_with.empty() ||
           std::find(only_with.begin(), only_with.end(), type) != only_with.end();
  }
  bool is_bounded() const { return minimum <= maximum && minimum > -1e300; }
};

class DeckSchema {
 public:
  /// The table for this build. `backend` chooses whose options stand under neighbor.options; with
  /// an unknown name there are none.
  DeckSchema(const Catalogue& catalogue, std::string_view backend);

  const std::vector<KeyRule>& rules() const { return rules_; }

  /// The rule of a path, or null.
  const KeyRule* find(std::string_view path) const;

  /// The rules of a section's keys, in the order of the table.
  std::vector<const KeyRule*> children(std::string_view section) const;

  /// Those that go with this choice of the section's `type`.
  std::vector<const KeyRule*> children(std::string_view section, std::string_view type) const;

 private:
  std::vector<KeyRule> rules_;
};

/// The rules of a back end's options, "neighbor.options.<name>".
std::vector<KeyRule> option_rules(const BackendInfo& backend);

/// The rules of an integrator, "<section>.type" and so on, with what each of them takes.
std::vector<KeyRule> integrator_rules(const std::vector<IntegratorInfo>& integrators,
                                      const std::string& section);

/// The rules of a barostat, "<section>.type" and so on, with what each of them takes.
std::vector<KeyRule> barostat_rules(const std::string& section);

/// The rules of `observables`, with what each of them takes, "observables[].<name>".
std::vector<KeyRule> observable_rules(const std::vector<ObservableInfo>& observables);

/// The back end of a deck that names none.
inline constexpr std::string_view default_backend = "auto";

}  // namespace pencilbox
