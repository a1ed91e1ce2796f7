// Decks of several stages as a user runs them: files that go on, a report that says what each stage
// did, and runs that were cut in a stage and go on to the same bits.
#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/app/program_runner.hpp"
#include "tests/io/output_support.hpp"

namespace pencilbox::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// 216 particles at random; 300, `cooling` and 20 steps.
std::string staged_deck(int cooling, const std::string& backend = "par-part-no-loop") {
  return "system: {particles: {random: {count: 216, box: [6.35, 6.35, 6.35]}}}\n"
         "potential: {cutoff: 2.5, truncation: force-shift}\n"
         "neighbor: {backend: " +
         backend +
         "}\n"
         "run:\n"
         "  device: host\n"
         "  deterministic: true\n"
         "  stages:\n"
         "    - {name: minimise, steps: 300, integrator: {type: fire, force_tolerance: 0.001}}\n"
         "    - name: cool\n"
         "      steps: " +
         std::to_string(cooling) +
         "\n"
         "      integrator: {type: langevin, friction: 1, temperature: {from: 1.5, to: 0.8}}\n"
         "      zero_momentum: {every: 7}\n"
         "    - {name: produce, steps: 20, integrator: {timestep: 0.002}, zero_momentum: {}}\n"
         "observables:\n"
         "  - {type: velocity-autocorrelation, every: 2, length: 5, origin_every: 2}\n"
         "output:\n"
         "  thermo: {every: 50}\n"
         "  trajectory: {every: 50, fields: [position, velocity, image]}\n";
}

class StagedRun : public InAFolder {
 protected:
  StagedRun() { setenv("OMP_NUM_THREADS", "1", 1); }

  void expect_same_outputs(const std::string& a, const std::string& b) const {
    for (const char* name :
         {"/thermo.csv", "/checkpoint.h5", "/observable-velocity-autocorrelation.csv"}) {
      EXPECT_EQ(read(a + name) == read(b + name), true) << b << name;
    }
    const ReadFile first(folder() / a / "trajectory.h5md");
    const ReadFile second(folder() / b / "trajectory.h5md");
    for (const std::string field :
         {"position/step", "position/time", "position/value", "velocity/value", "image/value"}) {
      EXPECT_EQ(first.values("/particles/all/" + field).data,
                second.values("/particles/all/" + field).data)
          << field;
    }
  }
};

TEST_F(StagedRun, StepsRowsAndFramesGoOn) {
  write("deck.yaml", staged_deck(100));
  const ProgramResult result = run_deck("");
  const auto rows = rows_of(read("deck/thermo.csv"));
  ASSERT_GE(rows.size(), 6U);
  EXPECT_EQ(rows.back()[0], 420);
  const double time = 300 * 0.005 + 100 * 0.005 + 20 * 0.002;
  EXPECT_DOUBLE_EQ(rows.back()[1], time);
  std::vector<double> steps;
  for (const auto& row : rows) {
    EXPECT_TRUE(steps.empty() || row[0] > steps.back());
    steps.push_back(row[0]);
    EXPECT_EQ(std::isnan(row[6]), row[0] <= 300) << "of a minimisation nothing is conserved";
  }
  for (const double end : {300.0, 400.0}) {
    EXPECT_EQ(std::count(steps.begin(), steps.end(), end), 1) << end;
  }
  EXPECT_LT(rows[rows.size() - 2][4], 0.0) << "the overlaps are gone";
  EXPECT_EQ(ReadFile(folder() / "deck/trajectory.h5md").values("/particles/all/position/step").data,
            steps);
  EXPECT_NE(result.out.find("stage 2 of 3, cool: langevin, steps 300 to 400\n"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("stage minimise: steps 0 to 300 in "), std::string::npos) << result.out;
}

/// From the step on that the minimisation ended at, nothing is done before the next stage begins.
TEST_F(StagedRun, AMinimisationThatHasConvergedIsNotLookedAtAgain) {
  write("deck.yaml", staged_deck(20));
  run_deck(
      "--quiet --set run.stages[0].steps=1000000000000 "
      "--set run.stages[0].integrator.force_tolerance=5");
  const json report = json::parse(read("deck/report.json"));
  const json& stage = report.at("stages").at(0);
  EXPECT_EQ(stage.at("name"), "minimise");
  EXPECT_EQ(stage.at("last_step"), 1000000000000);
  const json& minimisation = stage.at("minimisation");
  EXPECT_EQ(minimisation.at("converged"), true);
  EXPECT_EQ(minimisation.at("stopped_by"), "force_tolerance");
  EXPECT_LE(minimisation.at("largest_force").get<double>(), 5.0);
  const auto steps = minimisation.at("steps").get<double>();
  const auto rows = rows_of(read("deck/thermo.csv"));
  std::size_t in_stage = 0;
  while (rows[in_stage][0] < 1e12) ++in_stage;
  EXPECT_GE(rows[in_stage - 1][0] + 50.0, steps);
  EXPECT_LE(rows[in_stage - 1][0], steps + 128.0 + 50.0);
  EXPECT_EQ(rows[in_stage][0], 1e12);
}

TEST_F(StagedRun, TheReportTellsOfEachStage) {
  write("deck.yaml", staged_deck(20));
  run_deck("--quiet --set run.stages[0].steps=100");
  const json report = json::parse(read("deck/report.json"));
  ASSERT_EQ(report.at("stages").size(), 3U);
  const json& first = report["stages"][0];
  EXPECT_EQ(first.at("minimisation").at("stopped_by"), "steps");
  EXPECT_EQ(first.at("minimisation").at("converged"), false);
  EXPECT_EQ(first.at("minimisation").at("steps"), 100);
  const json& last = report["stages"][2];
  EXPECT_EQ(last.at("name"), "produce");
  EXPECT_EQ(last.at("integrator"), "velocity-verlet");
  EXPECT_EQ(last.at("timestep"), 0.002);
  EXPECT_EQ(last.at("first_step"), 120);
  EXPECT_EQ(last.at("last_step"), 140);
  EXPECT_TRUE(last.at("minimisation").is_null());
  EXPECT_EQ(report.at("integrator"), "velocity-verlet");
  EXPECT_FALSE(report.at("energy_drift").is_null());
  EXPECT_EQ(report.at("observables")[0].at("samples"), 11) << "of the last stage alone";
}

TEST_F(StagedRun, OneStageHasAReportToo) {
  write("deck.yaml",
        "system: {particles: {lattice: {type: fcc, density: 1, cells: [4, 4, 4]}}}\n"
        "potential: {cutoff: 2.5}\nrun: {steps: 5, device: host}\nintegrator: {type: fire}\n");
  const ProgramResult result = run_deck("");
  EXPECT_NE(result.out.find("minimised in 0 steps: the largest force is"), std::string::npos)
      << result.out;
  const json report = json::parse(read("deck/report.json"));
  ASSERT_EQ(report.at("stages").size(), 1U);
  EXPECT_TRUE(report["stages"][0].at("name").is_null());
  EXPECT_EQ(report["stages"][0].at("minimisation").at("converged"), true);
  EXPECT_TRUE(report.at("energy_drift").is_null());
}

/// The older of the two checkpoints is all that is left: in mid-stage, and where a stage begins.
TEST_F(StagedRun, GoesOnInAnyStageToTheSameBits) {
  for (const std::string backend : {"par-part-no-loop", "verlet-list"}) {
    write("deck.yaml", staged_deck(100, backend));
    for (const int every : {210, 300, 140, 70}) {  // the last but one: 210, 300, 280, 350
      const std::string with =
          "--quiet --set output.checkpoint.every=" + std::to_string(every) + " ";
      const std::string name = backend + std::to_string(every);
      run_deck(with + "--set output.directory=" + name + "/whole");
      fs::copy(folder() / name / "whole", folder() / name / "parts");
      fs::remove(folder() / name / "parts/checkpoint.h5");
      run_deck(with + "--resume --set output.directory=" + name + "/parts");
      expect_same_outputs(name + "/whole", name + "/parts");
    }
  }
}

TEST_F(StagedRun, AKillInTheSecondStageLosesNothing) {
  write("deck.yaml", staged_deck(1500));
  const std::string every = "--set output.checkpoint.every=500";
  run_deck("--quiet --set output.directory=whole " + every);
  const pid_t child = start({"run", "deck.yaml", "--quiet", "--set", "output.directory=parts",
                             "--set", "output.checkpoint.every=500"});
  ASSERT_TRUE(appears("parts/checkpoint.h5"));
  kill(child, SIGKILL);
  finish(child);
  run_deck("--quiet --resume --set output.directory=parts " + every);
  expect_same_outputs("whole", "parts");
}

TEST_F(StagedRun, OnlyTheLastStepsMayChange) {
  write("deck.yaml", staged_deck(20));
  run_deck("--quiet --set output.checkpoint.every=320");
  fs::remove(folder() / "deck/checkpoint.h5");
  const auto refused = [&](const std::string& arguments) {
    const ProgramResult result = program("run deck.yaml --quiet --resume " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    return result.err;
  };
  EXPECT_NE(
      refused("--set run.stages[1].steps=30")
          .find("--set run.stages[1].steps: differs from deck/checkpoint.previous.h5, got 30, "
                "allowed 20"),
      std::string::npos)
      << refused("--set run.stages[1].steps=30");
  EXPECT_NE(
      refused("--set run.stages[2].integrator.timestep=0.001").find("got 0.001, allowed 0.002"),
      std::string::npos);
  run_deck("--quiet --resume --set run.stages[2].steps=30");
  EXPECT_EQ(rows_of(read("deck/thermo.csv")).back()[0], 350);
}

TEST_F(StagedRun, CheckListsThem) {
  write("deck.yaml", staged_deck(20));
  const ProgramResult result = program("check deck.yaml");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("stages       minimise: fire, steps 0 to 300\n"
                            "             cool: langevin, steps 300 to 320\n"
                            "             produce: velocity-verlet, steps 320 to 340\n"),
            std::string::npos)
      << result.out;
}

/// From overlaps any rule of motion but the first stage's would break down.
TEST_F(StagedRun, CompareTimesTheLast) {
  write("deck.yaml", staged_deck(20));
  const ProgramResult result =
      program("compare deck.yaml --backends par-part-no-loop --steps 2 --repeats 1");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(
      result.out.find(
          "Timed: stage produce, the last of the deck, from where the one before it, cool, ended."),
      std::string::npos)
      << result.out;
}

}  // namespace
}  // namespace pencilbox::testing
