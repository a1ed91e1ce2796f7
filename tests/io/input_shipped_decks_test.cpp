// The decks in inputs/: they parse, they are what they say, and all_options.yaml has every key.
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "app/commands/setup.hpp"
#include "core/interactions/lennard_jones_model.hpp"
#include "io/input/deck_schema.hpp"
#include "io/input/yaml_tree.hpp"
#include "tests/io/input_support.hpp"

namespace pencilbox::testing {
namespace {

namespace fs = std::filesystem;

const fs::path inputs = PENCILBOX_INPUTS;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<fs::path> shipped_decks() {
  std::vector<fs::path> decks;
  for (const auto& entry : fs::directory_iterator(inputs)) {
    if (entry.path().extension() == ".yaml") decks.push_back(entry.path());
  }
  return decks;
}

/// With the back ends that shipped decks name.
Catalogue shipped_catalogue() {
  Catalogue catalogue = test_catalogue();
  catalogue.backends.push_back({"all-pairs", "all pairs in tiles", "test", {}});
  catalogue.backends.push_back({"auto", "the fastest of the others", "test", {}});
  return catalogue;
}

Deck load(const std::string& name) { return load_deck(inputs / name, {}, shipped_catalogue()); }

TEST(ShippedDecks, LoadResolveAndSetUp) {
  const std::vector<fs::path> decks = shipped_decks();
  EXPECT_GE(decks.size(), 15U);
  for (const fs::path& path : decks) {
    SCOPED_TRACE(path.string());
    const Deck deck = load_deck(path, {}, shipped_catalogue());
    const std::string resolved = resolved_yaml(deck);
    EXPECT_EQ(resolved_yaml(parse_deck(resolved, path.string(), {}, shipped_catalogue())),
              resolved);
    EXPECT_GT(make_setup(deck).start.size(), 0);
    EXPECT_NE(text_of(inputs / "README.md").find(path.stem().string()), std::string::npos);
  }
}

TEST(ShippedDecks, TheMeltIsTheBenchmark) {
  const Deck deck = load("melt.yaml");
  const SimulationSetup setup = make_setup(deck);
  EXPECT_EQ(setup.start.size(), 32000);
  EXPECT_NEAR(setup.start.box.edges[2], 33.59192382765015, 1e-13);
  EXPECT_EQ(deck.steps, 1000);
  EXPECT_EQ(deck.output.thermo_every, 100);
  EXPECT_EQ(deck.output.directory, "melt");
  EXPECT_EQ(make_setup(load("melt-small.yaml")).start.size(), 2048);
}

/// Sum over pairs with the minimum image: right here, because the cutoff is less than half a side.
double pair_energy(const StartState& start, double cutoff) {
  double energy = 0.0;
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double square = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        double difference = start.position[i][d] - start.position[j][d];
        difference -= std::round(difference / start.box.edges[d]) * start.box.edges[d];
        square += difference * difference;
      }
      if (square >= cutoff * cutoff) continue;
      const double s6 = 1.0 / (square * square * square);
      energy += 4.0 * (s6 * s6 - s6);
    }
  }
  return energy;
}

struct Nist {
  const char* deck;
  std::int64_t particles;
  double energy;
  double tail;
};

class NistDeck : public ::testing::TestWithParam<Nist> {};

TEST_P(NistDeck, HasTheEnergyOfNist) {
  const Nist nist = GetParam();
  const Deck deck = load(nist.deck);
  EXPECT_EQ(deck.steps, 0);
  EXPECT_EQ(deck.precision, Precision::double_);
  const SimulationSetup setup = make_setup(deck);
  ASSERT_EQ(setup.start.size(), nist.particles);
  EXPECT_TRUE(std::get<LennardJonesModel>(setup.potential).tail_correction);
  EXPECT_EQ(std::get<LennardJonesModel>(setup.potential).cutoff, 3.0);
  EXPECT_NEAR(pair_energy(setup.start, 3.0) / nist.energy, 1.0, 1e-12);
  const double tail = tail_correction(std::get<LennardJonesModel>(setup.potential),
                                      {nist.particles}, setup.start.box.volume())
                          .energy;
  EXPECT_NEAR(tail / nist.tail, 1.0, 1e-14);
}

INSTANTIATE_TEST_SUITE_P(
    ShippedDecks, NistDeck,
    ::testing::Values(Nist{"nist-1.yaml", 800, -4351.5401945438662, -198.4888837441566},
                      Nist{"nist-2.yaml", 200, -690.00404517286734, -24.229600066425366},
                      Nist{"nist-3.yaml", 400, -1146.6674208336699, -49.622220936039149},
                      Nist{"nist-4.yaml", 30, -16.790321304625859, -0.54516600149457073}));

TEST(ShippedDecks, TheMixtureIsKobAndersen) {
  const SimulationSetup setup = make_setup(load("mixture.yaml"));
  std::array<int, 2> counts{};
  for (const std::int32_t type : setup.start.type) ++counts[static_cast<std::size_t>(type)];
  EXPECT_EQ(counts, (std::array<int, 2>{691, 173}));
  EXPECT_EQ(std::get<LennardJonesModel>(setup.potential).pair(0, 1).epsilon, 1.5);
  const auto& model = std::get<LennardJonesModel>(setup.potential);
  EXPECT_EQ(model.pair(1, 0).sigma, 0.8);
  for (const PairCoefficients& pair : model.pairs) {
    EXPECT_DOUBLE_EQ(model.cutoff_of(pair), 2.5 * pair.sigma);
  }
}

TEST(ShippedDecks, TheDropletTouchesNoFace) {
  const StartState start = make_setup(load("droplet.yaml")).start;
  EXPECT_EQ(start.box.periodic, (Bool3{false, false, false}));
  for (const Double3& position : start.position) {
    for (const double x : position) EXPECT_LT(std::abs(x), 10.0);
  }
}

/// Is the key of this rule written in the tree? Lists of sections are looked into.
bool is_written(const YamlNode& node, std::string_view path) {
  const std::size_t dot = path.find('.');
  std::string_view word = path.substr(0, dot);
  const bool list = word.size() > 2 && word.substr(word.size() - 2) == "[]";
  if (list) word.remove_suffix(2);
  const YamlNode* child = node.find(word);
  if (child == nullptr) return false;
  if (dot == std::string_view::npos) return true;
  const std::string_view rest = path.substr(dot + 1);
  if (!list) return is_written(*child, rest);
  for (const YamlNode& item : child->items) {
    if (is_written(item, rest)) return true;
  }
  return false;
}

TEST(AllOptions, HasEveryKeyOfTheTable) {
  const std::string text = text_of(inputs / "all_options.yaml");
  const YamlNode root = parse_yaml(text, "all_options.yaml", false);
  // Of alternatives only one can be there; the others stand in comments, ready to be used.
  std::string uncommented = text;
  const auto uncomment = [&uncommented](const std::string& indent, const std::string& key) {
    const std::string comment = "\n" + indent + "# " + key;
    const std::size_t at = uncommented.find(comment);
    ASSERT_NE(at, std::string::npos) << key;
    uncommented.replace(at, comment.size(), "\n" + indent + key);
  };
  for (const char* key : {"random:", "  count:", "  box:", "  seed:", "  minimum_distance:",
                          "file:", "frame:", "plummer:", "  count:", "  radius:", "  seed:"}) {
    uncomment("    ", key);
  }
  for (const char* key : {"temperature:", "friction:", "relaxation_time:", "seed:", "chain_length:",
                          "force_tolerance:", "max_displacement:", "zero_momentum:", "  every:"}) {
    uncomment("  ", key);
  }
  for (const char* key : {"barostat:", "  type:", "  pressure:", "  relaxation_time:",
                          "  compressibility:", "  every:", "  seed:"}) {
    uncomment("", key);
  }
  for (const char* key : {"stages:",
                          "  - name:",
                          "    steps:",
                          "    integrator:",
                          "      type:",
                          "      timestep:",
                          "      force_tolerance:",
                          "      max_displacement:",
                          "  - name:",
                          "    steps:",
                          "    integrator:",
                          "      type:",
                          "      temperature:",
                          "      friction:",
                          "      seed:",
                          "    barostat:",
                          "      type:",
                          "      pressure:",
                          "      relaxation_time:",
                          "      compressibility:",
                          "      every:",
                          "      seed:",
                          "    zero_momentum:",
                          "      every:",
                          "  - name:",
                          "    steps:",
                          "    integrator:",
                          "      type:",
                          "      temperature:",
                          "      relaxation_time:",
                          "      chain_length:"}) {
    uncomment("  ", key);
  }
  for (const char* key : {"tables:", "  - types:", "    file:", "    hash:", "    cutoff:"}) {
    uncomment("  ", key);
  }
  uncomment("  ", "softening:");
  uncomment("  ", "gravitational_constant:");
  const DeckSchema schema(test_catalogue(), "par-part-no-loop");
  const YamlNode all = parse_yaml(uncommented, "all_options.yaml", false);
  for (const KeyRule& rule : schema.rules()) {
    EXPECT_TRUE(is_written(all, rule.path)) << rule.path << " is not in all_options.yaml";
    const bool in_a_list = rule.parent() == "observables[]";  // which may have one of each type
    bool alternative = !rule.only_with.empty() && !rule.goes_with("lennard-jones") && !in_a_list;
    for (const char* start :
         {"particles.random", "particles.file", "particles.frame", "particles.plummer",
          "run.stages", "zero_momentum", ".temperature.", "potential.tables", "barostat"}) {
      alternative |= rule.path.find(start) != std::string::npos;
    }
    EXPECT_EQ(is_written(root, rule.path), !alternative) << rule.path;
  }
}

TEST(AllOptions, ItsAlternativesWorkToo) {
  const std::string random =
      "system.particles={random: {count: 864, box: [10, 10, 10], seed: 1, "
      "minimum_distance: 0.8}}";
  const Deck deck = load_deck(inputs / "all_options.yaml", {random}, test_catalogue());
  EXPECT_EQ(make_setup(deck).start.size(), 864);
  const Deck cluster = load_deck(
      inputs / "all_options.yaml",
      {"system.particles={plummer: {count: 1024, radius: 1.0, seed: 1}}",
       "system.boundary=[open, open, open]",
       "potential={type: softened-gravity, softening: 0.05, gravitational_constant: 1.0}"},
      test_catalogue());
  EXPECT_EQ(make_setup(cluster).start.size(), 1024);
}

TEST(ShippedDecks, ThePlummerSphereHasTheMassOne) {
  const SimulationSetup setup = make_setup(load("plummer.yaml"));
  EXPECT_EQ(setup.start.size(), 1024);
  EXPECT_EQ(std::get<SoftenedGravityModel>(setup.potential).masses,
            (std::vector<double>{1.0 / 1024.0}));
}

}  // namespace
}  // namespace pencilbox::testing
