// What the fuzz targets share: what a reader may do with whatever it is given. It may take it, or
// refuse it with an InputError of one printable line. Everything else ends the process: another
// exception, a crash, and what the sanitizers find.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.hpp"

/// libFuzzer's entry; replay.cpp calls it too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace pencilbox::fuzz {

[[noreturn]] inline void report(std::string_view what, std::string_view got) {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(got.size()), got.data());
  std::abort();
}

inline void require(bool holds, std::string_view what) {
  if (!holds) report("the reader let through", what);
}

template <class Action>
void expect_taken_or_refused(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    const std::string_view line = error.what();
    const bool printable = std::none_of(line.begin(), line.end(),
                                        [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    if (line.empty() || !printable) report("not one printable line", line);
  }
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace pencilbox::fuzz
