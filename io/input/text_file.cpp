#include "io/input/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "io/input/complaint.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;

std::int64_t line_at(std::string_view text, std::size_t offset) {
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> marks) {
  return std::any_of(marks.begin(), marks.end(),
                     [&](std::string_view mark) { return text.substr(0, mark.size()) == mark; });
}

}  // namespace

/// RFC 3629, section 4.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char head = byte(0);
  std::size_t length = 1;
  if (head >= 0xC2 && head <= 0xDF) length = 2;
  if (head >= 0xE0 && head <= 0xEF) length = 3;
  if (head >= 0xF0 && head <= 0xF4) length = 4;
  if ((head >= 0x80 && length == 1) || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (length > 1) {
    const unsigned char second = byte(1);
    const bool overlong = (head == 0xE0 && second < 0xA0) || (head == 0xF0 && second < 0x90);
    const bool surrogate = head == 0xED && second > 0x9F;
    const bool too_large = head == 0xF4 && second > 0x8F;
    if (overlong || surrogate || too_large) return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void require_file(const fs::path& path, std::string_view place, std::string_view kind) {
  std::error_code error;
  if (fs::status(path, error).type() == fs::file_type::not_found) {
    complain(place, "file not found", path.string(), kind);
  }
}

std::string read_text_file(const fs::path& path, std::string_view kind, std::uintmax_t largest) {
  const std::string name = path.string();
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    complain(name, "file not found", "", kind);
  }
  if (error) complain(name, "cannot be read", error.message(), kind);
  if (fs::is_directory(status)) complain(name, "cannot be read", "a directory", kind);
  if (!fs::is_regular_file(status)) complain(name, "cannot be read", "not a regular file", kind);
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) complain(name, "cannot be read", error.message(), kind);
  if (size > largest) {
    complain(name, "file too large", fmt::format("{} bytes", size),
             fmt::format("at most {} bytes for {}", largest, kind));
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) complain(name, "cannot be read", std::strerror(errno), kind);
  std::string text(static_cast<std::size_t>(size), '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) complain(name, "cannot be read", std::strerror(errno), kind);
  return text;
}

void require_text(std::string& text, std::string_view name, std::string_view kind) {
  using namespace std::string_view_literals;
  if (starts_with_any(text, {"\xFF\xFE"sv, "\xFE\xFF"sv, "\0\0\xFE\xFF"sv})) {
    complain(fmt::format("{}:1", name), "not UTF-8 text", "a UTF-16 or UTF-32 byte-order mark",
             fmt::format("{} in UTF-8", kind));
  }
  if (starts_with_any(text, {"\xEF\xBB\xBF"sv})) text.erase(0, 3);
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
    complain(fmt::format("{}:{}", name, line_at(text, nul)), "binary file", "a NUL byte", kind);
  }
}

void require_utf8(std::string_view text, std::string_view name, std::string_view kind) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool control =
        (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
    const std::size_t length = control ? 0 : utf8_length(text.substr(at));
    if (length == 0) {
      complain(fmt::format("{}:{}", name, line_at(text, at)), "not UTF-8 text",
               fmt::format("byte 0x{:02x}", byte), fmt::format("{} in UTF-8", kind));
    }
    at += length;
  }
}

}  // namespace pencilbox
