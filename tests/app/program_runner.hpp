// Runs the built program as a user would: in a folder of its own, and looks at what it leaves.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pencilbox::testing {

struct ProgramResult {
  int exit_code = -1;
  std::string out, err;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A test with a folder of its own, removed afterwards.
class InAFolder : public ::testing::Test {
 protected:
  InAFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "pencilbox test XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~InAFolder() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return read_text(folder_ / name); }

  /// Arguments as typed in a shell, in the folder.
  ProgramResult program(const std::string& arguments, const std::string& environment = "") const {
    const auto aside = std::filesystem::path(folder_.string() + ".streams");
    std::filesystem::create_directory(aside);
    const std::string command = "cd '" + folder_.string() + "' && " + environment + " '" +
                                PENCILBOX_PROGRAM + "' " + arguments + " >'" +
                                (aside / "out").string() + "' 2>'" + (aside / "err").string() +
                                "' </dev/null";
    const int status = std::system(command.c_str());
    ProgramResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(aside / "out"),
                         read_text(aside / "err")};
    std::filesystem::remove_all(aside);
    return result;
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

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

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
