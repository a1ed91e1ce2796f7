// LAMMPS data files, atom_style atomic, orthogonal boxes.
#pragma once

#include <string>
#include <string_view>

#include "io/input/start_file.hpp"

namespace pencilbox {

/// Reads what `write_data` writes: header, Masses, Atoms (id type x y z, perhaps three image
/// flags), Velocities. As in LAMMPS the first line is a comment, '#' starts one elsewhere, and
/// atoms outside a periodic box (up to one side) are wrapped. Types are named A, B, ..., Z, T27,
/// ... unless the request names them; a mass in both file and request must be the same.
///
/// Refused, with the reason: triclinic boxes, bonds and other molecules, other atom styles, and
/// "Pair Coeffs" sections, because coefficients belong into the deck and must not be given twice.
/// Format: LAMMPS manual, "read_data command". Throws InputError "name:line: section: ...".
StartState read_lammps_data(std::string_view text, const std::string& name,
                            const StartFileRequest& request);

}  // namespace pencilbox
