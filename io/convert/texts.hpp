// Frames as the texts that our own start-file readers read, and most other programs.
#pragma once

#include <string>

#include "io/convert/trajectory_reader.hpp"

namespace pencilbox {

// Numbers have as many digits as it takes to read the same double again.

/// One frame of extended XYZ: species, pos, masses, id and, where the frame has them, velo and
/// image.
std::string extended_xyz(const StoredFrame& frame);

/// The same with species and pos only.
std::string plain_xyz(const StoredFrame& frame);

/// A LAMMPS data file, `atom_style atomic`, in reduced units. Types are numbers there; their names
/// stand in a comment.
std::string lammps_data(const StoredFrame& frame);

}  // namespace pencilbox
