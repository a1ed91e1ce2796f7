// What the system says of a call that failed.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

#include "core/error.hpp"

namespace pencilbox {

[[noreturn]] inline void throw_system_error(const char* what) {
  throw SystemError(what + (": " + std::generic_category().message(errno)));
}

}  // namespace pencilbox
