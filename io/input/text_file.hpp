// A text file of the user's, whole, in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace pencilbox {

/// Throws InputError at `place`, where the file is asked for, if there is none.
void require_file(const std::filesystem::path& path, std::string_view place, std::string_view kind);

/// Reads the file. Throws InputError that says whether it is missing, a directory, not a regular
/// file, unreadable or larger than `largest` bytes. `kind` names what was expected ("a YAML deck").
std::string read_text_file(const std::filesystem::path& path, std::string_view kind,
                           std::uintmax_t largest);

/// Takes a UTF-8 byte-order mark off; throws InputError for UTF-16, UTF-32 and for NUL bytes.
void require_text(std::string& text, std::string_view name, std::string_view kind);

/// Bytes of the UTF-8 sequence at the front of a text that is not empty, 0 if there is none.
std::size_t utf8_length(std::string_view text);
bool is_utf8(std::string_view text);

/// Throws InputError at the first byte sequence that is not UTF-8, or control character other than
/// tab and line ends.
void require_utf8(std::string_view text, std::string_view name, std::string_view kind);

}  // namespace pencilbox
