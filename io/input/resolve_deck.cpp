#include "io/input/resolve_deck.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "io/input/complaint.hpp"
#include "io/input/name.hpp"
#include "io/input/nearest_name.hpp"
#include "io/input/number.hpp"
#include "io/input/other_words.hpp"
#include "io/input/text_file.hpp"

namespace pencilbox {
namespace {

std::string join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string with_suggestion(std::string allowed, std::string_view word,
                            const std::vector<std::string>& names) {
  if (const auto nearest = nearest_name(word, names)) {
    allowed += "; did you mean " + *nearest + "?";
  }
  return allowed;
}

std::string child_path(const std::string& section, std::string_view key) {
  return section.empty() ? std::string(key) : fmt::format("{}.{}", section, key);
}

/// "system.types[2].mass" in errors is "system.types[].mass" in the table.
std::string table_path(const std::string& path) {
  std::string result;
  bool inside = false;
  for (const char c : path) {
    if (c == ']') inside = false;
    if (!inside) result += c;
    if (c == '[') inside = true;
  }
  return result;
}

bool is_one_of(const std::string& text, const std::vector<std::string>& choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

std::string range_of(const KeyRule& rule) {
  return fmt::format("{} to {}", rule.minimum, rule.maximum);
}

/// What one entry of a key may be, in words.
std::string allowed_entry(const KeyRule& rule) {
  switch (rule.kind) {
    case KeyKind::section:
      return "a section (keys and values)";
    case KeyKind::section_list:
      return "sections (keys and values)";
    case KeyKind::real:
      return fmt::format("{}{}a real number from {}{}{}{}", join(rule.choices),
                         rule.choices.empty() ? "" : ", ", range_of(rule),
                         rule.unit.empty() ? "" : " ", rule.unit,
                         rule.may_ramp ? ", or a ramp {from: A, to: B} of two" : "");
    case KeyKind::integer:
      return fmt::format("an integer from {:.0f} to {:.0f}", rule.minimum, rule.maximum);
    case KeyKind::boolean:
      return "true, false";
    case KeyKind::text:
      return "text";
    case KeyKind::name:
      return std::string(what_a_name_is);
    case KeyKind::choice:
      return join(rule.choices);
    case KeyKind::option: {
      std::vector<std::string> allowed = rule.choices;
      if (rule.is_bounded()) {
        allowed.push_back(
            fmt::format("an integer from {:.0f} to {:.0f}", rule.minimum, rule.maximum));
      }
      return allowed.empty() ? "text" : join(allowed);
    }
  }
  return {};
}

/// What a key may be, in words.
std::string allowed_of(const KeyRule& rule) {
  if (!rule.is_list()) return allowed_entry(rule);
  if (rule.kind == KeyKind::section_list) return "a list of " + allowed_entry(rule);
  if (rule.least == rule.most) {
    return fmt::format("{}{}a list of {}, each {}{}", join(rule.words_for_all),
                       rule.words_for_all.empty() ? "" : ", ", rule.least,
                       rule.kind == KeyKind::choice ? "one of " : "", allowed_entry(rule));
  }
  return "a list of " + allowed_entry(rule);
}

std::string description_of(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "no value";
    case YamlNode::Kind::list:
      return fmt::format("a list of {}", node.items.size());
    case YamlNode::Kind::map:
      return "a section";
    case YamlNode::Kind::scalar:
      break;
  }
  return node.quoted ? fmt::format("the text \"{}\"", node.text) : node.text;
}

/// What stands at a dotted path that goes through sections alone, or null.
const YamlNode* node_there(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  while (!path.empty() && node != nullptr) {
    const std::size_t dot = path.find('.');
    node = node->find(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return node;
}

class Resolver {
 public:
  Resolver(const DeckSchema& schema, std::string name, const YamlNode& root)
      : schema_(schema), name_(std::move(name)), root_(root) {}

  DeckValue section(const YamlNode& node, const std::string& path, const std::string& allowed) {
    if (node.kind != YamlNode::Kind::map && node.kind != YamlNode::Kind::null) {
      refuse(node, path, "not a section", description_of(node), allowed);
    }
    const std::string type = type_of(node, path);
    refuse_unknown_keys(node, path, type);
    const std::vector<const KeyRule*> rules = schema_.children(table_path(path));
    check_alternatives(node, path, rules);
    DeckValue::Section values;
    for (const KeyRule* rule : rules) {
      const std::string child = child_path(path, rule->name());
      if (!rule->not_beside.empty() && node_there(root_, rule->not_beside) != nullptr) {
        if (const YamlNode* given = node.find(rule->name())) {
          refuse(*given, child, "not beside " + rule->not_beside, description_of(*given),
                 fmt::format("{} of each stage, {}[].{}", rule->name(), rule->not_beside,
                             rule->name()));
        }
      } else if (!rule->goes_with(type)) {
        if (const YamlNode* given = node.find(rule->name())) {
          refuse(*given, child, fmt::format("only with type {}", fmt::join(rule->only_with, ", ")),
                 "type " + type, keys_with(path, type));
        }
      } else if (const YamlNode* given = node.find(rule->name())) {
        values.emplace_back(rule->name(), value(*given, *rule, child));
      } else if (!rule->default_value.empty()) {
        values.emplace_back(rule->name(), default_of(*rule, child, node.origin));
      } else if (rule->presence == Presence::required) {
        refuse(node, child, "missing key", "",
               allowed_of(*rule) + (rule->not_beside.empty() ? "" : ", or " + rule->not_beside));
      }
    }
    return {std::move(values), node.origin};
  }

 private:
  [[noreturn]] void refuse(const YamlNode& node, const std::string& path, std::string_view what,
                           std::string_view got, std::string_view allowed) const {
    complain(place_of(name_, node.origin, path), what, got, allowed);
  }

  /// What the section's key `type` says, on which other keys may depend. A wrong word is reported
  /// when its turn comes: in the table it stands before what depends on it.
  std::string type_of(const YamlNode& node, const std::string& path) const {
    const KeyRule* rule = schema_.find(child_path(table_path(path), "type"));
    if (rule == nullptr) return {};
    const YamlNode* given = node.find("type");
    return given == nullptr ? rule->default_value : given->text;
  }

  std::string keys_with(const std::string& path, std::string_view type) const {
    return join(names_of(schema_.children(table_path(path), type)));
  }

  static std::vector<std::string> names_of(const std::vector<const KeyRule*>& rules) {
    std::vector<std::string> names;
    for (const KeyRule* rule : rules) names.emplace_back(rule->name());
    return names;
  }

  void refuse_unknown_keys(const YamlNode& node, const std::string& path,
                           const std::string& type) const {
    for (const auto& [key, child] : node.entries) {
      const KeyRule* rule = schema_.find(child_path(table_path(path), key));
      if (rule == nullptr) refuse_unknown_key(child, path, key, type);
    }
  }

  [[noreturn]] void refuse_unknown_key(const YamlNode& node, const std::string& path,
                                       const std::string& key, const std::string& type) const {
    const std::vector<std::string> here = names_of(schema_.children(table_path(path), type));
    const std::string child = child_path(path, quoted_input(key));
    const std::string allowed = here.empty() ? "no key here" : join(here);
    if (const auto answer = answer_to(table_path(path), key); !answer.empty()) {
      refuse(node, child, "unknown key", key, fmt::format("{}; {}", allowed, answer));
    }
    if (const auto nearest = nearest_name(key, here)) {
      refuse(node, child, "unknown key", key, allowed + "; did you mean " + *nearest + "?");
    }
    const std::vector<std::string> elsewhere = paths_ending_in(key);
    if (!elsewhere.empty()) {
      refuse(node, child, "key in the wrong section", key,
             "in its own section: " + fmt::format("{}", fmt::join(elsewhere, " or ")));
    }
    refuse(node, child, "unknown key", key, with_suggestion(allowed, key, here) + far_guess(key));
  }

  std::vector<std::string> paths_ending_in(const std::string& key) const {
    std::vector<std::string> paths;
    for (const KeyRule& rule : schema_.rules()) {
      if (rule.name() == key) paths.push_back(rule.path);
    }
    return paths;
  }

  /// A misspelt key that would stand in another section.
  std::string far_guess(const std::string& key) const {
    std::vector<std::string> names;
    for (const KeyRule& rule : schema_.rules()) names.emplace_back(rule.name());
    const auto nearest = nearest_name(key, names);
    return nearest ? "; did you mean " + paths_ending_in(*nearest).front() + "?" : std::string{};
  }

  void check_alternatives(const YamlNode& node, const std::string& path,
                          const std::vector<const KeyRule*>& rules) const {
    std::vector<std::string> names;
    std::vector<std::string> given;
    const YamlNode* last = &node;
    for (const KeyRule* rule : rules) {
      if (rule->presence != Presence::alternative) continue;
      names.emplace_back(rule->name());
      if (const YamlNode* child = node.find(rule->name())) {
        given.emplace_back(rule->name());
        if (given.size() == 1 || child->origin.line > last->origin.line) last = child;
        if (child->origin.from_override) last = child;
      }
    }
    if (names.empty() || given.size() == 1) return;
    refuse(*last, path, given.empty() ? "missing key" : "more than one start", join(given),
           "exactly one of " + join(names));
  }

  DeckValue default_of(const KeyRule& rule, const std::string& path, const Origin& origin) {
    YamlNode node = parse_yaml(rule.default_value, name_, false);
    set_origin(node, origin);
    return value(node, rule, path);
  }

  static void set_origin(YamlNode& node, const Origin& origin) {
    node.origin = origin;
    for (YamlNode& item : node.items) set_origin(item, origin);
  }

  DeckValue value(const YamlNode& node, const KeyRule& rule, const std::string& path) {
    const bool ramp = rule.may_ramp && node.kind == YamlNode::Kind::map;
    if (rule.kind == KeyKind::section || ramp) return section(node, path, allowed_of(rule));
    if (!rule.is_list()) return scalar(node, rule, path);
    if (node.kind == YamlNode::Kind::scalar && is_one_of(node.text, rule.words_for_all)) {
      return {node.text, node.origin};
    }
    if (node.kind != YamlNode::Kind::list) {
      refuse(node, path, "not a list", description_of(node), allowed_of(rule));
    }
    if (node.items.size() < rule.least || node.items.size() > rule.most) {
      refuse(node, path, "wrong number of entries", fmt::format("{}", node.items.size()),
             rule.least == rule.most ? allowed_of(rule)
                                     : fmt::format("{} to {} entries", rule.least, rule.most));
    }
    DeckValue::List list;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string entry = fmt::format("{}[{}]", path, i);
      list.push_back(rule.kind == KeyKind::section_list
                         ? section(node.items[i], entry, allowed_entry(rule))
                         : scalar(node.items[i], rule, entry));
    }
    return {std::move(list), node.origin};
  }

  DeckValue scalar(const YamlNode& node, const KeyRule& rule, const std::string& path) const {
    if (node.kind != YamlNode::Kind::scalar) {
      refuse(node, path, node.kind == YamlNode::Kind::null ? "no value" : "wrong type",
             description_of(node), allowed_entry(rule));
    }
    switch (rule.kind) {
      case KeyKind::real:
        if (is_one_of(node.text, rule.choices)) return {node.text, node.origin};
        return {real(node, rule, path), node.origin};
      case KeyKind::integer:
        return {integer(node, rule, path), node.origin};
      case KeyKind::boolean:
        return {boolean(node, rule, path), node.origin};
      case KeyKind::option:
        return {option(node, rule, path), node.origin};
      default:
        return {word(node, rule, path), node.origin};
    }
  }

  /// The text of a number; refuses what is written as text.
  std::string_view number_text(const YamlNode& node, const KeyRule& rule,
                               const std::string& path) const {
    if (node.quoted) refuse(node, path, "not a number", description_of(node), allowed_entry(rule));
    if (has_leading_zero(node.text)) {
      refuse(node, path, "not a number (a leading zero would mean octal to other YAML readers)",
             node.text, allowed_entry(rule));
    }
    return node.text;
  }

  double real(const YamlNode& node, const KeyRule& rule, const std::string& path) const {
    const std::optional<double> value = parse_real(number_text(node, rule, path));
    if (!value) refuse(node, path, "not a finite number", node.text, allowed_entry(rule));
    if (*value < rule.minimum || *value > rule.maximum) {
      refuse(node, path, "out of range", node.text, allowed_entry(rule));
    }
    return *value;
  }

  std::int64_t integer(const YamlNode& node, const KeyRule& rule, const std::string& path) const {
    const std::string_view text = number_text(node, rule, path);
    const std::optional<std::int64_t> value = parse_integer(text);
    if (!value) {
      // A number too large for 64 bits is a number all the same.
      const std::optional<double> magnitude = parse_real(text);
      const bool whole = magnitude && std::abs(*magnitude) > 0x1p53;
      refuse(node, path, whole ? "out of range" : "not an integer", text, allowed_entry(rule));
    }
    if (!is_within(*value, rule)) refuse(node, path, "out of range", text, allowed_entry(rule));
    return *value;
  }

  /// To the last digit: 2^53 + 1 would round to 2^53 in a double.
  static bool is_within(std::int64_t value, const KeyRule& rule) {
    const auto exact = static_cast<long double>(value);
    return exact >= rule.minimum && exact <= rule.maximum;
  }

  bool boolean(const YamlNode& node, const KeyRule& rule, const std::string& path) const {
    const bool yes = node.text == "true";
    if (node.quoted || (!yes && node.text != "false")) {
      refuse(node, path, "not a boolean", description_of(node), allowed_entry(rule));
    }
    return yes;
  }

  std::string option(const YamlNode& node, const KeyRule& rule, const std::string& path) const {
    const auto& choices = rule.choices;
    if (std::find(choices.begin(), choices.end(), node.text) != choices.end()) return node.text;
    if (rule.is_bounded()) {
      const std::optional<std::int64_t> value = parse_integer(node.text);
      if (value && is_within(*value, rule)) return std::to_string(*value);
    } else if (choices.empty()) {
      return node.text;
    }
    refuse(node, path, "no such value of this option", description_of(node), allowed_entry(rule));
  }

  std::string word(const YamlNode& node, const KeyRule& rule, const std::string& path) const {
    const auto& choices = rule.choices;
    if (rule.kind == KeyKind::choice &&
        std::find(choices.begin(), choices.end(), node.text) == choices.end()) {
      const std::string_view answer = answer_to(path, node.text);
      refuse(node, path, unknown_choice(path), node.text.empty() ? "an empty text" : node.text,
             answer.empty() ? with_suggestion(allowed_entry(rule), node.text, choices)
                            : fmt::format("{}; {}", allowed_entry(rule), answer));
    }
    if (node.text.empty() || !is_printable(node.text) ||
        (rule.kind == KeyKind::name && !is_name(node.text))) {
      refuse(node, path, node.text.empty() ? "empty" : "characters that cannot stand here",
             node.text.empty() ? "an empty text" : node.text, allowed_entry(rule));
    }
    return node.text;
  }

  /// What a build lacks is not the same as what does not exist: say so for devices.
  static std::string_view unknown_choice(const std::string& path) {
    return path == "run.device" ? "no such device in this build" : "no such choice";
  }

  const DeckSchema& schema_;
  std::string name_;
  const YamlNode& root_;
};

/// The key of a map, made where it is not there.
YamlNode& key_of(YamlNode& node, const std::string& key, const std::string& place) {
  if (node.kind == YamlNode::Kind::null) node.kind = YamlNode::Kind::map;
  if (node.kind != YamlNode::Kind::map) {
    complain(place, "not a section, so it has no key " + quoted_input(key), "", "");
  }
  if (node.find(key) == nullptr) {
    YamlNode added;
    added.origin.from_override = true;
    node.entries.push_back({key, std::move(added)});
  }
  return *node.find(key);
}

/// An entry that a list has: `index` is what stands between the brackets.
YamlNode& entry_of(YamlNode& node, const std::string& index, const std::string& place) {
  if (node.kind != YamlNode::Kind::list || node.items.empty()) {
    complain(place, "not a list, so it has no entry " + quoted_input(index), "", "");
  }
  const auto most = static_cast<std::int64_t>(node.items.size()) - 1;
  const std::optional<std::int64_t> number = parse_integer(index);
  if (!number || *number < 0 || *number > most) {
    complain(place, "no such entry of the list", index, fmt::format("0 to {}", most));
  }
  return node.items[static_cast<std::size_t>(*number)];
}

/// The node at a dotted path such as "run.stages[1].steps", made where it is not there.
YamlNode& node_at(YamlNode& root, std::string_view path, const std::string& place) {
  YamlNode* node = &root;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string word(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    const std::size_t bracket = word.ends_with(']') ? word.find('[') : std::string::npos;
    node = &key_of(*node, word.substr(0, bracket), place);
    if (bracket == std::string::npos) continue;
    node = &entry_of(*node, word.substr(bracket + 1, word.size() - bracket - 2), place);
  }
  return *node;
}

}  // namespace

std::string place_of(const std::string& name, const Origin& origin, const std::string& path) {
  if (origin.from_override) return "--set " + path;
  return path.empty() ? fmt::format("{}:{}", name, origin.line)
                      : fmt::format("{}:{}: {}", name, origin.line, path);
}

void apply_overrides(YamlNode& root, const std::vector<std::string>& overrides) {
  for (const std::string& text : overrides) {
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    const std::string place = "--set " + quoted_input(key);
    if (!is_utf8(text)) complain(place, "not UTF-8 text", text, "UTF-8 text");
    if (equals == std::string::npos || key.empty()) {
      complain(place, "not an override", text, "key=value, such as potential.cutoff=3.0");
    }
    YamlNode value = parse_yaml(text.substr(equals + 1), place, true);
    value.origin.from_override = true;
    node_at(root, key, place) = std::move(value);
  }
}

DeckValue resolve_deck(const YamlNode& root, const DeckSchema& schema, const std::string& name) {
  return Resolver(schema, name, root)
      .section(root, "", "sections such as system, potential and run");
}

}  // namespace pencilbox
