// Extended XYZ files, orthogonal boxes.
#pragma once

#include <string>
#include <string_view>

#include "io/input/start_file.hpp"

namespace pencilbox {

/// Reads the first frame; later ones are not looked at. The comment line must have
/// Lattice="ax 0 0 0 by 0 0 0 cz"; it may have Origin="x y z" (lower corner, default 0 0 0),
/// pbc="T T F", which must agree with the request, and Properties, default species:S:1:pos:R:3,
/// in which velo:R:3 and id:I:1 may follow in any order. Its other words are not ours and are
/// passed over; other *columns* are refused. Ids are 1..N, else the order of the rows.
/// The species are the type names of the request; without one, the types are named as they first
/// appear, mass 1. Throws InputError "name:line: key: ...".
StartState read_extended_xyz(std::string_view text, const std::string& name,
                             const StartFileRequest& request);

}  // namespace pencilbox
