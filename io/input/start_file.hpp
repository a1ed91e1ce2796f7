// Start files of any format that we read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/start_state.hpp"

namespace pencilbox {

/// What the deck says about a start that comes from a file.
struct StartFileRequest {
  Bool3 periodic{true, true, true};
  std::vector<ParticleType> types{};    ///< empty: take those of the file
  std::vector<bool> mass_is_given{};    ///< of each of them; empty: all. Else the file's counts
  std::optional<std::int64_t> frame{};  ///< of a trajectory, from -1 backwards; absent: the last
  bool draws_velocities = false;        ///< those of the file are not asked for

  bool gives_mass(std::size_t type) const { return mass_is_given.empty() || mass_is_given[type]; }
};

/// What a start file may be, told where it is missed.
inline constexpr std::string_view start_file_kind =
    "a LAMMPS data file, an extended XYZ file, a checkpoint or a trajectory of pencilbox";

/// Reads a LAMMPS data file, the first frame of an extended XYZ file, a checkpoint or a frame of an
/// H5MD trajectory of an earlier run. The format of a text is told by the ending (.xyz, .extxyz;
/// .data, .lmp, .lammps), else by the content; its ids must be 1..N, in any order. Throws
/// InputError "file:line: section: ..." for anything wrong, and for formats that are not read.
StartState read_start(const std::filesystem::path& path, const StartFileRequest& request);

/// The same from a text in either text format; `path` stands for its file, whose ending counts.
StartState parse_start(std::string text, const std::filesystem::path& path,
                       const StartFileRequest& request);

}  // namespace pencilbox
