// Start files that an earlier run has left: its checkpoint, or any frame of its trajectory.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/exact_state.hpp"
#include "io/input/start_file.hpp"

namespace pencilbox {

/// What such a file says of itself before its particles are read.
struct Hdf5StartInfo {
  bool is_trajectory = false;  ///< else a checkpoint
  std::int64_t frames = 1;     ///< complete ones
  Bool3 periodic{};
};

/// Whether a regular file is there that begins as HDF5 files do.
bool is_hdf5_file(const std::filesystem::path& path);

/// Throws InputError, one line, for a file that is damaged, neither of the two, or has no frame.
Hdf5StartInfo inspect_hdf5_start(const std::filesystem::path& path);

/// A state as a start: its forces and cells are left behind, positions may lie a hair outside.
StartState start_of(const ExactState& state);
StartState start_of(ExactState&& state);

/// The particles with ids, types and masses, positions, images and velocities, as exactly as the
/// file holds them, in its box. A checkpoint's step, forces and cells are left behind: a new run
/// begins. Throws InputError as above, and where the file and the request do not go together:
/// `request.frame` is not there, there are no velocities and none will be drawn, types or boundary
/// are others.
StartState read_hdf5_start(const std::filesystem::path& path, const StartFileRequest& request);

}  // namespace pencilbox
