// Runs on several ranks: processes that the program has MPI's launcher start, or that one has
// started.
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>

#include <nlohmann/json.hpp>

#include "app/processes/launch.hpp"
#include "core/error.hpp"
#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

constexpr const char* rebinned = "neighbor: {backend: x-pencil}\n";
constexpr const char* to_the_bit =
    "neighbor: {backend: par-part-no-loop}\n"
    "integrator: {type: velocity-verlet, timestep: 0.004}\n";

class OnProcesses : public InAFolder {
 protected:
  OnProcesses() {
    // MPI's library leaves memory behind, which is nobody's fault here.
    const char* const before = std::getenv("ASAN_OPTIONS");
    const std::string options = before == nullptr ? std::string() : std::string(before) + ":";
    setenv("ASAN_OPTIONS", (options + "detect_leaks=0").c_str(), 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    // 4 x 4 x 4 cells.
    write("deck.yaml",
          std::regex_replace(small_deck(to_the_bit), std::regex("\\[4, 4, 4\\]"), "[6, 6, 6]"));
  }

  void SetUp() override {
    if (std::system("mpirun -n 1 true >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "MPI's launcher does not work here";
    }
  }

  /// What `run` says, which has to succeed, into a folder of this name.
  ProgramResult run_into(const std::string& name, const std::string& arguments) const {
    return run_deck("--set run.deterministic=true --set output.directory=" + name + " " +
                    arguments);
  }
  std::string frames_of(const std::string& name) const {
    const ProgramResult result =
        program("convert " + name + " --to extxyz --overwrite --output " + name + ".extxyz");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return read(name + ".extxyz");
  }
  void expect_same_files(const std::string& one, const std::string& other) const {
    EXPECT_EQ(read(one + "/thermo.csv"), read(other + "/thermo.csv"));
    EXPECT_EQ(frames_of(one), frames_of(other));
  }
};

TEST_F(OnProcesses, AValidationIsOfRunsOnSoManyRanks) {
  const auto validated = [&](const std::string& arguments) {
    const ProgramResult result = program("validate --device host --backend x-pencil --overwrite " +
                                         std::string("--json of.json ") + arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
    return result.out;
  };
  // Bits of one rank, which a remark has.
  const auto hash_of = [&] {
    const std::string text = read("of.json");
    std::smatch found;
    EXPECT_TRUE(std::regex_search(text, found, std::regex("both sha256:([0-9a-f]{64})"))) << text;
    return found.empty() ? std::string() : found[1].str();
  };
  validated("--only determinism");
  const std::string of_one = hash_of();
  const std::string text = validated("--only configurations,determinism --ranks 3");
  EXPECT_EQ(hash_of(), of_one);
  EXPECT_NE(text.find("3 ranks of host"), std::string::npos) << text;
  EXPECT_NE(text.find("3 ranks cannot share 2 x 2 x 2 cells"), std::string::npos) << text;
}

TEST_F(OnProcesses, AllFilesAreThoseOfOneRank) {
  run_into("one", "");
  const ProgramResult three = run_into("three", "--ranks 3");
  EXPECT_NE(three.out.find("3 ranks, 1 x 1 x 3, letters through memory of the host\n"),
            std::string::npos)
      << three.out;
  expect_same_files("one", "three");
  run_into("grid", "--set run.ranks=[2,1,2]");
  expect_same_files("one", "grid");
  const auto report = nlohmann::json::parse(read("grid/report.json"));
  EXPECT_EQ(report.at("ranks"), nlohmann::json::parse("[2, 1, 2]"));
  EXPECT_EQ(report.at("exchange"), "through memory of the host");
}

/// A gas that flies apart through open faces: cells are cut across these, and laid anew where it
/// has left them behind.
TEST_F(OnProcesses, AnOpenBoxHasTheFilesOfOneRank) {
  const std::string open =
      "--set system.boundary=[open,open,open] --set system.velocities.temperature=30 "
      "--set run.steps=60 ";
  run_into("one", open);
  for (const char* ranks : {"2", "3"}) {
    SCOPED_TRACE(ranks);
    run_into("several", open + "--overwrite --ranks " + ranks);
    expect_same_files("one", "several");
  }
}

/// Where particles are is what tells; in an open direction cells begin elsewhere than the box.
TEST_F(OnProcesses, CheckSharesWorkInAnOpenBox) {
  write("start.xyz", [] {
    std::string rows = "64\nLattice=\"120 0 0 0 12 0 0 0 12\" Properties=species:S:1:pos:R:3\n";
    for (int i = 0; i < 64; ++i) {
      rows += "A " + std::to_string(100.0 + 3.0 * (i % 4)) + " " +
              std::to_string(3.0 * (i / 4 % 4)) + " " + std::to_string(3.0 * (i / 16)) + "\n";
    }
    return rows;
  }());
  write("deck.yaml",
        "system:\n  particles: {file: start.xyz}\n  types: [{name: A}]\n"
        "  boundary: [open, open, open]\n"
        "potential: {cutoff: 2.5}\nrun: {steps: 20, device: host}\n" +
            std::string(rebinned));
  const ProgramResult result = program("check deck.yaml --set run.ranks=[2,1,1]");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("the busiest has 1.00 times the mean work"), std::string::npos)
      << result.out;
}

TEST_F(OnProcesses, ARunGoesOnOnAnotherNumberOfThem) {
  run_into("whole", "--set output.checkpoint.every=10");
  run_into("parts", "--set output.checkpoint.every=10 --ranks 2 --set run.steps=10");
  run_into("parts", "--set output.checkpoint.every=10 --ranks 3 --resume");
  EXPECT_EQ(read("whole/thermo.csv"), read("parts/thermo.csv"));
  run_into("back", "--set output.checkpoint.every=10 --ranks 2 --set run.steps=10");
  run_into("back", "--set output.checkpoint.every=10 --resume");
  EXPECT_EQ(read("whole/thermo.csv"), read("back/thermo.csv"));
}

/// A list changes neither what is written nor where a run can go on, and the ranks agree on when
/// it is made anew.
TEST_F(OnProcesses, AListHasTheFilesOfOneRankAndGoesOnOnAnotherNumber) {
  const std::string list = "--set 'neighbor={backend: verlet-list, skin: 0.1}' ";
  run_into("one", list);
  run_into("three", list + "--ranks 3");
  expect_same_files("one", "three");
  const auto list_of = [&](const char* name) {
    return nlohmann::json::parse(read(std::string(name) + "/report.json"))
        .at("backend_stats")
        .at("list");
  };
  EXPECT_GT(list_of("one").at("rebuilds"), 1);
  EXPECT_EQ(list_of("one").at("rebuilds"), list_of("three").at("rebuilds"));
  EXPECT_EQ(list_of("one").at("longest_row"), list_of("three").at("longest_row"));
  const std::string marks = list + "--set output.checkpoint.every=5 ";
  run_into("whole", marks);
  run_into("parts", marks + "--ranks 2 --set run.steps=10");
  run_into("parts", marks + "--ranks 3 --resume");
  EXPECT_EQ(read("whole/thermo.csv"), read("parts/thermo.csv"));
}

TEST_F(OnProcesses, AutoTriesAndSaysWhatItChose) {
  const ProgramResult result =
      run_deck("--set neighbor.backend=auto --set run.steps=500 --ranks 2");
  EXPECT_NE(result.out.find("chose "), std::string::npos) << result.out;
  const auto report = nlohmann::json::parse(read("deck/report.json"));
  EXPECT_GT(report.at("backend_stats").at("choice").at("tried"), 1);
  EXPECT_GT(report.at("regions").at("exchange"), 0.0);
}

/// Rows with what the bath conserves, and checkpoints with what it carries.
TEST_F(OnProcesses, HeatBathsHaveTheFilesOfOneRankAndGoOnOnAnotherNumber) {
  const std::string common = "--set run.zero_momentum.every=4 --set output.checkpoint.every=10 ";
  const std::map<std::string, std::string> baths{{"langevin", "friction: 2"},
                                                 {"velocity-rescaling", "relaxation_time: 0.1"},
                                                 {"nose-hoover", "relaxation_time: 0.1"}};
  for (const auto& [name, its_own] : baths) {
    SCOPED_TRACE(name);
    const auto bath = [&, type = name, own = its_own](const std::string& temperature) {
      return common + "--set 'integrator={type: " + type + ", timestep: 0.004, " + own +
             ", temperature: " + temperature + "}' ";
    };
    const std::string ramp = bath("{from: 1.5, to: 0.8}"), stays = bath("1.1");
    run_into(name + "/one", ramp);
    run_into(name + "/two", ramp + "--ranks 2");
    expect_same_files(name + "/one", name + "/two");
    run_into(name + "/whole", stays);
    run_into(name + "/parts", stays + "--ranks 3 --set run.steps=10");
    run_into(name + "/parts", stays + "--ranks 2 --resume");
    EXPECT_EQ(read(name + "/whole/thermo.csv"), read(name + "/parts/thermo.csv"));
  }
}

TEST_F(OnProcesses, StagesFollowEachOther) {
  const std::string stages =
      "stages: [{name: cool, steps: 8, zero_momentum: {every: 3}, integrator: {type: "
      "langevin, friction: 2, temperature: {from: 2, to: 1}}}, {name: produce, steps: 12}], ";
  std::string deck = small_deck("neighbor: {backend: par-part-no-loop}\n");
  deck = std::regex_replace(deck, std::regex("steps: 20, "), stages);
  write("deck.yaml", std::regex_replace(deck, std::regex("\\[4, 4, 4\\]"), "[6, 6, 6]"));
  run_into("one", "");
  const ProgramResult two = run_into("two", "--ranks 2");
  EXPECT_NE(two.out.find("stage produce"), std::string::npos) << two.out;
  expect_same_files("one", "two");
}

TEST_F(OnProcesses, ObservablesHaveTheFilesOfOneRank) {
  const std::map<std::string, std::string> each{
      {"radial-distribution", "every: 4, bins: 50, max_distance: 3"},
      {"mean-squared-displacement", "every: 3, length: 4, origin_every: 1"},
      {"velocity-autocorrelation", "every: 2, from: 7, length: 4, origin_every: 2"},
      {"pressure-tensor", "every: 2"},
      {"energies-by-type", "every: 5, from: 1"},
      {"density-profile", "every: 5, axis: x, bins: 20"},
      {"coordination", "every: 5, max_distance: 1.5"},
      {"structure-factor", "every: 10, k_max: 8, bins: 20, max_vectors: 10"}};
  std::string observables = "observables:\n";
  for (const auto& [type, its_own] : each) {
    observables += "  - {type: " + type + ", " + its_own + "}\n";
  }
  write("deck.yaml", read("deck.yaml") + observables);
  run_into("one", "");
  run_into("three", "--ranks 3");
  run_into("parts", "--ranks 2 --set run.steps=10 --set output.checkpoint.every=10");
  run_into("parts", "--ranks 3 --resume --set output.checkpoint.every=10");
  expect_same_files("one", "three");
  for (const auto& [type, its_own] : each) {
    const std::string file = "/observable-" + type + ".csv";
    EXPECT_EQ(read("one" + file), read("three" + file)) << type;
    EXPECT_EQ(read("one" + file), read("parts" + file)) << type;
  }
  expect_refused(
      "run deck.yaml --ranks 2 --set 'observables=[{type: coordination, every: 4, max_distance: "
      "300}]'",
      "--set observables[0].max_distance:", "more than half of the shortest side");
}

/// The first rank minimises alone, between stages of all; where that goes on does not matter.
TEST_F(OnProcesses, AMinimisationHasTheFilesOfOneRankAndGoesOnOnAnotherNumber) {
  const auto deck_of = [&](const std::string& rest, const std::string& warm) {
    const std::string bath = "integrator: {type: langevin, friction: 2, temperature: 1}}";
    std::string deck = small_deck("neighbor: {backend: par-part-no-loop}\n");
    deck = std::regex_replace(
        deck, std::regex("steps: 20, "),
        "stages: [{name: mix, steps: 4, " + bath + ", {name: rest, steps: " + rest +
            ", integrator: {type: fire}}" +
            (warm.empty() ? "" : ", {name: warm, steps: " + warm + ", " + bath) + "], ");
    write("deck.yaml", std::regex_replace(deck, std::regex("\\[4, 4, 4\\]"), "[6, 6, 6]"));
  };
  const std::string marks = "--set output.checkpoint.every=2 ";
  deck_of("8", "8");
  run_into("one", marks);
  const ProgramResult three = run_into("three", marks + "--ranks 3");
  EXPECT_NE(three.out.find("minimised in 8 steps on the first rank alone: "), std::string::npos)
      << three.out;
  expect_same_files("one", "three");
  deck_of("8", "");
  run_into("whole", marks);
  deck_of("6", "");
  run_into("parts", marks + "--ranks 2");
  deck_of("8", "");
  const ProgramResult resumed = run_into("parts", marks + "--ranks 3 --resume");
  EXPECT_NE(resumed.out.find("3 ranks, 1 x 1 x 3, of which the first minimises alone"),
            std::string::npos)
      << resumed.out;
  EXPECT_EQ(read("whole/thermo.csv"), read("parts/thermo.csv"));
}

TEST_F(OnProcesses, ABarostatHasTheFilesOfOneRankAndGoesOnOnAnotherNumber) {
  const std::string squeezed =
      "--set output.checkpoint.every=10 --set 'integrator={type: nose-hoover, timestep: 0.004, "
      "relaxation_time: 0.1, temperature: 1.1}' --set 'barostat={pressure: 8, relaxation_time: "
      "0.1, compressibility: 0.05, every: 4}' ";
  run_into("one", squeezed);
  run_into("three", squeezed + "--ranks 3");
  expect_same_files("one", "three");
  const std::string list = squeezed + "--set 'neighbor={backend: verlet-list, skin: 0.1}' ";
  run_into("whole", list);
  run_into("parts", list + "--ranks 2 --set run.steps=10");
  run_into("parts", list + "--ranks 3 --resume");
  EXPECT_EQ(read("whole/thermo.csv"), read("parts/thermo.csv"));
}

TEST_F(OnProcesses, ALauncherMayHaveStartedThem) {
  run_into("one", "");
  const std::string started = "--oversubscribe --bind-to none -n 2 '" + program_path() +
                              "' run deck.yaml --quiet --set run.deterministic=true "
                              "--set output.directory=";
  const ProgramResult two = run("mpirun", started + "two");
  EXPECT_EQ(two.exit_code, 0) << two.err;
  EXPECT_EQ(two.out, "");
  expect_same_files("one", "two");
  const ProgramResult differ = run("mpirun", started + "differ --ranks 3");
  EXPECT_EQ(differ.exit_code, 2);
  EXPECT_NE(differ.err.find("pencilbox: --ranks: not as many as were started, got 3, allowed 2"),
            std::string::npos)
      << differ.err;
  EXPECT_FALSE(std::filesystem::exists(folder() / "differ"));
}

TEST_F(OnProcesses, WhatCannotBeIsRefusedInWords) {
  expect_refused("run deck.yaml --ranks 4 --set run.ranks=[2,1,1]",
                 "--set run.ranks:", "got 2, allowed 4, or auto");
  expect_refused("run deck.yaml --set run.ranks=[2,1]", "--set run.ranks:", "auto, a list of 3");
  expect_refused("run deck.yaml --set run.ranks=many", "--set run.ranks:", "auto, a list of 3");
  expect_refused("run deck.yaml --set run.ranks=[0,1,1]", "--set run.ranks[0]:", "from 1");
  expect_refused("run deck.yaml --ranks 100000", "--ranks:", "got 100000, allowed 1 to");
  expect_refused("run deck.yaml --set run.ranks=[5,1,1]",
                 "--set run.ranks:", "5 in a direction of 4 cells");
  expect_refused(
      "run deck.yaml --ranks 2 --set run.exchange=direct", "deck.yaml",
      "letters cannot go from device to device: rank 1: its memory is its process's alone");
  for (const std::string command : {"run", "check"}) {
    expect_refused(command + " deck.yaml --ranks 2 --set neighbor.backend=green", "deck.yaml",
                   "green: not on several ranks");
    expect_refused(command +
                       " deck.yaml --ranks 2 --set neighbor.backend=cluster-list "
                       "--set run.deterministic=true",
                   "deck.yaml", "cluster-list: ");
  }
  expect_refused("check deck.yaml --ranks 5", "deck.yaml", "5 ranks cannot share 4 x 4 x 4 cells");
}

TEST_F(OnProcesses, CheckSaysHowTheyWouldShareTheBox) {
  const ProgramResult result = program("check deck.yaml --ranks 4");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("ranks        4: 1 x 1 x 4, 4 x 4 x 1 cells each, 16 of 48"),
            std::string::npos)
      << result.out;
}

TEST_F(OnProcesses, AnErrorOfTheRunHasOneLineAndItsCode) {
  write("start.xyz",
        "2\nLattice=\"12 0 0 0 12 0 0 0 12\" Properties=species:S:1:pos:R:3\n"
        "A 1 1 1\nA 1 1 1.00001\n");
  write("deck.yaml",
        "system:\n  particles: {file: start.xyz}\n  types: [{name: A}]\n"
        "potential: {cutoff: 2.5}\nrun: {steps: 20, precision: double, device: host}\n" +
            std::string(rebinned));
  const ProgramResult result = program("run deck.yaml --ranks 2");
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

class LongOnProcesses : public OnProcesses {
 protected:
  static constexpr const char* mark = "run.steps=99999937";

  pid_t start_run() const {
    const pid_t child = start({"run", "deck.yaml", "--set", mark, "--ranks", "3"});
    EXPECT_TRUE(appears("deck/thermo.csv"));
    usleep(300'000);
    return child;
  }

  /// Of the program's processes in this folder the one that came last: not the first rank.
  pid_t last_rank() const {
    pid_t last = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      pid_t process = 0;
      std::from_chars(name.data(), name.data() + name.size(), process);
      std::error_code error;
      if (process <= last || std::filesystem::read_symlink(entry.path() / "cwd", error) != folder())
        continue;
      if (std::filesystem::read_symlink(entry.path() / "exe", error) == program_path()) {
        last = process;
      }
    }
    return last;
  }

  void expect_resumable() const {
    const ProgramResult result = program("run deck.yaml --quiet --resume --ranks 2 --set " +
                                         std::string(mark) + " --wall-time 1s");
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
};

TEST_F(LongOnProcesses, ASignalStopsAllOfThemAtOneStep) {
  const pid_t child = start_run();
  kill(child, SIGINT);
  const ProgramResult result = finish(child);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_NE(result.err.find("stopped by SIGINT at step"), std::string::npos) << result.err;
  expect_resumable();
}

TEST_F(LongOnProcesses, WhereOneIsKilledAllEndAndItIsNamed) {
  const pid_t child = start_run();
  kill(last_rank(), SIGKILL);
  const ProgramResult result = finish(child);
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_NE(result.err.find("pencilbox: the ranks were ended: rank "), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("signal 9"), std::string::npos) << result.err;
  EXPECT_EQ(last_rank(), 0);
}

Environment environment_of(const std::map<std::string, std::string>& variables) {
  const auto kept = std::make_shared<const std::map<std::string, std::string>>(variables);
  return [kept](const char* name) {
    const auto found = kept->find(name);
    return found == kept->end() ? nullptr : found->second.c_str();
  };
}

TEST(Launch, IsWhatALauncherSays) {
  EXPECT_FALSE(launch_of(environment_of({})));
  EXPECT_FALSE(launch_of(environment_of({{"OMPI_COMM_WORLD_SIZE", "1"}})));
  EXPECT_EQ(launch_of(environment_of({{"OMPI_COMM_WORLD_SIZE", "4"}}))->processes, 4);
  EXPECT_EQ(launch_of(environment_of({{"PMI_SIZE", "8"}}))->processes, 8);
  const std::map<std::string, std::string> served{{"SLURM_STEP_NUM_TASKS", "2"},
                                                  {"PMIX_RANK", "0"}};
  EXPECT_EQ(launch_of(environment_of(served))->processes, 2);
  EXPECT_FALSE(launch_of(environment_of({{"SLURM_NTASKS", "16"}}))) << "a job's, not a step's";
  EXPECT_THROW(launch_of(environment_of({{"SLURM_STEP_NUM_TASKS", "2"}})), InputError);
}

}  // namespace
}  // namespace pencilbox::testing
