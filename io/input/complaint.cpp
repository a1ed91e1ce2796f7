#include "io/input/complaint.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/input/text_file.hpp"

namespace pencilbox {
namespace {

/// Control characters (C0, DEL, C1) would break the line or drive a terminal, and what is not UTF-8
/// whoever reads the line.
std::string printable(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text.front());
    const bool control =
        byte < 0x20 || byte == 0x7F ||
        (byte == 0xC2 && static_cast<unsigned char>(text[length > 1 ? 1 : 0]) < 0xA0);
    clean += length == 0 || control ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return clean;
}

}  // namespace

bool is_printable(std::string_view text) { return printable(text) == text; }

std::string quoted_input(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.empty()) return "nothing";
  if (text.size() <= longest) return printable(text);
  // Never cut within a UTF-8 sequence, which is at most four bytes long.
  std::size_t end = longest;
  while (end > longest - 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return printable(text.substr(0, end)) + "...";
}

void complain(std::string_view place, std::string_view what, std::string_view got,
              std::string_view allowed) {
  std::string line = fmt::format("{}: {}", place, what);
  if (!got.empty()) line += ", got " + quoted_input(got);
  if (!allowed.empty()) line += fmt::format(", allowed {}", allowed);
  throw InputError(printable(line));
}

}  // namespace pencilbox
