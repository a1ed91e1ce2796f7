// What a run leaves begins the next: a checkpoint or a frame as a start file, the resolved deck run
// again, and `compare` on the state of a finished run.
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

using nlohmann::json;

constexpr const char* few_steps = " --backends green --steps 2 --repeats 2 ";

class StartFromRun : public InAFolder {
 protected:
  StartFromRun() {
    write("deck.yaml", small_deck());
    const ProgramResult result = program(
        "run deck.yaml --quiet --set output.checkpoint.every=20 --set run.deterministic=true");
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }

  /// Potential and kinetic energy of a row of thermo.csv.
  std::pair<double, double> energies(const std::string& name, std::size_t row) const {
    const std::vector<double> numbers = rows_of(read(name)).at(row);
    EXPECT_EQ(numbers.size(), 8U);
    return {numbers.at(4), numbers.at(3)};
  }

  /// Runs a deck that starts from `particles`, and expects row 0 to be row `row` of the run before.
  void expect_goes_on_from(const std::string& particles, std::size_t row, double share) {
    write("next.yaml", "system: {particles: " + particles +
                           "}\n"
                           "potential: {cutoff: 2.5}\n"
                           "integrator: {timestep: 0.001}\n"
                           "neighbor: {backend: green}\n"
                           "run: {steps: 3, device: host, precision: mixed}\n");
    const ProgramResult result = program("run next.yaml --quiet --overwrite");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto before = energies("deck/thermo.csv", row), now = energies("next/thermo.csv", 0);
    EXPECT_NEAR(now.first, before.first, share * std::abs(before.first)) << particles;
    EXPECT_NEAR(now.second, before.second, share * before.second) << particles;
    EXPECT_NE(energies("next/thermo.csv", 1), energies("next/thermo.csv", 0)) << "it went on";
  }
};

TEST_F(StartFromRun, ACheckpointOrAFrameBeginsTheNextRunWithOtherKeys) {
  constexpr double of_float_pairs = 1e-5;
  expect_goes_on_from("{file: deck/checkpoint.h5}", 2, of_float_pairs);
  expect_goes_on_from("{file: deck/trajectory.h5md}", 2, of_float_pairs);
  expect_goes_on_from("{file: deck/trajectory.h5md, frame: -1}", 2, of_float_pairs);
  expect_goes_on_from("{file: deck/trajectory.h5md, frame: 1}", 1, of_float_pairs);
  expect_goes_on_from("{file: deck/trajectory.h5md, frame: -3}", 0, of_float_pairs);
}

TEST_F(StartFromRun, MayNotWriteWhereItReads) {
  write("next.yaml",
        "system: {particles: {file: deck/checkpoint.h5}}\npotential: {cutoff: 2.5}\n"
        "run: {steps: 3}\noutput: {directory: deck}\n");
  expect_refused("run next.yaml --overwrite", "next.yaml:4: output.directory: ", "the start file");
}

TEST_F(StartFromRun, TheResolvedDeckRunsAgainToTheBit) {
  const std::string deck = read("deck/deck.yaml");
  const ProgramResult result = program("run deck/deck.yaml --quiet --set output.directory=again");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(read("again/thermo.csv"), read("deck/thermo.csv"));
  EXPECT_EQ(read("again/checkpoint.h5").size(), read("deck/checkpoint.h5").size());
  EXPECT_EQ(read("deck/deck.yaml"), deck);
  const json origin = json::parse(read("deck/report.json")).at("provenance");
  EXPECT_TRUE(deck.starts_with("# " + origin.at("deck_hash").get<std::string>() + "\n")) << deck;
  EXPECT_EQ(deck.substr(deck.find('\n', deck.find('\n') + 1) + 1),
            json::parse(read("deck/report.json")).at("deck"));
}

TEST_F(StartFromRun, ADeckThatIsNotTheRunsStays) {
  const std::string overwrite =
      "run deck.yaml --quiet --overwrite --set run.steps=1 --set output.directory=deck";
  ASSERT_EQ(program(overwrite).exit_code, 0);
  EXPECT_NE(read("deck/deck.yaml").find("steps: 1\n"), std::string::npos) << "its own is replaced";
  const std::string mine = read("deck/deck.yaml") + "# mine\n";
  write("deck/deck.yaml", mine);
  const ProgramResult result =
      program("run deck.yaml --overwrite --set run.steps=2 --set output.directory=deck");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(read("deck/deck.yaml"), mine);
  EXPECT_NE(result.err.find("deck/deck.yaml is not of this run and stays"), std::string::npos)
      << result.err;
}

TEST_F(StartFromRun, TheReportCountsNeighborsAndSaysWhereItComesFrom) {
  const json report = json::parse(read("deck/report.json"));
  const json neighbors = report.at("neighbors");
  EXPECT_GT(neighbors.at("partners_per_particle").get<double>(), 40.0);
  EXPECT_GE(neighbors.at("most_partners"), neighbors.at("partners_per_particle"));
  EXPECT_LT(neighbors.at("share_in_range").get<double>(), 1.0);
  EXPECT_GE(neighbors.at("largest_cell"), neighbors.at("particles_per_cell"));
  const json origin = report.at("provenance");
  EXPECT_FALSE(origin.at("device_identifier").get<std::string>().empty());
  EXPECT_TRUE(origin.at("date").get<std::string>().ends_with("Z"));
  EXPECT_EQ(origin.at("version"), report.at("versions").at("pencilbox"));
}

TEST_F(StartFromRun, CompareTimesTheStateOfARun) {
  const ProgramResult result = program(std::string("compare deck.yaml --from deck") + few_steps);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json page = json::parse(read("deck-compare/compare.json"));
  EXPECT_TRUE(page.at("facts").at("start").get<std::string>().ends_with("deck/checkpoint.h5"));
  const std::string last = result.out.substr(result.out.rfind('\n', result.out.size() - 2) + 1);
  EXPECT_EQ(last, page.at("conclusion").get<std::string>() + "\n");
  EXPECT_TRUE(last.starts_with("fastest: ")) << last;
  const json& row = page.at("tables").at("compare").at("rows").at(0);
  for (const char* name : {"device", "device_identifier", "compiler", "version", "deck_hash",
                           "run_identifier", "date"}) {
    EXPECT_FALSE(row.at(name).get<std::string>().empty()) << name;
  }
  EXPECT_NE(read("deck-compare/compare.csv").find(row.at("run_identifier").get<std::string>()),
            std::string::npos);
  EXPECT_GT(row.at("most_candidates").get<int>(), 0);
  // Of a crystal all have as many partners, of a liquid they have not.
  EXPECT_GT(row.at("most_partners").get<double>(), row.at("partners_per_particle").get<double>());
}

TEST_F(StartFromRun, CompareTimesAFrame) {
  const ProgramResult result =
      program(std::string("compare deck.yaml --from deck --frame 0 --output here") + few_steps);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json page = json::parse(read("here/compare.json"));
  const std::string start = page.at("facts").at("start");
  EXPECT_TRUE(start.ends_with("deck/trajectory.h5md, frame 0")) << start;
  const json& row = page.at("tables").at("compare").at("rows").at(0);
  EXPECT_NEAR(row.at("partners_per_particle").get<double>(), 54.0, 3.0) << "the crystal";
}

TEST_F(StartFromRun, CompareSaysWhatItMisses) {
  std::filesystem::create_directory(folder() / "empty");
  const auto refused = [&](const std::string& arguments, const std::string& line,
                           const std::string& mention) {
    expect_refused("compare deck.yaml " + arguments, line, mention);
  };
  refused("--from empty", "compare: --from: no such file, got empty/checkpoint.h5", "--frame -1");
  refused("--from empty --frame 0", "compare: --from: no such file, got empty/trajectory.h5md",
          "in one file");
  refused("--frame 0", "compare: --frame: ", "--from DIR");
  refused("--from deck --frame 3", "compare: --frame: no such frame, got 3", "0 to 2");
  refused("--from deck --frame last", "compare: --frame: not an integer", "got last");
  std::filesystem::resize_file(folder() / "deck/checkpoint.h5", 1000);
  refused("--from deck", "", "checkpoint.h5");
}

}  // namespace
}  // namespace pencilbox::testing
