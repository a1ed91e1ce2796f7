// From a deck to a SimulationSetup: types, velocities, coefficients.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "app/commands/setup.hpp"
#include "core/velocities.hpp"
#include "tests/io/input_support.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pencilbox::testing {
namespace {

SimulationSetup setup_of(const std::string& text, const std::vector<std::string>& overrides = {},
                         const std::string& name = "deck.yaml") {
  return make_setup(parse_deck(text, name, overrides, test_catalogue()));
}

constexpr const char* mixture = R"(system:
  particles:
    lattice: {type: fcc, density: 0.8, cells: [3, 3, 3]}
  velocities: {temperature: 1.2, seed: 4}
  types:
    - {name: A, mass: 1, fraction: 0.5}
    - {name: B, mass: 2, fraction: 0.3}
    - {name: C, mass: 3, fraction: 0.2}
potential:
  cutoff: 2
  truncation: shift
  pairs:
    - {types: [A, A], epsilon: 1, sigma: 1}
    - {types: [B, B], epsilon: 4, sigma: 2}
    - {types: [C, C], epsilon: 9, sigma: 3}
    - {types: [C, A], epsilon: 0.7, sigma: 0.9}
neighbor: {backend: par-cell, options: {block: 128}}
integrator: {timestep: 0.001}
run: {steps: 5, precision: single, deterministic: true}
)";

std::vector<std::int64_t> counts_of(const StartState& start) {
  std::vector<std::int64_t> counts(start.types.size(), 0);
  for (const std::int32_t type : start.type) ++counts[static_cast<std::size_t>(type)];
  return counts;
}

TEST(Setup, CarriesTheDeck) {
  const SimulationSetup setup = setup_of(mixture);
  EXPECT_EQ(setup.backend, "par-cell");
  EXPECT_EQ(setup.options.at("block"), "128");
  EXPECT_EQ(setup.integrator, "velocity-verlet");
  EXPECT_EQ(setup.timestep, 0.001);
  EXPECT_EQ(setup.precision, Precision::single);
  EXPECT_TRUE(setup.deterministic);
  EXPECT_EQ(std::get<LennardJonesModel>(setup.potential).cutoff, 2.0);
  EXPECT_EQ(std::get<LennardJonesModel>(setup.potential).truncation, Truncation::shift);
}

TEST(Setup, HandsOutTypesExactlyAndShuffled) {
  const StartState start = setup_of(mixture).start;
  // 54, 32.4 and 21.6 of 108: the largest remainder gets the last one.
  EXPECT_EQ(counts_of(start), (std::vector<std::int64_t>{54, 32, 22}));
  EXPECT_FALSE(std::is_sorted(start.type.begin(), start.type.end()));
  EXPECT_EQ(setup_of(mixture).start.type, start.type);
  EXPECT_NE(setup_of(mixture, {"system.type_seed=2"}).start.type, start.type);
  EXPECT_EQ(counts_of(setup_of(mixture, {"system.type_seed=2"}).start), counts_of(start));
}

TEST(Setup, DrawsVelocitiesWithTheTypesMasses) {
  const StartState start = setup_of(mixture).start;
  EXPECT_NEAR(kinetic_temperature(start), 1.2, 1e-14);
  double momentum = 0.0;
  for (std::size_t i = 0; i < start.velocity.size(); ++i) {
    momentum += start.types[static_cast<std::size_t>(start.type[i])].mass * start.velocity[i][0];
  }
  EXPECT_NEAR(momentum, 0.0, 1e-12);
}

TEST(Setup, MixesOnlyUnlikePairsThatAreAbsent) {
  const auto model = std::get<LennardJonesModel>(setup_of(mixture).potential);
  ASSERT_EQ(model.types, 3);
  const auto expect_pair = [&](int a, int b, double epsilon, double sigma) {
    for (const PairCoefficients& pair : {model.pair(a, b), model.pair(b, a)}) {
      EXPECT_DOUBLE_EQ(pair.epsilon, epsilon) << a << ' ' << b;
      EXPECT_DOUBLE_EQ(pair.sigma, sigma) << a << ' ' << b;
    }
  };
  expect_pair(0, 0, 1.0, 1.0);
  expect_pair(1, 1, 4.0, 2.0);
  expect_pair(2, 2, 9.0, 3.0);
  expect_pair(0, 1, 2.0, 1.5);
  expect_pair(1, 2, 6.0, 2.5);
  expect_pair(0, 2, 0.7, 0.9);
}

TEST(Setup, HasUnitCoefficientsWithoutPairs) {
  const auto model = std::get<LennardJonesModel>(
      setup_of("system: {particles: {random: {count: 20, box: [5, 5, 5], seed: 1}}, types: "
               "[{name: A, fraction: 0.5}, {name: B, fraction: 0.5}]}\n"
               "potential: {cutoff: 2}\nrun: {steps: 0}\n")
          .potential);
  for (const PairCoefficients& pair : model.pairs) {
    EXPECT_EQ(pair.epsilon, 1.0);
    EXPECT_EQ(pair.sigma, 1.0);
  }
  EXPECT_EQ(model.pairs.size(), 4U);
}

constexpr const char* two_types =
    "system: {particles: {random: {count: 20, box: [9, 9, 9], seed: 1}}, types: "
    "[{name: A, fraction: 0.5}, {name: B, fraction: 0.5}]}\nrun: {steps: 0}\n";

TEST(Setup, PairsMayHaveCutoffs) {
  const auto model = std::get<LennardJonesModel>(
      setup_of(std::string(two_types) +
               "potential: {cutoff: 2, pairs: [{types: [A, A], epsilon: 1, sigma: 1, cutoff: 3}, "
               "{types: [B, B], epsilon: 1, sigma: 1}]}\n")
          .potential);
  EXPECT_EQ(model.cutoff_of(model.pair(0, 0)), 3.0);
  EXPECT_EQ(model.cutoff_of(model.pair(0, 1)), 3.0);  // mixed of the one that is given
  EXPECT_EQ(model.cutoff_of(model.pair(1, 1)), 2.0);
  EXPECT_EQ(model.largest_cutoff(), 3.0);
}

TEST(Setup, WeeksChandlerAndersenEndsWherePairsAreLowest) {
  const auto model = std::get<LennardJonesModel>(
      setup_of(std::string(two_types) +
               "potential: {type: weeks-chandler-andersen, pairs: [{types: [A, A], epsilon: 1, "
               "sigma: 1}, {types: [B, B], epsilon: 1, sigma: 2}]}\n")
          .potential);
  EXPECT_EQ(model.truncation, Truncation::shift);
  const double least = std::pow(2.0, 1.0 / 6.0);
  EXPECT_DOUBLE_EQ(model.cutoff_of(model.pair(0, 0)), least);
  EXPECT_DOUBLE_EQ(model.cutoff_of(model.pair(0, 1)), 1.5 * least);
  EXPECT_DOUBLE_EQ(model.largest_cutoff(), 2.0 * least);
  const auto equal = std::get<LennardJonesModel>(
      setup_of(std::string(two_types) + "potential: {type: weeks-chandler-andersen}\n").potential);
  EXPECT_DOUBLE_EQ(equal.largest_cutoff(), least);
}

constexpr const char* cluster_of_two_types = R"(system:
  particles:
    plummer: {count: 400, radius: 2, seed: 3}
  types:
    - {name: light, mass: 0.001, fraction: 0.75}
    - {name: heavy, mass: 0.007, fraction: 0.25}
  boundary: [open, open, open]
potential: {type: softened-gravity, softening: 0.05, gravitational_constant: 4}
run: {steps: 0}
)";

TEST(Setup, GivesGravityTheMassesOfTheTypes) {
  const SimulationSetup setup = setup_of(cluster_of_two_types);
  const auto model = std::get<SoftenedGravityModel>(setup.potential);
  EXPECT_EQ(model.softening, 0.05);
  EXPECT_EQ(model.gravitational_constant, 4.0);
  EXPECT_EQ(model.masses, (std::vector<double>{0.001, 0.007}));
  EXPECT_EQ(counts_of(setup.start), (std::vector<std::int64_t>{300, 100}));
}

TEST(Setup, APlummerSphereRestsWithItsCentreAtTheOrigin) {
  const StartState start = setup_of(cluster_of_two_types).start;
  EXPECT_EQ(start.box.periodic, (Bool3{false, false, false}));
  Double3 moment{}, momentum{};
  double kinetic = 0.0;
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    const double mass = start.types[static_cast<std::size_t>(start.type[i])].mass;
    for (std::size_t d = 0; d < 3; ++d) {
      moment[d] += mass * start.position[i][d];
      momentum[d] += mass * start.velocity[i][d];
      kinetic += 0.5 * mass * start.velocity[i][d] * start.velocity[i][d];
    }
  }
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(moment[d], 0.0, 1e-14);
    EXPECT_NEAR(momentum[d], 0.0, 1e-14);
  }
  // 3 pi / 64 G M^2 / a = 0.2945, M = 1: a Plummer sphere's kinetic energy. The speeds of 400
  // bodies spread by some per cent of it.
  EXPECT_NEAR(kinetic, 0.2945, 0.03);
  const StartState drawn =
      setup_of(cluster_of_two_types, {"system.velocities={temperature: 2, seed: 1}"}).start;
  EXPECT_NEAR(kinetic_temperature(drawn), 2.0, 1e-12);
  EXPECT_EQ(drawn.position, start.position);
}

TEST(Setup, ASingleParticleIsLegal) {
  const SimulationSetup setup = setup_of(
      "system: {particles: {random: {count: 1, box: [5, 5, 5], seed: 1}}}\n"
      "potential: {cutoff: 2}\nrun: {steps: 3}\n");
  EXPECT_EQ(setup.start.size(), 1);
  EXPECT_EQ(setup.start.velocity[0], (Double3{0, 0, 0}));
}

TEST(Setup, AFilesVelocitiesStayUnlessTheDeckDrawsThem) {
  const TemporaryFolder folder;
  folder.write("start.xyz",
               "2\nLattice=\"5 0 0 0 5 0 0 0 5\" Properties=species:S:1:pos:R:3:velo:R:3\n"
               "A 1 1 1 0.5 0 0\nA 2 2 2 0 0.25 0\n");
  const std::string deck =
      "system: {particles: {file: start.xyz}}\npotential: {cutoff: 2}\nrun: {steps: 0}\n";
  const std::string name = (folder / "deck.yaml").string();
  EXPECT_EQ(setup_of(deck, {}, name).start.velocity[0], (Double3{0.5, 0, 0}));
  const StartState drawn =
      setup_of(deck, {"system.velocities={temperature: 2, seed: 1}"}, name).start;
  EXPECT_NEAR(kinetic_temperature(drawn), 2.0, 1e-14);
}

TEST(BadSetup, GivesOneLineWithThePlaceInTheDeck) {
  const auto error = [](const std::string& text, const std::vector<std::string>& overrides = {}) {
    return error_of([&] { setup_of(text, overrides); });
  };
  EXPECT_EQ(error(mixture, {"potential.pairs=[{types: [A, X], epsilon: 1, sigma: 1}]"}),
            "--set potential.pairs[0].types: no such type, got X, allowed A, B, C");
  EXPECT_EQ(error(mixture, {"potential.pairs=[{types: [A, A], epsilon: 1, sigma: 1}]"}),
            "--set potential.pairs: a like pair is missing, got B B not listed, allowed "
            "coefficients for every type with itself, or no pairs at all");
  EXPECT_EQ(error(std::string(two_types) +
                  "potential: {type: weeks-chandler-andersen, pairs: [{types: [A, A], epsilon: 1, "
                  "sigma: 1}, {types: [B, B], epsilon: 1, sigma: 1, cutoff: 2}]}\n"),
            "deck.yaml:3: potential.pairs[1].cutoff: the cutoff of this potential is where a "
            "pair's energy is least, got 2, allowed no cutoff, or potential.type lennard-jones");
  const std::string crowded = error(
      "system:\n  particles:\n    random: {count: 1000, box: [5, 5, 5], seed: 1, minimum_distance: "
      "1}\npotential: {cutoff: 2}\nrun: {steps: 0}\n");
  EXPECT_EQ(crowded.substr(0, 65),
            "deck.yaml:3: system.particles.random: no room at this minimum_dis")
      << crowded;
  const std::string missing = error(
      "system: {particles: {file: no such file.data}}\npotential: {cutoff: 2}\nrun: {steps: 0}\n");
  EXPECT_EQ(missing.substr(0, 84),
            "deck.yaml:1: system.particles.file: file not found, got no such file.data, allowed a")
      << missing;
}

TEST(BadSetup, ATemperatureOfASingleParticleFromAFile) {
  const TemporaryFolder folder;
  folder.write("one.xyz", "1\nLattice=\"5 0 0 0 5 0 0 0 5\"\nA 1 1 1\n");
  const std::string name = (folder / "deck.yaml").string();
  const std::string error = error_of([&] {
    setup_of(
        "system:\n  particles: {file: one.xyz}\n  velocities: {temperature: 1, seed: 1}\n"
        "potential: {cutoff: 2}\nrun: {steps: 0}\n",
        {}, name);
  });
  const std::string prefix = name + ":3: system.velocities.temperature: a single particle";
  EXPECT_EQ(error.substr(0, prefix.size()), prefix) << error;
}

}  // namespace
}  // namespace pencilbox::testing
