// What a resumed run is held to: every key that changes the physics, and none that does not.
#include <gtest/gtest.h>

#include "io/input/fixed_keys.hpp"
#include "tests/io/input_support.hpp"

namespace pencilbox::testing {
namespace {

std::string keys(const std::vector<std::string>& overrides = {}) {
  const std::string deck =
      "system:\n"
      "  particles: {lattice: {type: fcc, density: 0.8442, cells: [4, 4, 4]}}\n"
      "potential: {cutoff: 2.5}\n"
      "run: {steps: 20}\n";
  return fixed_keys(parse_deck(deck, "deck.yaml", overrides, test_catalogue()));
}

TEST(FixedKeys, WhatARunMayChangeIsNotAmongThem) {
  for (const char* change :
       {"run.steps=5", "run.device=host", "run.deterministic=true", "neighbor.backend=par-cell",
        "output.directory=elsewhere", "output.thermo.every=7", "output.trajectory={every: 3}",
        "output.checkpoint={every: 3}", "title=other"}) {
    EXPECT_EQ(keys({change}), keys()) << change;
  }
}

TEST(FixedKeys, WhatChangesThePhysicsIsNamedWithBothValues) {
  struct Change {
    std::string override, key, before, now;
  };
  const std::vector<Change> changes{
      {"potential.cutoff=3", "potential.cutoff", "2.5", "3"},
      {"potential.truncation=shift", "potential.truncation", "cut", "shift"},
      {"integrator.timestep=0.001", "integrator.timestep", "0.005", "0.001"},
      {"run.precision=double", "run.precision", "mixed", "double"},
      {"system.particles.lattice.cells=[4, 4, 5]", "system.particles.lattice.cells", "[4, 4, 4]",
       "[4, 4, 5]"},
      {"system.boundary=[open, periodic, periodic]", "system.boundary",
       "[periodic, periodic, periodic]", "[open, periodic, periodic]"},
      {"system.types=[{name: B}]", "system.types", "[{name: A, mass: 1}]", "[{name: B, mass: 1}]"},
      {"potential.pairs=[{types: [A, A], epsilon: 1, sigma: 2}]", "potential.pairs", "",
       "[{types: [A, A], epsilon: 1, sigma: 2}]"}};
  for (const Change& change : changes) {
    const auto difference = first_difference(keys(), keys({change.override}));
    ASSERT_TRUE(difference) << change.override;
    EXPECT_EQ(difference->key, change.key);
    EXPECT_EQ(difference->before, change.before);
    EXPECT_EQ(difference->now, change.now);
    const auto back = first_difference(keys({change.override}), keys());
    ASSERT_TRUE(back) << change.override;
    EXPECT_EQ(back->key, change.key);
    EXPECT_EQ(back->now, change.before);
  }
  EXPECT_FALSE(first_difference(keys(), keys({"integrator.timestep=5e-3"})));
}

TEST(FixedKeys, StepsAreFixedWhereARampGoesOnOverThem) {
  const std::string ramp =
      "integrator={type: langevin, friction: 1, temperature: {from: 1, to: 0.5}}";
  const auto difference = first_difference(keys({ramp}), keys({ramp, "run.steps=40"}));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->key, "run.steps");
  EXPECT_EQ(difference->before, "20");
  EXPECT_EQ(difference->now, "40");
  const auto end = first_difference(keys({ramp}), keys({ramp, "integrator.temperature.to=0.4"}));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->key, "integrator.temperature.to");
}

TEST(FixedKeys, StagesAreFixedButForTheLastSteps) {
  const auto staged = [](const std::vector<std::string>& overrides) {
    return fixed_keys(
        parse_deck("system: {particles: {random: {count: 9, box: [5, 5, 5]}}}\n"
                   "potential: {cutoff: 2.5}\n"
                   "run: {stages: [{name: a, steps: 5, integrator: {type: fire}},\n"
                   "  {name: b, steps: 5}]}\n",
                   "deck.yaml", overrides, test_catalogue()));
  };
  EXPECT_FALSE(first_difference(staged({}), staged({"run.stages[1].steps=50"})));
  for (const char* key :
       {"run.stages[0].steps", "run.stages[0].integrator.timestep", "run.stages[1].name"}) {
    const auto difference = first_difference(staged({}), staged({std::string(key) + "=7"}));
    ASSERT_TRUE(difference) << key;
    EXPECT_EQ(difference->key, key);
  }
  EXPECT_TRUE(first_difference(staged({}), staged({"run.stages[1].zero_momentum.every=7"})));
}

TEST(FixedKeys, AStartFileMayMove) {
  const auto with_file = [](const std::string& file) {
    return fixed_keys(parse_deck(
        "system: {particles: {file: " + file + "}}\npotential: {cutoff: 2.5}\nrun: {steps: 1}\n",
        "deck.yaml", {}, test_catalogue()));
  };
  EXPECT_FALSE(first_difference(with_file("a/start.data"), with_file("/b/start.data")));
  EXPECT_TRUE(first_difference(with_file("a/start.data"), with_file("a/other.data")));
}

}  // namespace
}  // namespace pencilbox::testing
