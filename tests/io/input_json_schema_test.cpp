// The JSON Schema is the table: every key, its bounds, choices and default.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io/input/deck_schema.hpp"
#include "io/input/json_schema.hpp"
#include "tests/io/input_support.hpp"

namespace pencilbox::testing {
namespace {

using Json = nlohmann::json;

/// The schema of a key of the table, or null.
Json property(const Json& schema, const KeyRule& rule) {
  std::string pointer;
  std::string_view path = rule.path;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    std::string_view word = path.substr(0, dot);
    const bool list = word.size() > 2 && word.substr(word.size() - 2) == "[]";
    if (list) word.remove_suffix(2);
    pointer += "/properties/" + std::string(word) + (list ? "/items" : "");
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  const Json::json_pointer where(pointer);
  return schema.contains(where) ? schema.at(where) : Json();
}

TEST(JsonSchema, HasEveryKeyOfTheTable) {
  const Json schema = Json::parse(json_schema(test_catalogue()));
  const DeckSchema table(test_catalogue(), "");
  for (const KeyRule& rule : table.rules()) {
    const Json json = property(schema, rule);
    ASSERT_FALSE(json.is_null()) << rule.path;
    EXPECT_NE(json.at("description").get<std::string>().find(rule.documentation),
              std::string::npos);
    const Json& list = rule.words_for_all.empty() ? json : json.at("anyOf").at(0);
    if (!rule.words_for_all.empty()) {
      EXPECT_EQ(json.at("anyOf").at(1).at("enum"), Json(rule.words_for_all)) << rule.path;
    }
    const Json& entry = rule.is_list() ? list.at("items") : json;
    if (rule.kind == KeyKind::choice) {
      EXPECT_EQ(entry.at("enum").get<std::vector<std::string>>(), rule.choices) << rule.path;
    }
    if (rule.kind == KeyKind::real || rule.kind == KeyKind::integer) {
      const Json& number = rule.choices.empty() ? entry : entry.at("anyOf").at(0);
      EXPECT_EQ(entry.contains("properties"), rule.may_ramp) << rule.path;
      EXPECT_EQ(number.at("minimum").get<double>(), rule.minimum) << rule.path;
      EXPECT_EQ(number.at("maximum").get<double>(), rule.maximum) << rule.path;
    }
    EXPECT_EQ(json.contains("default"), !rule.default_value.empty()) << rule.path;
  }
}

TEST(JsonSchema, KnowsDefaultsListsAndOptions) {
  const Json schema = Json::parse(json_schema(test_catalogue()));
  const Json& properties = schema.at("properties");
  EXPECT_EQ(properties["output"]["properties"]["thermo"]["properties"]["every"]["default"], 100);
  EXPECT_EQ(properties["run"]["properties"]["ranks"]["default"], "auto");
  EXPECT_EQ(properties["system"]["properties"]["boundary"]["default"],
            Json({"periodic", "periodic", "periodic"}));
  EXPECT_EQ(properties["run"]["properties"]["deterministic"]["default"], false);
  EXPECT_EQ(properties["system"]["properties"]["particles"]["oneOf"].size(), 4U);
  EXPECT_EQ(schema.at("additionalProperties"), false);
  const Json& cases = properties["neighbor"]["allOf"];
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[2]["if"]["properties"]["backend"]["const"], "par-cell");
  const Json& options = cases[2]["then"]["properties"]["options"];
  EXPECT_EQ(options["additionalProperties"], false);
  EXPECT_EQ(options["properties"]["block"]["minimum"], 32);
  EXPECT_EQ(options["properties"]["cells"]["anyOf"].size(), 2U);
}

TEST(JsonSchema, SaysWhatStandsInThePlaceOfStages) {
  const Json schema = Json::parse(json_schema(test_catalogue()));
  const Json& cases = schema.at("allOf");
  ASSERT_EQ(cases.size(), 4U);  // integrator, barostat, run.steps, run.zero_momentum
  EXPECT_EQ(cases[0]["if"]["properties"]["run"]["required"], Json({"stages"}));
  EXPECT_EQ(cases[0]["then"]["properties"]["integrator"], false);
  EXPECT_FALSE(cases[0].contains("else"));
  EXPECT_EQ(cases[1]["then"]["properties"]["barostat"], false);
  EXPECT_EQ(cases[2]["then"]["properties"]["run"]["properties"]["steps"], false);
  EXPECT_EQ(cases[2]["else"]["properties"]["run"]["required"], Json({"steps"}));
  EXPECT_FALSE(schema["properties"]["run"].contains("required"));
}

TEST(JsonSchema, ARampIsANumberOrItsEnds) {
  const Json schema = Json::parse(json_schema(test_catalogue()));
  const Json& ramp = schema["properties"]["integrator"]["properties"]["temperature"];
  EXPECT_EQ(ramp["type"], Json({"number", "object"}));
  EXPECT_EQ(ramp["required"], Json({"from", "to"}));
  EXPECT_EQ(ramp["additionalProperties"], false);
  EXPECT_EQ(ramp["minimum"], 0.0);
}

TEST(JsonSchema, SaysWhichKeysGoWithWhichPotential) {
  const Json schema = Json::parse(json_schema(test_catalogue()));
  const Json& potential = schema.at("properties").at("potential");
  EXPECT_FALSE(potential.contains("required"));
  const Json& cases = potential.at("allOf");
  ASSERT_EQ(cases.size(), 4U);
  EXPECT_FALSE(cases[0]["if"].contains("required")) << "the default holds where none is written";
  EXPECT_EQ(cases[0]["if"]["properties"]["type"]["const"], "lennard-jones");
  EXPECT_EQ(cases[0]["then"]["required"], Json({"cutoff"}));
  EXPECT_EQ(cases[0]["then"]["properties"]["softening"], false);
  EXPECT_EQ(cases[1]["if"]["required"], Json({"type"}));
  EXPECT_EQ(cases[1]["then"]["required"], Json({"softening"}));
  EXPECT_EQ(cases[1]["then"]["properties"]["cutoff"], false);
  EXPECT_FALSE(cases[1]["then"]["properties"].contains("softening"));
  EXPECT_EQ(cases[2]["if"]["properties"]["type"]["const"], "weeks-chandler-andersen");
  EXPECT_EQ(cases[2]["then"]["properties"]["cutoff"], false);
  EXPECT_FALSE(cases[2]["then"]["properties"].contains("pairs"));
  EXPECT_EQ(cases[3]["if"]["properties"]["type"]["const"], "tabulated");
  EXPECT_EQ(cases[3]["then"]["required"], Json({"tables"}));
  EXPECT_EQ(cases[3]["then"]["properties"]["pairs"], false);
}

}  // namespace
}  // namespace pencilbox::testing
