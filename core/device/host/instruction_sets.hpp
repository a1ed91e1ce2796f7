// Which of a CPU's instruction sets vector code is compiled for, and which of them runs. To be
// included before the library of vectors (Google Highway).
#pragma once

#include <string>
#include <vector>

// SSSE3 is nearly SSE4, what comes after AVX-512's first set brings nothing that is used here, and
// vectors whose length is known at run time alone fit into no array. Under the address sanitizer
// each set takes a minute to compile: there are the longest vectors and none.
#if defined(__SANITIZE_ADDRESS__)
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#else
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif

namespace pencilbox::host {

/// Those that this build has and this machine can run, the best first; AVX3 is AVX-512.
std::vector<std::string> instruction_sets();

/// What vector code runs with: the best, or what PENCILBOX_ISA in the environment names. Throws
/// InputError if there is none of that name.
std::string instruction_set();

/// From now on this one; "": the best. Code that was chosen before stays what it is.
void choose_instruction_set(const std::string& name);

}  // namespace pencilbox::host
