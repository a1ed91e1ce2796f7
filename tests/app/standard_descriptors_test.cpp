// The program started with standard descriptors closed: what is meant for the terminal goes
// nowhere, and no output is touched by it.
#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

class ClosedDescriptors : public InAFolder {
 protected:
  ClosedDescriptors() {
    write("deck.yaml", small_deck("").replace(small_deck("").find("output: {"), 9,
                                              "output: {checkpoint: {every: 10}, "));
  }

  int run_with(const std::string& arguments, const std::string& redirections) const {
    const std::string command = "cd '" + folder().string() + "' && exec '" + program_path() + "' " +
                                arguments + " " + redirections;
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void expect_outputs_are_whole(std::size_t rows) const {
    const std::string table = read("deck/thermo.csv");
    EXPECT_TRUE(table.starts_with("step,time,")) << table.substr(0, 80);
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), static_cast<int>(rows) + 1) << table;
    for (const char* file : {"deck/trajectory.h5md", "deck/checkpoint.h5"}) {
      EXPECT_EQ(read(file).substr(0, 8), "\x89HDF\r\n\x1a\n") << file;
    }
    EXPECT_TRUE(read("deck/report.json").starts_with("{"));
  }
};

TEST_F(ClosedDescriptors, WhatIsMeantForTheTerminalIsWrittenIntoNoFile) {
  for (const char* closed : {"<&- >&-", ">&-", "<&- >&- 2>&-", "<&- 2>&- >out"}) {
    SCOPED_TRACE(closed);
    EXPECT_EQ(run_with("run deck.yaml --overwrite", closed), 0);
    expect_outputs_are_whole(3);
  }
}

TEST_F(ClosedDescriptors, ANoteIsWrittenIntoNoFile) {
  ASSERT_EQ(run_with("run deck.yaml --quiet", ""), 0);
  write("deck/checkpoint.h5", "damaged");
  EXPECT_EQ(run_with("run deck.yaml --resume --set run.steps=30 --quiet", "2>&-"), 0);
  expect_outputs_are_whole(4);
}

}  // namespace
}  // namespace pencilbox::testing
