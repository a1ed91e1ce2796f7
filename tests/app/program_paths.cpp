#include "tests/app/program_paths.hpp"

namespace pencilbox::testing {

const std::string& program_path() {
  static const std::string path = PENCILBOX_PROGRAM;
  return path;
}

const std::string& faulty_program_path() {
  static const std::string path = PENCILBOX_FAULTY_PROGRAM;
  return path;
}

}  // namespace pencilbox::testing
