// `pencilbox compare`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pencilbox {

/// `compare`, as typed. An empty text is the default.
struct CompareArguments {
  std::filesystem::path deck;
  std::vector<std::string> overrides;
  std::string backends, options;
  std::string steps, repeats;
  std::string from;   ///< the output directory of a run
  std::string frame;  ///< of its trajectory
  std::string output;
  bool overwrite = false;
  std::string command;  ///< the command line
};

/// Prints the comparison and writes it. Throws what went wrong.
void compare_command(const CompareArguments& arguments);

}  // namespace pencilbox
