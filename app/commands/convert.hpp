// `pencilbox convert`: frames of a run as a text that other programs read, and `run` again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pencilbox {

struct ConvertArguments {
  std::filesystem::path run;          ///< its directory, or its trajectory
  std::string format;                 ///< extxyz, xyz, lammps
  std::string frames;                 ///< N, or FIRST:END:STEP; empty: all, of lammps the last
  std::vector<std::string> elements;  ///< one for each type; empty: the types' own names
  std::filesystem::path output;       ///< empty: the directory's name, .extxyz, .xyz or .data
  bool overwrite = false;
};

/// Throws InputError if there is no trajectory or no such frame, if the elements are none or the
/// output is there; SystemError if it cannot be written.
void convert_command(const ConvertArguments& arguments);

}  // namespace pencilbox
