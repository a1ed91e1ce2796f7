// Where the programs are that the tests start. Known to one source alone: the others are the same
// in every build.
#pragma once

#include <string>

namespace pencilbox::testing {

/// pencilbox itself.
const std::string& program_path();
/// One with a fault in it, for what has to find it.
const std::string& faulty_program_path();

}  // namespace pencilbox::testing
