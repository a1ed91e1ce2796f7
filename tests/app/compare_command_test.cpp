// `pencilbox compare` as a user runs it: its files, its table, what it refuses.

#include <nlohmann/json.hpp>

#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

constexpr const char* quick_compare = "compare deck.yaml --steps 2 --repeats 1 ";

class CompareCommand : public InAFolder {
 protected:
  CompareCommand() { write("deck.yaml", small_deck()); }
};

TEST_F(CompareCommand, WritesTableAndPlotForEveryBackEnd) {
  const ProgramResult result = program(quick_compare);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("256 particles, double precision"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("output in deck-compare"), std::string::npos) << result.out;
  const auto json = nlohmann::json::parse(read("deck-compare/compare.json"));
  EXPECT_EQ(json.at("facts").at("command"), "pencilbox compare deck.yaml --steps 2 --repeats 1");
  const auto& rows = json.at("tables").at("compare").at("rows");
  int timed = 0;
  for (const auto& row : rows) {
    if (row.at("refusal").is_null()) {
      ++timed;
      EXPECT_GT(row.at("matom_steps_per_s").get<double>(), 0.0);
      EXPECT_LT(row.at("force_error").get<double>(), 1e-10);
      EXPECT_TRUE(row.at("registers").is_null()) << "the host has none";
      EXPECT_TRUE(row.at("issue_share_percent").is_null());
    }
    if (row.at("backend") == "par-part-no-loop") {
      EXPECT_EQ(row.at("speedup"), 1.0);
    }
  }
  EXPECT_GE(timed, 6);
  const std::string list = program("backends").out;
  EXPECT_EQ(static_cast<std::ptrdiff_t>(rows.size()), std::count(list.begin(), list.end(), '\n'));
  const std::string csv = read("deck-compare/compare.csv");
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), rows.size() + 1);
  const std::string html = read("deck-compare/compare.html");
  EXPECT_NE(html.find(read("deck-compare/compare.svg")), std::string::npos);
  EXPECT_EQ(html.find("src="), std::string::npos);
}

TEST_F(CompareCommand, NamedBackEndsRunAsOftenAsTheirOptionsSayAndBesideTheYardstick) {
  const ProgramResult result = program(std::string(quick_compare) +
                                       "--backends x-pencil,green --options "
                                       "'x-pencil:length=1;x-pencil:length=2' --output here");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(read("here/compare.json"));
  std::vector<std::string> names;
  for (const auto& row : json.at("tables").at("compare").at("rows")) {
    EXPECT_TRUE(row.at("refusal").is_null()) << row;
    names.push_back(row.at("backend"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"par-part-no-loop", "x-pencil length=1",
                                             "x-pencil length=2", "green"}));
}

TEST_F(CompareCommand, TheDecksBackEndRunsWithTheDecksOptions) {
  const ProgramResult result = program(std::string(quick_compare) +
                                       "--backends hoetzlein --set neighbor.backend=hoetzlein "
                                       "--set neighbor.options.cell=2r --output here");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(read("here/compare.csv").find("hoetzlein cell=2r"), std::string::npos);
}

TEST_F(CompareCommand, GravityIsComparedByWhoCan) {
  write("cluster.yaml",
        "system: {particles: {plummer: {count: 100, radius: 1}}, boundary: [open, open, open]}\n"
        "potential: {type: softened-gravity, softening: 0.1}\n"
        "neighbor: {backend: reference}\n"
        "run: {steps: 1, device: host}\n");
  const ProgramResult result = program("compare cluster.yaml --steps 1 --repeats 1");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("\nno par-part-no-loop, "), std::string::npos) << result.out;
}

// In a build with a wrong force planted in `green`: nobody is timed, nothing is written.
TEST_F(CompareCommand, AWrongForceEndsItAndIsNamed) {
  const ProgramResult result = run(faulty_program_path(), quick_compare);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(
      result.err.starts_with("pencilbox: green: step 0: particle 42: its force differs "
                             "from that of reference in double by 3.5, "))
      << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder() / "deck-compare/compare.csv"));
  EXPECT_EQ(
      run(faulty_program_path(), std::string(quick_compare) + "--backends hoetzlein").exit_code, 0);
}

TEST_F(CompareCommand, ReplacesItsFilesOnlyIfToldTo) {
  expect_replaces_only_if_told_to(std::string(quick_compare) + "--backends green",
                                  "compare: --output: the file exists, got ");
}

TEST_F(CompareCommand, ADeckOfSeveralRanksIsRefused) {
  expect_refused(std::string(quick_compare) + "--set run.ranks=[2,1,1]",
                 "--set run.ranks: compare times one rank", "got [2, 1, 1], allowed auto");
}

class CompareArgumentsTest : public CompareCommand,
                             public ::testing::WithParamInterface<WrongArguments> {};

TEST_F(CompareCommand, WhatHasANameOfItsFilesInTheMakingIsLeftAlone) {
  std::filesystem::create_directory(folder() / "out");
  std::filesystem::create_symlink("../deck.yaml", folder() / "out/compare.csv.tmp");
  expect_refused("compare deck.yaml --output out --overwrite", "compare: --output: cannot write ",
                 "compare.csv.tmp is there, left by a program that was killed");
}

TEST_P(CompareArgumentsTest, GiveOneLineAndTouchNothing) {
  write("file", "mine\n");
  expect_refused("compare deck.yaml " + GetParam().arguments, GetParam().line, GetParam().mention);
}

INSTANTIATE_TEST_SUITE_P(
    Compare, CompareArgumentsTest,
    ::testing::Values(
        WrongArguments{"--backends y-pencil", "compare: --backends: ", "did you mean x-pencil?"},
        WrongArguments{"--backends green,green", "compare: --backends: ", "twice"},
        WrongArguments{"--options green:cell=3r", "compare: --options: ", "not a value"},
        WrongArguments{"--steps 0", "compare: --steps: ", "got 0, allowed 1 to"},
        WrongArguments{"--steps many", "compare: --steps: ", "got many"},
        WrongArguments{"--repeats 0", "compare: --repeats: ", "got 0"},
        WrongArguments{"--output file", "compare: --output: ", "a file, not a directory"},
        WrongArguments{"--set potential.cutof=3", "--set", "did you mean cutoff?"},
        WrongArguments{"--speed 3", "", "--speed"}));

}  // namespace
}  // namespace pencilbox::testing
