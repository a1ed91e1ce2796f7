// Threads that the program is told to use and cannot have: one line, and nothing is written. And
// how many there are changes no bit of a deterministic run.
#include "tests/app/program_runner.hpp"
#include "tests/support/sanitized.hpp"

namespace pencilbox::testing {
namespace {

class Threads : public InAFolder {
 protected:
  Threads() { write("deck.yaml", small_deck("")); }

  void expect_one_line(const ProgramResult& result, int exit_code, const std::string& words) const {
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder() / "deck"));
  }
};

TEST_F(Threads, MoreThanAnyMachineHasAreRefused) {
  for (const char* count : {"50000", "200000"}) {
    expect_one_line(program("run deck.yaml", std::string("OMP_NUM_THREADS=") + count), 2,
                    std::string("OMP_NUM_THREADS: too many threads, got ") + count);
  }
}

TEST_F(Threads, WhatIsNoNumberOfThemIsRefusedAndNotGuessed) {
  for (const char* count :
       {"abc", "0", "-1", "", " ", "1.5", "2,abc", "1,", "2x", "0x2", "99999999999999999999"}) {
    const ProgramResult result =
        program("run deck.yaml", "OMP_NUM_THREADS=\"" + std::string(count) + "\"");
    EXPECT_EQ(result.exit_code, 2) << count;
    const std::size_t own = result.err.find("pencilbox: OMP_NUM_THREADS: not a number of threads");
    ASSERT_NE(own, std::string::npos) << result.err;  // behind what OpenMP says before any program
    EXPECT_EQ(result.err.find('\n', own), result.err.size() - 1) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder() / "deck"));
  }
  EXPECT_EQ(program("check deck.yaml", "OMP_NUM_THREADS=' 2 , 1'").exit_code, 0);
}

TEST_F(Threads, ThatTheSystemDoesNotStartAreMissedInWords) {
  if (is_sanitized()) GTEST_SKIP() << "the sanitizer takes more address space than any limit";
  // 128 stacks of 8 MB are more than that.
  expect_one_line(program("run deck.yaml", "ulimit -s 8192; ulimit -v 800000; OMP_NUM_THREADS=128"),
                  4, "cannot start 128 threads");
}

TEST_F(Threads, StacksThatTheSystemDoesNotGiveAreMissedInWords) {
  if (is_sanitized()) GTEST_SKIP() << "the sanitizer has stacks of its own";
  for (const std::string name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    expect_one_line(program("run deck.yaml", "OMP_NUM_THREADS=2 " + name + "=100000000G"), 4,
                    name + ": cannot start 2 threads with stacks of this size, got 100000000G");
  }
  EXPECT_EQ(program("run deck.yaml --quiet", "OMP_NUM_THREADS=2 OMP_STACKSIZE=2M").exit_code, 0);
}

/// Noise belongs to a particle and its step, and sums have one order.
TEST_F(Threads, ChangeNoBitOfAHeatBath) {
  const std::string rescaling =
      "{type: velocity-rescaling, temperature: 1.2, relaxation_time: 0.5, seed: 7}";
  const std::string barostat = " --set 'barostat={pressure: 1.0, relaxation_time: 1.0, every: 5}'";
  for (const std::string& bath :
       {std::string("'integrator={type: langevin, temperature: 1.2, friction: 1, seed: 7}'"),
        "'integrator=" + rescaling + "'", "'integrator=" + rescaling + "'" + barostat,
        std::string("'integrator={type: nose-hoover, temperature: 1.2, relaxation_time: 0.5}'")}) {
    for (const std::string backend : {"par-part-no-loop", "verlet-list", "vector-list"}) {
      const std::string run =
          "run deck.yaml --quiet --overwrite --set run.deterministic=true --set " + bath +
          " --set output.checkpoint.every=20 --set neighbor.backend=" + backend;
      std::string rows, state;
      for (const char* threads : {"1", "2", "5"}) {
        const ProgramResult result = program(run, std::string("OMP_NUM_THREADS=") + threads);
        ASSERT_EQ(result.exit_code, 0) << result.err;
        if (rows.empty()) {
          rows = read("deck/thermo.csv");
          state = read("deck/checkpoint.h5");
          EXPECT_FALSE(state.empty());
        }
        EXPECT_TRUE(read("deck/thermo.csv") == rows) << bath << backend << ": " << threads;
        EXPECT_TRUE(read("deck/checkpoint.h5") == state) << bath << backend << ": " << threads;
      }
    }
  }
}

}  // namespace
}  // namespace pencilbox::testing
