// `pencilbox validate`.
#pragma once

#include <filesystem>
#include <string>

#include "app/commands/program.hpp"

namespace pencilbox {

/// `validate`, as typed.
struct ValidateArguments : RankArguments {
  std::string backend = "auto";
  std::string device = "auto";
  std::string precision = "mixed";
  std::string only;  ///< names of checks between commas; empty: all
  bool full = false;
  std::filesystem::path csv, json;  ///< empty: none
  bool overwrite = false;
  std::string command_line;
};

/// "configurations, melt, ..."
std::string names_of_checks();

/// Prints the table and writes it. Returns the exit code: 3 where a row has failed. Throws what
/// went wrong otherwise.
int validate_command(const ValidateArguments& arguments);

}  // namespace pencilbox
