// What a trajectory on the disk holds, for those who look at it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/box.hpp"

namespace pencilbox {

struct TrajectoryInfo {
  std::int64_t frames = 0;          ///< complete ones, in all files
  Box box;                          ///< of the first frame
  std::vector<std::string> types;   ///< their names, in the order of `species`
  std::vector<std::string> arrays;  ///< with a value for each particle, besides `position`
};

/// Looks at the trajectory `path`, in one file or split, whether its run has ended or not. Throws
/// InputError, one line, if there is none, or none that can be read.
TrajectoryInfo inspect_trajectory(const std::filesystem::path& path);

/// The box of a frame, counted from 0, of those that it has. Throws InputError.
Box box_in_trajectory(const std::filesystem::path& path, std::int64_t frame);

/// The H5MD files of the trajectory `path`, in their order; none where there is none.
std::vector<std::filesystem::path> trajectory_data_files(const std::filesystem::path& path);

}  // namespace pencilbox
