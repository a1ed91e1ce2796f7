// `pencilbox view`: pictures and films of a trajectory, by ParaView.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pencilbox {

struct ViewArguments {
  std::filesystem::path directory;             ///< of a run
  std::string field;                           ///< what colours the spheres; empty: chosen
  std::optional<std::int64_t> frame;           ///< from 0, or from -1 backwards; absent: the last
  bool film = false;                           ///< all frames instead of one
  std::filesystem::path output;                ///< empty: the directory's name, .png or .avi
  std::optional<std::array<double, 2>> range;  ///< of the colours; absent: of what is shown
  std::vector<double> radii{0.5};              ///< of all spheres, or of each type [sigma]
  std::array<int, 2> size{1200, 1000};         ///< [pixels]
  bool overwrite = false;
};

/// Renders and says how to open the files by hand. Throws InputError if there is no trajectory, no
/// such frame or no such field, or if the output is there; SystemError if ParaView is missing or
/// fails.
void view_command(const ViewArguments& arguments);

/// The text of app/commands/view.py.
extern const char* const view_script;

}  // namespace pencilbox
