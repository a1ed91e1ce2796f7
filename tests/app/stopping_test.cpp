// Runs that end before their last step: by a signal, by the time they were given, by physics, by
// another run that was there before.
#include "app/commands/stopping.hpp"

#include <chrono>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

constexpr const char* long_run = "run.steps=100000000";

class Stopped : public InAFolder {
 protected:
  Stopped() { write("deck.yaml", small_deck()); }  // it asks for no checkpoints

  pid_t start_long_run() const {
    const pid_t child = start({"run", "deck.yaml", "--set", long_run});
    EXPECT_TRUE(appears("deck/thermo.csv"));
    usleep(100'000);
    return child;
  }

  void expect_resumable_from(const std::string& reason) const {
    const auto report = nlohmann::json::parse(read("deck/report.json"));
    EXPECT_EQ(report.at("stopped"), reason);
    const auto step = report.at("last_step").get<std::int64_t>();
    EXPECT_GT(step, 0);
    const ProgramResult result =
        program("run deck.yaml --quiet --resume --set run.steps=" + std::to_string(step + 1));
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
};

struct Signal {
  int number;
  const char* name;
  int exit_code;
};

class StoppedBySignal : public Stopped, public ::testing::WithParamInterface<Signal> {};

TEST_P(StoppedBySignal, WritesACheckpointAndSaysHowToGoOn) {
  const pid_t child = start_long_run();
  kill(child, GetParam().number);
  const ProgramResult result = finish(child);
  EXPECT_EQ(result.exit_code, GetParam().exit_code);
  EXPECT_NE(result.err.find(std::string("pencilbox: stopped by ") + GetParam().name + " at step "),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("checkpoint written; the same command with --resume goes on"),
            std::string::npos)
      << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder() / "deck/.lock"));
  expect_resumable_from(GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(Signals, StoppedBySignal,
                         ::testing::Values(Signal{SIGINT, "SIGINT", 130},
                                           Signal{SIGTERM, "SIGTERM", 143},
                                           Signal{SIGHUP, "SIGHUP", 129},
                                           Signal{SIGXCPU, "SIGXCPU", 152},
                                           Signal{SIGUSR1, "SIGUSR1", 0}),
                         [](const auto& signal) { return signal.param.name; });

TEST_F(Stopped, DuringSetUpAtOnce) {
  // A start that takes a minute to find.
  write("deck.yaml",
        "system: {particles: {random: {count: 400000, box: [100, 100, 100], minimum_distance: "
        "1.2}}}\npotential: {cutoff: 2.5}\nrun: {steps: 10, device: host}\n");
  for (const int number : {SIGTERM, SIGINT}) {
    const auto before = std::chrono::steady_clock::now();
    const pid_t child = start({"run", "deck.yaml"});
    usleep(500'000);
    kill(child, number);
    const ProgramResult result = finish(child);
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
    EXPECT_EQ(result.exit_code, 128 + number);
    EXPECT_EQ(result.err, "pencilbox: stopped by a signal during set-up, nothing was written\n");
  }
  EXPECT_FALSE(std::filesystem::exists(folder() / "deck"));
}

TEST_F(Stopped, WhenNobodyReadsOn) {
  const ProgramResult result =
      run("/bin/bash", std::string("-c 'trap - PIPE; \"$0\" run deck.yaml --set ") + long_run +
                           " | head -n 1; exit ${PIPESTATUS[0]}' '" + program_path() + "'");
  EXPECT_EQ(result.exit_code, 128 + SIGPIPE) << result.err;
  expect_resumable_from("SIGPIPE");
}

TEST_F(Stopped, AFileThatMayNotGrowIsToldInWords) {
  const ProgramResult result =
      run("/bin/bash", std::string("-c 'ulimit -f 40; \"$0\" run deck.yaml --quiet --set ") +
                           long_run + "' '" + program_path() + "'");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST_F(Stopped, ASecondInterruptEndsAtOnce) {
  // One step of 13500 particles on the emulator takes long enough to interrupt twice.
  const pid_t child =
      start({"run", "deck.yaml", "--set", long_run, "--set", "neighbor.backend=x-pencil", "--set",
             "system.particles.lattice.cells=[15, 15, 15]"});
  EXPECT_TRUE(appears("deck/thermo.csv"));
  kill(child, SIGINT);
  usleep(20'000);
  kill(child, SIGINT);
  EXPECT_EQ(finish(child).exit_code, -SIGINT);
}

TEST_F(Stopped, AtTheEndOfItsTime) {
  const auto before = std::chrono::steady_clock::now();
  const ProgramResult result =
      program(std::string("run deck.yaml --wall-time 0.3s --set ") + long_run);
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_GE(took, std::chrono::milliseconds(300));
  EXPECT_LT(took, std::chrono::seconds(8));
  EXPECT_NE(result.err.find("stopped by --wall-time 0.3s at step"), std::string::npos)
      << result.err;
  expect_resumable_from("--wall-time 0.3s");
}

TEST_F(Stopped, ARunThatIsDoneInTimeIsNotStopped) {
  ASSERT_EQ(program("run deck.yaml --quiet --wall-time 1h").exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(read("deck/report.json")).at("stopped"), nullptr);
  EXPECT_FALSE(std::filesystem::exists(folder() / "deck/checkpoint.h5"));
}

TEST(WallTime, IsANumberAndAUnit) {
  EXPECT_EQ(parse_wall_time("90"), 90.0);
  EXPECT_EQ(parse_wall_time("90s"), 90.0);
  EXPECT_EQ(parse_wall_time("1.5m"), 90.0);
  EXPECT_EQ(parse_wall_time("2h"), 7200.0);
  EXPECT_EQ(parse_wall_time("1d"), 86400.0);
  for (const char* text : {"", "h", "-1h", "0", "nan", "inf", "1e300", "2 h", "2hours", "1h30m"}) {
    EXPECT_THROW((void)parse_wall_time(text), InputError) << text;
  }
}

TEST_F(Stopped, AWallTimeThatIsNoneIsRefusedFirst) {
  const auto before = listing();
  const ProgramResult result = program("run deck.yaml --wall-time soon");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--wall-time: not a length of time, got soon"), std::string::npos);
  EXPECT_EQ(listing(), before);
  // An unset variable of a job script is no limit that was left out.
  const ProgramResult empty = program("run deck.yaml --wall-time ''");
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_NE(empty.err.find("--wall-time: is empty"), std::string::npos) << empty.err;
}

TEST_F(Stopped, ASecondRunOnTheFolderIsRefused) {  // 40
  const pid_t child = start_long_run();
  for (const std::string how : {"", "--overwrite", "--resume"}) {
    const ProgramResult result = program("run deck.yaml " + how);
    EXPECT_EQ(result.exit_code, 2) << how;
    EXPECT_NE(result.err.find("output directory 'deck': another run is writing here"),
              std::string::npos)
        << how << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  kill(child, SIGUSR1);
  EXPECT_EQ(finish(child).exit_code, 0);
  expect_resumable_from("SIGUSR1");
}

TEST_F(Stopped, APhysicsFailureKeepsTheLastCheckpointAndReadableOutputs) {
  // Two atoms on a collision course that a long timestep makes fatal, some ten steps on.
  write("start.data",
        "t\n\n2 atoms\n1 atom types\n\n0 40 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\n"
        "Atoms # atomic\n\n1 1 5 4 4\n2 1 30 4 4\n\nVelocities\n\n1 40 0 0\n2 -40 0 0\n");
  write("deck.yaml",
        "system: {particles: {file: start.data}, types: [{name: A}]}\npotential: {cutoff: 2.5}\n"
        "integrator: {timestep: 0.0234}\nneighbor: {backend: par-part-no-loop}\n"
        "run: {steps: 100, precision: double, device: host}\n"
        "output: {thermo: {every: 5}, trajectory: {every: 5}, checkpoint: {every: 2}}\n");
  const ProgramResult result = program("run deck.yaml --quiet");
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find(" is lost near ("), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("; the checkpoint of step "), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder() / "deck/report.json"));
  EXPECT_TRUE(read("deck/thermo.csv").ends_with("\n"));
  // What is kept can be gone on from, with the same end.
  const ProgramResult again = program("run deck.yaml --quiet --resume");
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_EQ(again.err, result.err);
}

TEST_F(Stopped, ADiskThatIsTooFullForACheckpointEndsWithExitCodeFour) {  // 40
  const ProgramResult result =
      program("run deck.yaml --quiet --set 'output={thermo: {every: 5}, checkpoint: {every: 10}}'",
              "ulimit -f 16; trap '' XFSZ;");
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_NE(result.err.find("checkpoint deck/checkpoint.h5: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("File too large"), std::string::npos) << result.err;
  EXPECT_NE(read("deck/thermo.csv").find("\n10,"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder() / "deck/checkpoint.h5.tmp"));
}

}  // namespace
}  // namespace pencilbox::testing
