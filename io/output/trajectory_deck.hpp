// Which run a trajectory on the disk is of: the deck that it carries.
#pragma once

#include <filesystem>
#include <string>

namespace pencilbox {

/// The resolved deck of the run that began the H5MD file. Throws SystemError if it holds none.
std::string deck_of_trajectory(const std::filesystem::path& path);

}  // namespace pencilbox
