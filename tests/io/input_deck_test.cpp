// Good decks: values, defaults, overrides, the resolved deck, and text that must simply work.
#include <clocale>

#include <gtest/gtest.h>

#include "io/input/deck.hpp"
#include "tests/io/input_support.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pencilbox::testing {
namespace {

constexpr const char* small_deck = R"(system:
  particles:
    lattice: {type: fcc, density: 0.8442, cells: [4, 5, 6]}
potential:
  cutoff: 2.5
run: {steps: 0}
)";

constexpr const char* full_deck = R"(title: "A: full \"deck\""
system:
  particles:
    random: {count: 1000, box: [10, 11, 12.5], seed: 1, minimum_distance: 0.5}
  velocities: {temperature: 1.44, seed: 87287}
  types:
    - {name: A, mass: 1.0, fraction: 0.25}
    - {name: "no", mass: 2, fraction: 0.75}
  type_seed: 5
  boundary: [periodic, open, periodic]
potential:
  type: lennard-jones
  cutoff: 3
  truncation: force-shift
  tail_correction: false
  pairs: [{types: [A, A], epsilon: 1.0, sigma: 1.0}, {types: ["no", "no"], epsilon: 0.1, sigma: 1.1}]
neighbor:
  backend: par-cell
  options: {block: 128, order: morton}
integrator: {type: velocity-verlet, timestep: 0.001}
run: {steps: 1e6, precision: double, device: cuda, deterministic: true, ranks: [4, 1, 2], exchange: host, balance: off}
output:
  directory: out/full run
  thermo: {every: 10}
  trajectory: {every: 1000, fields: [velocity, id], compression: 6, split_every: 500}
)";

constexpr const char* cluster_deck = R"(system:
  particles:
    plummer: {count: 100, radius: 2.5}
  boundary: [open, open, open]
potential: {type: softened-gravity, softening: 0.05}
run: {steps: 0}
)";

Deck parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_deck(text, "folder/deck.yaml", overrides, test_catalogue());
}

TEST(Deck, GivesAnIntegratorItsParameters) {
  const Deck deck = parse(small_deck, {"integrator.type=langevin", "integrator.temperature=0.7",
                                       "integrator.friction=2"});
  ASSERT_EQ(deck.stages.size(), 1U);
  EXPECT_EQ(deck.stages[0].name, "");
  EXPECT_EQ(deck.stages[0].integrator, "langevin");
  EXPECT_EQ(deck.stages[0].parameters,
            (IntegratorParameters{{"temperature", 0.7}, {"friction", 2.0}, {"seed", 1.0}}));
}

constexpr const char* staged_deck = R"(system:
  particles:
    random: {count: 100, box: [5, 5, 5]}
potential: {cutoff: 2.5}
run:
  stages:
    - name: minimise
      steps: 200
      integrator: {type: fire}
    - name: cool
      steps: 1000
      integrator:
        {type: langevin, timestep: 0.01, temperature: {from: 1.5, to: 0.7}, friction: 1}
      zero_momentum: {every: 50}
    - {name: produce, steps: 500, zero_momentum: {}}
observables:
  - {type: radial-distribution, every: 100, max_distance: 2.5}
  - {type: mean-squared-displacement, every: 10, from: 1300, length: 20}
)";

TEST(Deck, HasStages) {
  const Deck deck = parse(staged_deck);
  EXPECT_EQ(deck.steps, 1700);
  ASSERT_EQ(deck.stages.size(), 3U);
  EXPECT_EQ(deck.stages[0].name, "minimise");
  EXPECT_EQ(deck.stages[0].integrator, "fire");
  EXPECT_EQ(deck.stages[0].parameters,
            (IntegratorParameters{{"force_tolerance", 0.01}, {"max_displacement", 0.1}}));
  EXPECT_FALSE(deck.stages[0].zero_momentum_every);
  EXPECT_EQ(deck.stages[1].first_step, 200);
  EXPECT_DOUBLE_EQ(deck.stages[1].first_time, 200 * 0.005);
  EXPECT_EQ(deck.stages[1].timestep, 0.01);
  EXPECT_EQ(deck.stages[1].zero_momentum_every, 50);
  EXPECT_EQ(deck.stages[1].parameters,
            (IntegratorParameters{
                {"temperature", 1.5}, {"temperature.to", 0.7}, {"friction", 1.0}, {"seed", 1.0}}));
  EXPECT_EQ(deck.stages[2].first_step, 1200);
  EXPECT_DOUBLE_EQ(deck.stages[2].first_time, 200 * 0.005 + 1000 * 0.01);
  EXPECT_EQ(deck.stages[2].integrator, "velocity-verlet");
  EXPECT_EQ(deck.stages[2].zero_momentum_every, 0);
  EXPECT_EQ(resolved_yaml(parse(resolved_yaml(deck))), resolved_yaml(deck));
}

TEST(Deck, KnowsWhichStageAStepIsOf) {
  const Deck deck = parse(staged_deck);
  EXPECT_EQ(deck.stage_at(0), 0U);
  EXPECT_EQ(deck.stage_at(199), 0U);
  EXPECT_EQ(deck.stage_at(200), 1U);
  EXPECT_EQ(deck.stage_at(1700), 2U);
  EXPECT_FALSE(deck.changes_stage_at(0));
  EXPECT_FALSE(deck.changes_stage_at(199));
  EXPECT_TRUE(deck.changes_stage_at(200));
  EXPECT_TRUE(deck.changes_stage_at(1200));
  EXPECT_FALSE(deck.changes_stage_at(1700));
}

TEST(Deck, LooksAtTheLastStageAlone) {
  const Deck deck = parse(staged_deck);
  EXPECT_EQ(deck.observables[0].from, 1200) << "means of several stages are of none of them";
  EXPECT_EQ(deck.observables[1].from, 1300);
  EXPECT_EQ(parse(resolved_yaml(deck)).observables, deck.observables);
}

TEST(Deck, AnOverrideReachesIntoAStage) {
  const Deck deck =
      parse(staged_deck, {"run.stages[1].integrator.temperature.to=0.5", "run.stages[2].steps=7"});
  EXPECT_EQ(deck.stages[1].parameters.at("temperature.to"), 0.5);
  EXPECT_EQ(deck.steps, 1207);
  EXPECT_EQ(deck.place("run.stages[2].steps"), "--set run.stages[2].steps");
  EXPECT_EQ(deck.place("run.stages[1].integrator.friction"),
            "folder/deck.yaml:13: run.stages[1].integrator.friction");
}

TEST(Deck, ARunMayBeARampAsAWhole) {
  const Deck deck = parse(small_deck, {"integrator={type: nose-hoover, relaxation_time: 1, "
                                       "temperature: {from: 2, to: 1}}",
                                       "run.zero_momentum.every=10"});
  ASSERT_EQ(deck.stages.size(), 1U);
  EXPECT_EQ(deck.stages[0].parameters.at("temperature"), 2.0);
  EXPECT_EQ(deck.stages[0].parameters.at("temperature.to"), 1.0);
  EXPECT_EQ(deck.stages[0].zero_momentum_every, 10);
}

TEST(Deck, GivesObservablesTheirParameters) {
  const Deck deck = parse(std::string(small_deck) +
                          "observables:\n"
                          "  - {type: mean-squared-displacement, every: 10, from: 50, length: 20}\n"
                          "  - {type: radial-distribution, every: 100, max_distance: 3}\n");
  const std::vector<ObservableChoice> expected{
      {"mean-squared-displacement", 10, 50, {{"length", 20.0}, {"origin_every", 10.0}}},
      {"radial-distribution", 100, 0, {{"bins", 250.0}, {"max_distance", 3.0}}}};
  EXPECT_EQ(deck.observables, expected);
  EXPECT_EQ(parse(resolved_yaml(deck)).observables, expected);
  EXPECT_EQ(deck.place_of_observable(1, "bins"), "folder/deck.yaml:9: observables[1].bins");
  EXPECT_TRUE(parse(small_deck).observables.empty());
}

TEST(Deck, GivesWordsOfObservablesTheirNumber) {
  const std::string text = std::string(small_deck) + "observables:\n";
  const Deck deck = parse(text + "  - {type: density-profile, every: 10, axis: x, bins: 20}\n");
  const std::vector<ObservableChoice> expected{
      {"density-profile", 10, 0, {{"axis", 0.0}, {"bins", 20.0}}}};
  EXPECT_EQ(deck.observables, expected);
  EXPECT_EQ(parse(resolved_yaml(deck)).observables, expected);
  const Deck usual = parse(text + "  - {type: density-profile, every: 10}\n");
  EXPECT_EQ(usual.observables.front().parameters.at("axis"), 2.0);
  const auto error = [&](const std::string& entry) {
    return error_of([&] { parse(text + "  - {" + entry + "}\n"); });
  };
  EXPECT_EQ(error("type: density-profile, every: 10, axis: w"),
            "folder/deck.yaml:8: observables[0].axis: no such choice, got w, allowed x, y, z; did "
            "you mean x?");
  EXPECT_TRUE(error("type: coordination, every: 10, max_distance: 1.5, axis: x")
                  .starts_with("folder/deck.yaml:8: observables[0].axis: only with type "
                               "density-profile"));
}

TEST(ObservableChoice, IsDueAtMultiplesFromItsFirstStepOn) {
  const ObservableChoice choice{"any", 10, 25, {}};
  EXPECT_FALSE(choice.is_due(0));
  EXPECT_FALSE(choice.is_due(20));
  EXPECT_FALSE(choice.is_due(25));
  EXPECT_TRUE(choice.is_due(30));
  EXPECT_EQ(choice.next_due(0), 30);
  EXPECT_EQ(choice.next_due(29), 30);
  EXPECT_EQ(choice.next_due(30), 40);
  EXPECT_TRUE((ObservableChoice{"any", 10, 0, {}}.is_due(0)));
}

TEST(Deck, FillsInTheDefaults) {
  const Deck deck = parse(small_deck);
  EXPECT_EQ(deck.title, "deck");
  const auto& lattice = std::get<LatticeStart>(deck.start);
  EXPECT_EQ(lattice.type, LatticeType::fcc);
  EXPECT_EQ(lattice.density, 0.8442);
  EXPECT_EQ(lattice.cells, (std::array<std::int64_t, 3>{4, 5, 6}));
  EXPECT_FALSE(deck.velocities);
  ASSERT_EQ(deck.types.size(), 1U);
  EXPECT_EQ(deck.types[0].name, "A");
  EXPECT_EQ(deck.types[0].mass, 1.0);
  EXPECT_EQ(deck.periodic, (Bool3{true, true, true}));
  EXPECT_EQ(deck.cutoff, 2.5);
  EXPECT_EQ(deck.truncation, Truncation::cut);
  EXPECT_FALSE(deck.tail_correction);
  EXPECT_TRUE(deck.pairs.empty());
  EXPECT_EQ(deck.backend, "auto");
  EXPECT_TRUE(deck.options.empty());
  ASSERT_EQ(deck.stages.size(), 1U);
  EXPECT_EQ(deck.stages[0].integrator, "velocity-verlet");
  EXPECT_TRUE(deck.stages[0].parameters.empty());
  EXPECT_EQ(deck.stages[0].timestep, 0.005);
  EXPECT_EQ(deck.stages[0].last_step(), 0);
  EXPECT_FALSE(deck.stages[0].zero_momentum_every);
  EXPECT_EQ(deck.steps, 0);
  EXPECT_EQ(deck.precision, Precision::mixed);
  EXPECT_EQ(deck.device, "auto");
  EXPECT_FALSE(deck.deterministic);
  EXPECT_FALSE(deck.ranks);
  EXPECT_EQ(deck.exchange, Exchange::best);
  EXPECT_EQ(deck.balance, Balance::best);
  EXPECT_EQ(deck.output.directory, "deck");
  EXPECT_EQ(deck.output.thermo_every, 100);
  EXPECT_FALSE(deck.output.trajectory);
}

TEST(Deck, TakesEveryValue) {
  const Deck deck = parse(full_deck);
  EXPECT_EQ(deck.title, "A: full \"deck\"");
  const auto& random = std::get<RandomStart>(deck.start);
  EXPECT_EQ(random.count, 1000);
  EXPECT_EQ(random.box, (Double3{10, 11, 12.5}));
  EXPECT_EQ(random.seed, 1U);
  EXPECT_EQ(random.minimum_distance, 0.5);
  ASSERT_TRUE(deck.velocities);
  EXPECT_EQ(deck.velocities->temperature, 1.44);
  EXPECT_EQ(deck.velocities->seed, 87287U);
  ASSERT_EQ(deck.types.size(), 2U);
  EXPECT_EQ(deck.types[1].name, "no");
  EXPECT_EQ(deck.types[1].mass, 2.0);
  EXPECT_EQ(deck.types[1].fraction, 0.75);
  EXPECT_EQ(deck.type_seed, 5U);
  EXPECT_EQ(deck.periodic, (Bool3{true, false, true}));
  EXPECT_EQ(deck.cutoff, 3.0);
  EXPECT_EQ(deck.truncation, Truncation::force_shift);
  ASSERT_EQ(deck.pairs.size(), 2U);
  EXPECT_EQ(deck.pairs[1].types[0], "no");
  EXPECT_EQ(deck.pairs[1].coefficients.epsilon, 0.1);
  EXPECT_EQ(deck.backend, "par-cell");
  EXPECT_EQ(deck.options,
            (BackendOptions{
                {"block", "128"}, {"order", "morton"}, {"cells", "auto"}, {"prefetch", "true"}}));
  EXPECT_EQ(deck.stages[0].timestep, 0.001);
  EXPECT_EQ(deck.steps, 1000000);
  EXPECT_EQ(deck.precision, Precision::double_);
  EXPECT_EQ(deck.device, "cuda");
  EXPECT_TRUE(deck.deterministic);
  EXPECT_EQ(deck.ranks, (std::array{4, 1, 2}));
  EXPECT_EQ(deck.exchange, Exchange::host);
  EXPECT_EQ(deck.balance, Balance::off);
  EXPECT_EQ(deck.output.directory, "out/full run");
  EXPECT_EQ(deck.output.thermo_every, 10);
  ASSERT_TRUE(deck.output.trajectory);
  EXPECT_EQ(deck.output.trajectory->every, 1000);
  EXPECT_TRUE(deck.output.trajectory->fields.contains(Field::position));
  EXPECT_TRUE(deck.output.trajectory->fields.contains(Field::id));
  EXPECT_FALSE(deck.output.trajectory->fields.contains(Field::species));
  EXPECT_EQ(deck.output.trajectory->compression, 6);
  EXPECT_EQ(deck.output.trajectory->split_every, 500);
}

TEST(Deck, TrajectoryHasItsDefaultFields) {
  const Deck deck = parse(std::string(small_deck) + "output: {trajectory: {every: 5}}\n");
  for (const Field field :
       {Field::position, Field::velocity, Field::potential_energy, Field::species}) {
    EXPECT_TRUE(deck.output.trajectory->fields.contains(field));
  }
  EXPECT_FALSE(deck.output.trajectory->fields.contains(Field::force));
  EXPECT_EQ(deck.output.trajectory->compression, 0);
  EXPECT_EQ(deck.output.trajectory->split_every, 0);
}

TEST(Deck, TakesAClusterUnderGravity) {
  const Deck deck = parse(cluster_deck);
  const auto& sphere = std::get<PlummerStart>(deck.start);
  EXPECT_EQ(sphere.count, 100);
  EXPECT_EQ(sphere.radius, 2.5);
  EXPECT_EQ(sphere.seed, 1U);
  EXPECT_EQ(deck.potential, PotentialType::softened_gravity);
  EXPECT_EQ(deck.softening, 0.05);
  EXPECT_EQ(deck.gravitational_constant, 1.0);
  EXPECT_EQ(parse(small_deck).potential, PotentialType::lennard_jones);
  const std::string resolved = resolved_yaml(deck);
  EXPECT_EQ(resolved.find("cutoff"), std::string::npos) << resolved;
  EXPECT_EQ(resolved_yaml(parse(small_deck)).find("softening"), std::string::npos);
}

TEST(Deck, ResolvedReadsBackToItself) {
  for (const std::string text : {small_deck, full_deck, cluster_deck}) {
    const std::string resolved = resolved_yaml(parse(text));
    EXPECT_EQ(resolved_yaml(parse(resolved)), resolved);
    const Deck first = parse(text);
    const Deck again = parse(resolved);
    EXPECT_EQ(again.title, first.title);
    EXPECT_EQ(again.options, first.options);
    EXPECT_EQ(again.steps, first.steps);
    EXPECT_EQ(again.output.directory, first.output.directory);
    EXPECT_EQ(again.types.size(), first.types.size());
  }
  EXPECT_NE(resolved_yaml(parse(small_deck)).find("backend: auto"), std::string::npos);
}

TEST(Deck, ResolvesStartFilesFromItsOwnFolder) {
  const std::string text =
      "system: {particles: {file: data/start.xyz}}\npotential: {cutoff: 2.5}\nrun: {steps: 1}\n";
  const Deck deck = parse(text);
  EXPECT_EQ(std::get<FileStart>(deck.start).path, "folder/data/start.xyz");
  EXPECT_TRUE(deck.types.empty());
  const Deck elsewhere =
      parse_deck(resolved_yaml(deck), "/another/deck.yaml", {}, test_catalogue());
  EXPECT_EQ(std::get<FileStart>(elsewhere.start).path,
            std::filesystem::absolute("folder/data/start.xyz"));
}

TEST(Deck, OverridesStandOverTheText) {
  const Deck deck = parse(small_deck, {"potential.cutoff=3.0", "run.steps=7", "run.steps=8",
                                       "neighbor.backend=par-cell", "neighbor.options.block=256",
                                       "system.boundary=[open, open, open]", "title=a b"});
  EXPECT_EQ(deck.cutoff, 3.0);
  EXPECT_EQ(deck.steps, 8);
  EXPECT_EQ(deck.backend, "par-cell");
  EXPECT_EQ(deck.options.at("block"), "256");
  EXPECT_EQ(deck.periodic, (Bool3{false, false, false}));
  EXPECT_EQ(deck.title, "a b");
}

TEST(Deck, KnowsWhereAKeyStands) {
  const Deck deck = parse(small_deck, {"run.device=host"});
  EXPECT_EQ(deck.where("potential.cutoff"), "folder/deck.yaml:5");
  EXPECT_EQ(deck.where("potential.truncation"), "folder/deck.yaml:4");  // a default: its section
  EXPECT_EQ(deck.where("run.device"), "--set");
  EXPECT_EQ(deck.place("run.device"), "--set run.device");
  EXPECT_EQ(deck.place("potential.cutoff"), "folder/deck.yaml:5: potential.cutoff");
}

TEST(Deck, WorksWithOtherLineEndsBlanksCommentsAndByteOrderMark) {
  std::string text = std::string("# comment\n") + small_deck;
  const std::string expected = resolved_yaml(parse(text));
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("  \r\n") : std::string(1, c);
  EXPECT_EQ(resolved_yaml(parse(windows)), expected);
  EXPECT_EQ(resolved_yaml(parse("\xEF\xBB\xBF" + text)), expected);
  EXPECT_EQ(resolved_yaml(parse("---\n" + text + "...\n")), expected);
  EXPECT_EQ(resolved_yaml(parse("\t\n\t# comment\n" + text + "\t\n")), expected);
}

TEST(Deck, DoesNotCareAboutTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, locale) != nullptr) {
      EXPECT_EQ(parse(small_deck).cutoff, 2.5) << locale;
    }
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Deck, LoadsFromPathsWithSpacesAndUtf8) {
  const TemporaryFolder folder;
  const auto path = folder.write("Größe und Maß.yaml", small_deck);
  const Deck deck = load_deck(path, {}, test_catalogue());
  EXPECT_EQ(deck.title, "Größe und Maß");
  EXPECT_EQ(deck.output.directory, "Größe und Maß");
  EXPECT_EQ(resolved_yaml(parse_deck(resolved_yaml(deck), path.string(), {}, test_catalogue())),
            resolved_yaml(deck));
}

TEST(Deck, LegalExtremesAreLegal) {
  const Deck one = parse(
      "system: {particles: {random: {count: 1, box: [5, 5, 5], seed: 0}}}\n"
      "potential: {cutoff: 2.5}\nrun: {steps: 10}\n"
      "output: {thermo: {every: 1000000}}\n");
  EXPECT_EQ(std::get<RandomStart>(one.start).count, 1);
  EXPECT_EQ(one.output.thermo_every, 1000000);
  const Deck two = parse(
      "system: {particles: {random: {count: 2, box: [5, 5, 5], seed: 0}},"
      " velocities: {temperature: 1, seed: 1}}\n"
      "potential: {cutoff: 2.5}\nrun: {steps: 10}\noutput:\nneighbor:\n");
  EXPECT_TRUE(two.velocities);
}

}  // namespace
}  // namespace pencilbox::testing
