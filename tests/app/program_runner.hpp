// Runs the built program as a user would: in a folder of its own, and looks at what it leaves.
#pragma once

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/app/program_paths.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {

struct ProgramResult {
  int exit_code = -1;  ///< of a started program that a signal ended: minus its number
  std::string out, err;
};

/// The rows of a CSV, header apart.
inline std::vector<std::vector<double>> rows_of(const std::string& csv) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

/// A test with a folder of its own, removed afterwards.
class InAFolder : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    temporary_.write(name, text);
  }
  std::string read(const std::string& name) const { return read_text(folder_ / name); }

  /// Arguments as typed in a shell, in the folder.
  ProgramResult program(const std::string& arguments, const std::string& environment = "") const {
    return run(program_path(), arguments, environment);
  }

  /// `run deck.yaml` with these arguments, which has to succeed.
  ProgramResult run_deck(const std::string& arguments) const {
    const ProgramResult result = program("run deck.yaml " + arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments << ": " << result.err;
    return result;
  }

  /// The same as program() with another one.
  ProgramResult run(const std::string& executable, const std::string& arguments,
                    const std::string& environment = "") const {
    const auto aside = std::filesystem::path(folder_.string() + ".streams");
    std::filesystem::create_directory(aside);
    const std::string command = "cd '" + folder_.string() + "' && " + environment + " '" +
                                executable + "' " + arguments + " >'" + (aside / "out").string() +
                                "' 2>'" + (aside / "err").string() + "' </dev/null";
    const int status = std::system(command.c_str());
    ProgramResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(aside / "out"),
                         read_text(aside / "err")};
    std::filesystem::remove_all(aside);
    return result;
  }

  /// Starts the program and returns while it runs; what it says on stderr goes to the file `err`
  /// beside the folder. Signals have their usual effect on it, whatever the test was started from.
  pid_t start(std::vector<std::string> arguments) const {
    const pid_t child = fork();
    if (child != 0) return child;
    for (const int number : {SIGINT, SIGHUP, SIGXCPU}) std::signal(number, SIG_DFL);
    const bool ready = chdir(folder_.c_str()) == 0 &&
                       std::freopen("/dev/null", "w", stdout) != nullptr &&
                       std::freopen(err_file().c_str(), "w", stderr) != nullptr;
    std::vector<char*> pointers{const_cast<char*>(program_path().c_str())};
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    if (ready) execv(program_path().c_str(), pointers.data());
    _exit(99);
  }

  /// Waits for a started program.
  ProgramResult finish(pid_t child) const {
    int status = 0;
    waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    const ProgramResult result{code, "", read_text(err_file())};
    std::filesystem::remove(err_file());
    return result;
  }

  /// Waits until a file is there, two minutes at most.
  bool appears(const std::string& name) const {
    // Several processes under sanitizers share two cores with other tests.
    constexpr int patience_in_ms = 120'000;
    for (int i = 0; i < patience_in_ms / 10; ++i) {
      if (std::filesystem::exists(folder_ / name)) return true;
      usleep(10'000);
    }
    return false;
  }

  /// Every file and folder, with its size and time of change.
  std::set<std::string> listing() const {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      const auto changed = entry.last_write_time().time_since_epoch().count();
      all.insert(entry.path().string() + " " + std::to_string(changed));
    }
    return all;
  }

  /// Arguments that are refused: one line that begins so after "pencilbox: ", exit code 2, and
  /// nothing else happens.
  void expect_refused(const std::string& arguments, const std::string& line,
                      const std::string& mention) const {
    const auto before = listing();
    const ProgramResult result = program(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("pencilbox: " + line)) << result.err;
    EXPECT_NE(result.err.find(mention), std::string::npos) << result.err;
    EXPECT_EQ(listing(), before);
  }

  /// A command that writes files runs once, is then refused with `line`, and runs with --overwrite.
  void expect_replaces_only_if_told_to(const std::string& arguments,
                                       const std::string& line) const {
    EXPECT_EQ(program(arguments).exit_code, 0);
    expect_refused(arguments, line, "--overwrite");
    EXPECT_EQ(program(arguments + " --overwrite").exit_code, 0);
  }

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::string err_file() const { return folder_.string() + ".err"; }

  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

struct WrongArguments {
  std::string arguments;
  std::string line;  ///< begins so, after "pencilbox: "
  std::string mention;
};

inline void PrintTo(const WrongArguments& wrong, std::ostream* out) { *out << wrong.arguments; }

inline std::string small_deck(const std::string& more = "") {
  return "system:\n"
         "  particles:\n"
         "    lattice: {type: fcc, density: 0.8442, cells: [4, 4, 4]}\n"
         "  velocities: {temperature: 1.44, seed: 1}\n"
         "potential: {cutoff: 2.5}\n"
         "run: {steps: 20, precision: double, device: host}\n"
         "output: {thermo: {every: 10}, trajectory: {every: 10}}\n" +
         more;
}

}  // namespace pencilbox::testing
