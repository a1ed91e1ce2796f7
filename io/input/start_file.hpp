// Start files of any format that we read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/start_state.hpp"

namespace pencilbox {

/// What the deck says about a start that comes from a file.
struct StartFileRequest {
  Bool3 periodic{true, true, true};
  std::vector<ParticleType> types{};  ///< empty: take those of the file
  std::vector<bool> mass_is_given{};  ///< of each of them; empty: all. Else the file's counts

  bool gives_mass(std::size_t type) const { return mass_is_given.empty() || mass_is_given[type]; }
};

/// Reads a LAMMPS data file or the first frame of an extended XYZ file; the format is told by the
/// ending (.xyz, .extxyz; .data, .lmp, .lammps), else by the content. Ids must be 1..N, in any
/// order. Throws InputError "file:line: section: ..." for anything wrong, and for formats that are
/// not read: HDF5 and compressed files.
StartState read_start(const std::filesystem::path& path, const StartFileRequest& request);

/// The same from a text; `path` stands for its file, whose ending counts.
StartState parse_start(std::string text, const std::filesystem::path& path,
                       const StartFileRequest& request);

}  // namespace pencilbox
