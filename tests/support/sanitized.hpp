// Whether this program runs with an address sanitizer. Asked of the program and not of the
// compiler: tests of a sanitized library may be compiled without.
#pragma once

#include <dlfcn.h>

namespace pencilbox::testing {

inline bool is_sanitized() { return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr; }

}  // namespace pencilbox::testing
