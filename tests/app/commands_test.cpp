// The commands that tell: info, backends, schema, check.
#include <nlohmann/json.hpp>

#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::Test;

TEST_F(InAFolder, InfoNamesVersionsAndDevices) {
  const ProgramResult result = program("info");
  EXPECT_EQ(result.exit_code, 0);
  for (const char* word : {"pencilbox ", "compiler", "hdf5", "host: ", "auto chooses "}) {
    EXPECT_NE(result.out.find(word), std::string::npos) << word;
  }
}

TEST_F(InAFolder, BackendsListsThemAndTheirOptions) {
  const ProgramResult list = program("backends");
  EXPECT_EQ(list.exit_code, 0);
  for (const char* name : {"reference ", "par-part-no-loop ", "x-pencil "}) {
    EXPECT_NE(list.out.find(name), std::string::npos) << name;
  }
  const ProgramResult one = program("backends x-pencil");
  EXPECT_EQ(one.exit_code, 0);
  for (const char* word : {"section 5.2", "length", "default paper", "1 to 1024"}) {
    EXPECT_NE(one.out.find(word), std::string::npos) << word;
  }
}

TEST_F(InAFolder, SchemaIsJson) {
  const ProgramResult result = program("schema");
  EXPECT_EQ(result.exit_code, 0);
  const auto schema = nlohmann::json::parse(result.out);
  EXPECT_TRUE(schema.at("properties").contains("potential"));
}

TEST_F(InAFolder, CheckSaysWhatARunWouldBeAndTouchesNothing) {
  write("deck.yaml", small_deck());
  const auto before = listing();
  const ProgramResult result = program("check deck.yaml");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* word : {"cutoff: 2.5", "particles    256", "cells        2 x 2 x 2",
                           "x-pencil           yes, emulated: right, but slow",
                           "par-part-no-loop   yes\n", "memory"}) {
    EXPECT_NE(result.out.find(word), std::string::npos) << word << "\n" << result.out;
  }
  EXPECT_EQ(listing(), before);
}

TEST_F(InAFolder, CheckAcceptsEveryDeckThatIsShipped) {
  int decks = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PENCILBOX_INPUTS)) {
    if (entry.path().extension() != ".yaml") continue;
    const ProgramResult result = program("check --set run.device=host " + entry.path().string());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    ++decks;
  }
  EXPECT_GE(decks, 15);
}

TEST_F(InAFolder, CheckSaysWhatADeckIsInRealUnits) {
  write("deck.yaml", small_deck() + "units: {sigma: 0.34, epsilon: 120, mass: 39.948}\n");
  const ProgramResult result = program("check deck.yaml");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  // a timestep of 0.004 or so by tau = 2.15139 ps
  EXPECT_NE(result.out.find("tau = 2.15139 ps"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("  timestep "), std::string::npos) << result.out;
  write("without.yaml", small_deck());
  EXPECT_EQ(program("check without.yaml").out.find("real units"), std::string::npos);
}

TEST_F(InAFolder, CheckRemarksOnOutputsThatAreThereAndSaysTheRest) {
  write("deck.yaml", small_deck());
  std::filesystem::create_directory(folder() / "deck");
  write("deck/thermo.csv", "mine");
  const ProgramResult result = program("check deck.yaml");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("back ends\n"), std::string::npos);
  EXPECT_NE(result.out.find("remark       output directory 'deck': thermo.csv is already there"),
            std::string::npos)
      << result.out;
  EXPECT_EQ(program("check deck.yaml --overwrite").out.find("remark"), std::string::npos);
  EXPECT_EQ(program("check deck.yaml --set output.directory=deck.yaml").exit_code, 2);
}

TEST_F(InAFolder, InfoDoesNotTakeACpuForAGpu) {
  const std::string out = program("info").out;
  const std::string host = out.substr(out.find("\nhost: "));
  EXPECT_NE(host.find("back ends with blocks are emulated"), std::string::npos) << out;
  EXPECT_EQ(host.substr(0, host.find("emulated")).find("multiprocessors"), std::string::npos);
}

TEST_F(InAFolder, CheckGivesTheReasonOfEachBackEndThatCannot) {
  write("deck.yaml", small_deck("neighbor: {backend: reference}\n"));
  const ProgramResult result = program("check deck.yaml --set potential.cutoff=7");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("x-pencil           no: the box side along x"), std::string::npos)
      << result.out;
}

TEST_F(InAFolder, HelpAndVersion) {
  EXPECT_EQ(program("--help").exit_code, 0);
  EXPECT_EQ(program("run --help").exit_code, 0);
  EXPECT_NE(program("--version").out.find('.'), std::string::npos);
}

TEST_F(InAFolder, WhatCannotBeWrittenWasNotSaid) {
  for (const std::string what : {"--help", "--version", "info", "schema", "backends"}) {
    const ProgramResult result =
        run("/bin/sh", "-c '\"$0\" " + what + " >/dev/full' '" + program_path() + "'");
    EXPECT_EQ(result.exit_code, 4) << what;
    EXPECT_NE(result.err.find("standard output: cannot write"), std::string::npos) << result.err;
  }
}

TEST_F(InAFolder, AnEmptyOptionIsNotOneLeftOut) {
  write("deck.yaml", small_deck());
  for (const std::string command :
       {"compare deck.yaml --backends ''", "compare deck.yaml --output ''",
        "run deck.yaml --set ''", "run ''", "view run --field ''",
        "bench few-particles --cells ''"}) {
    const ProgramResult result = program(command);
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_NE(result.err.find("is empty"), std::string::npos) << command << ": " << result.err;
  }
}

}  // namespace
}  // namespace pencilbox::testing
