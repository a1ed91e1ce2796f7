#include "io/input/json_schema.hpp"

#include <nlohmann/json.hpp>

#include "io/input/deck_schema.hpp"

namespace pencilbox {
namespace {

using Json = nlohmann::ordered_json;

/// Defaults stand in the table as YAML; the words and flow lists used there differ from JSON only
/// in their missing quotes.
Json default_json(const KeyRule& rule) {
  const std::string& text = rule.default_value;
  if (const Json parsed = Json::parse(text, nullptr, false); !parsed.is_discarded()) return parsed;
  if (!rule.is_list() || !text.starts_with('[')) return text;
  Json list = Json::array();
  std::string word;
  for (const char c : text) {
    if (c == ',' || c == ']') {
      list.push_back(word);
      word.clear();
    } else if (c != '[' && c != ' ') {
      word += c;
    }
  }
  return list;
}

Json bounded(std::string_view type, const KeyRule& rule) {
  Json json{{"type", type}};
  if (rule.is_bounded()) {
    // Integer bounds as integers: some editors show 1.0 otherwise.
    if (type == "integer") {
      json["minimum"] = static_cast<std::int64_t>(rule.minimum);
      json["maximum"] = static_cast<std::int64_t>(rule.maximum);
    } else {
      json["minimum"] = rule.minimum;
      json["maximum"] = rule.maximum;
    }
  }
  return json;
}

/// An option's choices are text to us, but `true` and `8` reach an editor as boolean and number.
Json option_json(const KeyRule& rule) {
  Json any = Json::array();
  if (!rule.choices.empty()) {
    Json choices = Json::array();
    for (const std::string& choice : rule.choices) {
      choices.push_back(choice);
      const Json typed = Json::parse(choice, nullptr, false);
      if (typed.is_boolean() || typed.is_number()) choices.push_back(typed);
    }
    any.push_back({{"enum", choices}});
  }
  if (rule.is_bounded()) any.push_back(bounded("integer", rule));
  if (any.empty()) return {{"type", Json::array({"string", "number", "boolean"})}};
  return any.size() == 1 ? any[0] : Json{{"anyOf", any}};
}

class SchemaWriter {
 public:
  explicit SchemaWriter(const DeckSchema& schema) : schema_(schema) {}

  Json section(const std::string& path) const {
    Json properties = Json::object();
    Json required = Json::array();
    Json alternatives = Json::array();
    for (const KeyRule* rule : schema_.children(path)) {
      const std::string name(rule->name());
      properties[name] = key(*rule);
      const bool always = rule->only_with.empty() && rule->not_beside.empty();
      if (rule->presence == Presence::required && always) required.push_back(name);
      if (rule->presence == Presence::alternative) {
        alternatives.push_back({{"required", Json::array({name})}});
      }
    }
    Json json{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
    if (!required.empty()) json["required"] = required;
    if (!alternatives.empty()) json["oneOf"] = alternatives;
    if (const Json cases = cases_by_type(path); !cases.empty()) json["allOf"] = cases;
    return json;
  }

 private:
  /// Where keys depend on the section's `type`: for each type what it needs and what it refuses.
  Json cases_by_type(const std::string& path) const {
    Json cases = Json::array();
    const KeyRule* type = schema_.find(path + ".type");
    if (type == nullptr) return cases;
    for (const std::string& choice : type->choices) {
      Json required = Json::array();
      Json refused = Json::object();
      for (const KeyRule* rule : schema_.children(path)) {
        if (rule->only_with.empty()) continue;
        if (!rule->goes_with(choice)) {
          refused[std::string(rule->name())] = false;
        } else if (rule->presence == Presence::required) {
          required.push_back(rule->name());
        }
      }
      if (required.empty() && refused.empty()) continue;
      Json condition{{"properties", {{"type", {{"const", choice}}}}}};
      if (choice != type->default_value) condition["required"] = Json::array({"type"});
      cases.push_back(
          {{"if", condition}, {"then", {{"required", required}, {"properties", refused}}}});
    }
    return cases;
  }

  /// A number, or its two ends: bounds are of numbers, keys of objects.
  Json ramp(const KeyRule& rule) const {
    Json json = bounded("number", rule);
    json.update(section(rule.path));
    json["type"] = Json::array({"number", "object"});
    return json;
  }

  Json entry(const KeyRule& rule) const {
    if (rule.may_ramp) return ramp(rule);
    switch (rule.kind) {
      case KeyKind::section:
        return section(rule.path);
      case KeyKind::section_list:
        return section(rule.path + "[]");
      case KeyKind::real:
        if (rule.choices.empty()) return bounded("number", rule);
        return {{"anyOf", Json::array({bounded("number", rule), {{"enum", rule.choices}}})}};
      case KeyKind::integer:
        return bounded("integer", rule);
      case KeyKind::boolean:
        return {{"type", "boolean"}};
      case KeyKind::choice:
        return {{"enum", rule.choices}};
      case KeyKind::option:
        return option_json(rule);
      case KeyKind::text:
        return {{"type", "string"}, {"minLength", 1}};
      case KeyKind::name:
        break;
    }
    return {{"type", "string"}, {"pattern", "^[A-Za-z0-9_+-]{1,32}$"}};
  }

  Json key(const KeyRule& rule) const {
    Json json = entry(rule);
    if (rule.is_list()) {
      json = {
          {"type", "array"}, {"items", json}, {"minItems", rule.least}, {"maxItems", rule.most}};
    }
    if (!rule.words_for_all.empty()) {
      json = {{"anyOf", Json::array({json, {{"enum", rule.words_for_all}}})}};
    }
    json["description"] =
        rule.unit.empty() ? rule.documentation : rule.documentation + " [" + rule.unit + "]";
    if (!rule.default_value.empty()) json["default"] = default_json(rule);
    return json;
  }

  const DeckSchema& schema_;
};

/// neighbor.options are those of the back end that neighbor.backend names, or of the default one.
Json options_by_backend(const Catalogue& catalogue) {
  Json cases = Json::array();
  for (const BackendInfo& backend : catalogue.backends) {
    Json condition{{"properties", {{"backend", {{"const", backend.name}}}}}};
    if (backend.name != default_backend) condition["required"] = Json::array({"backend"});
    const DeckSchema schema(catalogue, backend.name);
    const Json options = SchemaWriter(schema).section("neighbor.options");
    cases.push_back({{"if", condition}, {"then", {{"properties", {{"options", options}}}}}});
  }
  return cases;
}

Json nested(const std::string& path, const Json& innermost) {
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) return {{"properties", {{path, innermost}}}};
  return {{"properties", {{path.substr(0, dot), nested(path.substr(dot + 1), innermost)}}}};
}

/// Of keys that stand in each other's place: with the other one none of them is there, without it
/// those that a deck needs.
Json cases_by_rival(const DeckSchema& schema) {
  Json cases = Json::array();
  for (const KeyRule& rule : schema.rules()) {
    if (rule.not_beside.empty()) continue;
    const std::size_t dot = rule.not_beside.rfind('.');
    const Json there = {{"required", Json::array({rule.not_beside.substr(dot + 1)})}};
    const Json condition{{"properties", {{rule.not_beside.substr(0, dot), there}}}};
    Json one{{"if", condition}, {"then", nested(rule.path, false)}};
    if (rule.presence == Presence::required) {
      const Json needed = {{"required", Json::array({rule.name()})}};
      one["else"] = nested(std::string(rule.parent()), needed);
    }
    cases.push_back(one);
  }
  return cases;
}

}  // namespace

std::string json_schema(const Catalogue& catalogue) {
  const DeckSchema schema(catalogue, "");
  Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "Pencilbox deck"}};
  json.update(SchemaWriter(schema).section(""));
  json["allOf"] = cases_by_rival(schema);
  Json& neighbor = json["properties"]["neighbor"];
  // The general rule knows no option, so it must not refuse those of a back end.
  neighbor["properties"]["options"].erase("additionalProperties");
  neighbor["allOf"] = options_by_backend(catalogue);
  return json.dump(2) + "\n";
}

}  // namespace pencilbox
