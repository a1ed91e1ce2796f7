// A run under constant pressure as a user sees it: columns, the box of each frame, a run that was
// cut and goes on to the same bits, and other commands that read what it left.
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/app/program_runner.hpp"
#include "tests/io/output_support.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// 256 particles; 40 steps at a constant volume, 60 under a pressure that rises. `backend`: with a
/// list or without.
std::string deck_under_pressure(const std::string& backend) {
  return "system:\n"
         "  particles: {lattice: {type: fcc, density: 0.7, cells: [4, 4, 4]}}\n"
         "  velocities: {temperature: 1.4}\n"
         "potential: {cutoff: 2.5}\n"
         "neighbor: {backend: " +
         backend +
         "}\n"
         "run:\n"
         "  device: host\n"
         "  deterministic: true\n"
         "  stages:\n"
         "    - name: hold\n"
         "      steps: 40\n"
         "      integrator: {type: langevin, temperature: 1.2, friction: 1}\n"
         "    - name: press\n"
         "      steps: 60\n"
         "      integrator: {type: nose-hoover, temperature: 1.2, relaxation_time: 0.2}\n"
         "      barostat: {pressure: {from: 1, to: 5}, relaxation_time: 0.5, every: 5}\n"
         "observables: [{type: radial-distribution, every: 10, max_distance: 2.5}]\n"
         "output:\n"
         "  thermo: {every: 10}\n"
         "  trajectory: {every: 20, fields: [position, velocity, image, id]}\n"
         "  checkpoint: {every: 100}\n";
}

class RunUnderPressure : public InAFolder {
 protected:
  RunUnderPressure() { setenv("OMP_NUM_THREADS", "1", 1); }
};

TEST_F(RunUnderPressure, RowsAndFramesHaveTheBoxOfTheirStep) {
  write("deck.yaml", deck_under_pressure("par-part-no-loop"));
  run_deck("");
  const std::string csv = read("deck/thermo.csv");
  EXPECT_THAT(csv, HasSubstr("conserved_energy,pressure,volume,density\n"));
  const auto rows = rows_of(csv);
  ASSERT_EQ(rows.size(), 11U);
  const double before = 256.0 / 0.7;
  for (std::size_t k = 0; k <= 4; ++k) EXPECT_DOUBLE_EQ(rows[k][8], before) << "held";
  for (std::size_t k = 5; k <= 10; ++k) {
    EXPECT_NE(rows[k][8], rows[k - 1][8]);
    EXPECT_NEAR(rows[k][8] * rows[k][9], 256.0, 1e-9);
  }
  const ReadFile file(folder() / "deck/trajectory.h5md");
  const std::vector<double> edges = file.values("/particles/all/box/edges/value").data;
  ASSERT_EQ(edges.size(), 6U * 9U);
  const auto positions = file.values("/particles/all/position/value").data;
  for (std::size_t frame = 0; frame < 6; ++frame) {
    const double edge = edges[9 * frame];
    EXPECT_NEAR(edge * edge * edge, rows[2 * frame][8], 1e-9);
    for (std::size_t i = 0; i < 3 * 256; ++i) {
      const double x = positions[frame * 3 * 256 + i];
      EXPECT_TRUE(x >= 0.0 && x <= edge * (1.0 + 1e-7)) << x;
    }
  }
  EXPECT_EQ(program("convert deck --to extxyz --frames -1").exit_code, 0);
  std::istringstream lattice(
      read("deck.extxyz").substr(read("deck.extxyz").find("Lattice=\"") + 9));
  double edge = 0.0;
  lattice >> edge;
  EXPECT_DOUBLE_EQ(edge, edges[9 * 5]);
}

/// The older of the two checkpoints is all that is left.
TEST_F(RunUnderPressure, GoesOnToTheSameBits) {
  for (const std::string backend : {"par-part-no-loop", "verlet-list"}) {
    write("deck.yaml", deck_under_pressure(backend));
    for (const int every : {19, 40, 43}) {  // the last but one: 95, 80, 86
      const std::string with = "--set output.checkpoint.every=" + std::to_string(every) + " ";
      const std::string name = backend + std::to_string(every);
      run_deck(with + "--set output.directory=" + name + "/whole");
      fs::copy(folder() / name / "whole", folder() / name / "parts");
      fs::remove(folder() / name / "parts/checkpoint.h5");
      run_deck(with + "--resume --set output.directory=" + name + "/parts");
      for (const char* file :
           {"/thermo.csv", "/checkpoint.h5", "/observable-radial-distribution.csv"}) {
        EXPECT_EQ(read(name + "/whole" + file) == read(name + "/parts" + file), true)
            << name << file;
      }
      const ReadFile first(folder() / name / "whole/trajectory.h5md");
      const ReadFile second(folder() / name / "parts/trajectory.h5md");
      for (const char* field : {"position/value", "velocity/value", "box/edges/value"}) {
        const std::string path = std::string("/particles/all/") + field;
        EXPECT_EQ(first.values(path).data, second.values(path).data) << path;
      }
    }
  }
}

/// What a checkpoint leaves is a start in its own box.
TEST_F(RunUnderPressure, IsAStartForOthers) {
  write("deck.yaml", deck_under_pressure("par-part-no-loop"));
  run_deck("");
  const auto last = rows_of(read("deck/thermo.csv")).back();
  for (const std::string file : {"deck/checkpoint.h5", "deck/trajectory.h5md"}) {
    write("next.yaml", "system: {particles: {file: " + file +
                           "}}\npotential: {cutoff: 2.5}\nrun: {steps: 0, device: host}\n"
                           "output: {trajectory: {every: 1}}\n");
    const ProgramResult result = program("run next.yaml --quiet --overwrite");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto row = rows_of(read("next/thermo.csv")).front();
    EXPECT_EQ(row.size(), 8U) << "no barostat, no volume";
    EXPECT_NEAR(row[4], last[4], 1e-5 * std::abs(last[4]));
    const auto edges =
        ReadFile(folder() / "next/trajectory.h5md").values("/particles/all/box/edges/value").data;
    EXPECT_NEAR(edges[0] * edges[4] * edges[8], last[8], 1e-9 * last[8]);
  }
}

/// Each back end in a box of its own, whose forces are checked there.
TEST_F(RunUnderPressure, IsCompared) {
  write("deck.yaml", deck_under_pressure("par-part-no-loop"));
  const ProgramResult result =
      program("compare deck.yaml --backends par-part-no-loop,verlet-list --steps 15 --repeats 2");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("verlet-list"));
}

TEST_F(RunUnderPressure, WhatNeedsABoxThatStaysIsRefused) {
  write("deck.yaml", deck_under_pressure("par-part-no-loop"));
  for (const std::string observable :
       {"{type: mean-squared-displacement, every: 5, length: 4}",
        "{type: density-profile, every: 5}", "{type: structure-factor, every: 5, k_max: 5}"}) {
    const ProgramResult result =
        program("check deck.yaml --set 'observables=[" + observable + "]'");
    EXPECT_EQ(result.exit_code, 2) << observable;
    EXPECT_THAT(result.err, HasSubstr("got a barostat, allowed a last stage without one"));
  }
  const ProgramResult result =
      program("check deck.yaml --set 'run.stages[1].integrator={type: velocity-verlet}'");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("run.stages[1].barostat: its noise has the temperature"));
}

}  // namespace
}  // namespace pencilbox::testing
