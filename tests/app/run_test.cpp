// `pencilbox run` from a deck to its outputs.
#include <cmath>

#include <nlohmann/json.hpp>

#include "tests/app/program_runner.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

TEST_F(InAFolder, ARunLeavesItsOutputs) {
  write("deck.yaml", small_deck());
  const ProgramResult result = program("run deck.yaml");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("figure of merit"), std::string::npos);
  const auto rows = lines_of(read("deck/thermo.csv"));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0],
            "step,time,temperature,kinetic_energy,potential_energy,total_energy,conserved_energy,"
            "pressure");
  EXPECT_EQ(rows[3].substr(0, 3), "20,");
  const auto report = nlohmann::json::parse(read("deck/report.json"));
  EXPECT_EQ(report.at("particles"), 256);
  EXPECT_EQ(report.at("steps"), 20);
  EXPECT_EQ(report.at("backend"), "auto");
  EXPECT_GT(report.at("figure_of_merit").at("matom_steps_per_s").get<double>(), 0.0);
  EXPECT_TRUE(std::filesystem::exists(folder() / "deck/trajectory.h5md"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "deck/trajectory.xmf2"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "deck/.lock"));
}

// That the regions of steps sum to the time of the steps says nothing: they are scaled to it. What
// belongs to which is known, though.
TEST_F(InAFolder, ForcesTakeMoreOfTheStepsThanAllElse) {
  write("deck.yaml", small_deck("neighbor: {backend: par-part-no-loop}\n"));
  const std::string seldom = " --set output.thermo.every=100 --set output.trajectory.every=100";
  ASSERT_EQ(program("run deck.yaml --quiet --set run.steps=200" + seldom).exit_code, 0);
  const auto report = nlohmann::json::parse(read("deck/report.json"));
  double all = 0.0;
  for (const auto& [name, seconds] : report.at("regions").items()) {
    EXPECT_GT(seconds.get<double>(), 0.0) << name;
    all += seconds.get<double>();
  }
  // Steps, looks and files are timed each by itself, and the whole by another watch: nothing may be
  // in two of them. A millionth for what is rounded.
  EXPECT_LE(all, (1.0 + 1e-6) * report.at("seconds").get<double>());
  const auto took = [&](const char* name) { return report.at("regions").at(name).get<double>(); };
  // Each of 256 atoms has hundreds of candidates; all else is done once for each.
  EXPECT_GT(took("force"),
            2.0 * (took("integrate") + took("bin") + took("reorder") + took("prepare")));
}

TEST_F(InAFolder, InAPipeThereAreNoControlCharacters) {
  write("deck.yaml", small_deck());
  const ProgramResult result = program("run deck.yaml");
  EXPECT_EQ((result.out + result.err).find_first_of("\r\x1b"), std::string::npos);
}

TEST_F(InAFolder, QuietSaysNothing) {
  write("deck.yaml", small_deck());
  const ProgramResult result = program("run deck.yaml --quiet");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out + result.err, "");
}

TEST_F(InAFolder, ARunOfZeroStepsEvaluatesTheStart) {
  write("deck.yaml", small_deck());
  ASSERT_EQ(program("run deck.yaml --quiet --set run.steps=0").exit_code, 0);
  EXPECT_EQ(lines_of(read("deck/thermo.csv")).size(), 2U);
  EXPECT_TRUE(std::filesystem::exists(folder() / "deck/trajectory.h5md"));
}

TEST_F(InAFolder, ASecondRunNeedsOverwrite) {
  write("deck.yaml", small_deck());
  ASSERT_EQ(program("run deck.yaml --quiet").exit_code, 0);
  const std::string thermo = read("deck/thermo.csv");
  const ProgramResult refused = program("run deck.yaml --quiet --set run.steps=5");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(read("deck/thermo.csv"), thermo);
  ASSERT_EQ(program("run deck.yaml --quiet --overwrite --set run.steps=5").exit_code, 0);
  EXPECT_EQ(lines_of(read("deck/thermo.csv")).size(), 3U);  // first and last step
}

TEST_F(InAFolder, TheResolvedDeckGivesTheSameRun) {
  write("deck.yaml", small_deck());
  const std::string common = " --quiet --set run.deterministic=true";
  ASSERT_EQ(program("run deck.yaml" + common).exit_code, 0);
  const auto report = nlohmann::json::parse(read("deck/report.json"));
  write("again.yaml", report.at("deck").get<std::string>());
  ASSERT_EQ(program("run again.yaml --quiet --set output.directory=again").exit_code, 0);
  EXPECT_EQ(read("again/thermo.csv"), read("deck/thermo.csv"));
}

TEST_F(InAFolder, ThreadsDoNotChangeADeterministicRun) {
  write("deck.yaml", small_deck());
  for (const char* threads : {"1", "2", "7"}) {
    const std::string out = std::string("t") + threads;
    ASSERT_EQ(
        program("run deck.yaml --quiet --set run.deterministic=true --set output.directory=" + out,
                std::string("OMP_NUM_THREADS=") + threads)
            .exit_code,
        0);
    EXPECT_EQ(read(out + "/thermo.csv"), read("t1/thermo.csv"));
  }
}

TEST_F(InAFolder, OddButLegalInputRuns) {
  std::string crlf;
  for (const char c : small_deck()) crlf += c == '\n' ? std::string("  \r\n") : std::string(1, c);
  write(
      "d\xc3\xa9"
      "ck with spaces.yaml",
      crlf);
  EXPECT_EQ(program("run 'd\xc3\xa9"
                    "ck with spaces.yaml' --quiet",
                    "LC_ALL=de_DE.UTF-8")
                .exit_code,
            0);
  EXPECT_TRUE(std::filesystem::exists(folder() / "d\xc3\xa9"
                                                 "ck with spaces/report.json"));
}

TEST_F(InAFolder, AnOpenBoxHasNoPressure) {
  write("deck.yaml", small_deck());
  ASSERT_EQ(
      program("run deck.yaml --quiet --set 'system.boundary=[open, periodic, open]'").exit_code, 0);
  EXPECT_NE(read("deck/thermo.csv").find(",nan\n"), std::string::npos);
}

TEST_F(InAFolder, AFullDiskEndsWithExitCodeFour) {
  write("deck.yaml", small_deck());
  const ProgramResult result = program(
      "run deck.yaml --quiet --set run.steps=2000 --set "
      "output.trajectory.every=1",
      "ulimit -f 2000; trap '' XFSZ;");
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

}  // namespace
}  // namespace pencilbox::testing
