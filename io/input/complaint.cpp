#include "io/input/complaint.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace pencilbox {
namespace {

/// Control characters would break the line or drive a terminal.
std::string printable(std::string_view text) {
  std::string clean(text);
  for (char& c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = '?';
  }
  return clean;
}

}  // namespace

std::string quoted_input(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.empty()) return "nothing";
  std::string clean = printable(text.substr(0, longest));
  // Never cut within a UTF-8 sequence: drop the continuation bytes of what was cut, and its head.
  if (text.size() > longest) {
    if ((static_cast<unsigned char>(text[longest]) & 0xC0) == 0x80) {
      while ((static_cast<unsigned char>(clean.back()) & 0xC0) == 0x80 && clean.size() > 1) {
        clean.pop_back();
      }
      clean.pop_back();
    }
    clean += "...";
  }
  return clean;
}

void complain(std::string_view place, std::string_view what, std::string_view got,
              std::string_view allowed) {
  std::string line = fmt::format("{}: {}", place, what);
  if (!got.empty()) line += ", got " + quoted_input(got);
  if (!allowed.empty()) line += fmt::format(", allowed {}", allowed);
  throw InputError(printable(line));
}

}  // namespace pencilbox
