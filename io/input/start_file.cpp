#include "io/input/start_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "io/input/complaint.hpp"
#include "io/input/extended_xyz.hpp"
#include "io/input/lammps_data.hpp"
#include "io/input/line_reader.hpp"
#include "io/input/number.hpp"
#include "io/input/text_file.hpp"

namespace pencilbox {
namespace {

constexpr std::string_view start_kind = "a LAMMPS data file or an extended XYZ file";

bool begins_with(std::string_view text, std::string_view mark) {
  return text.substr(0, mark.size()) == mark;
}

void refuse_other_formats(std::string_view text, const std::string& name) {
  if (begins_with(text, "\x89HDF\r\n\x1a\n")) {
    complain(name, "HDF5 start files are not yet available in this version", "an HDF5 file",
             start_kind);
  }
  if (begins_with(text, "\x1f\x8b") ||
      begins_with(text,
                  "\xFD"
                  "7zXZ") ||
      begins_with(text, "BZh") || begins_with(text, "\x28\xB5\x2F\xFD")) {
    complain(name, "compressed file", "compressed data", "the file uncompressed");
  }
}

/// An XYZ file starts with a line that is a number and nothing else.
bool looks_like_xyz(std::string_view text) {
  LineReader lines(text, "");
  return lines.next() && parse_integer(trimmed(lines.line())).has_value();
}

bool is_xyz(const std::filesystem::path& path, std::string_view text) {
  const std::string extension = path.extension().string();
  if (extension == ".xyz" || extension == ".extxyz") return true;
  constexpr std::array<std::string_view, 3> lammps{".data", ".lmp", ".lammps"};
  if (std::find(lammps.begin(), lammps.end(), extension) != lammps.end()) return false;
  return looks_like_xyz(text);
}

}  // namespace

StartState read_start(const std::filesystem::path& path, const StartFileRequest& request) {
  return parse_start(read_text_file(path, start_kind, std::numeric_limits<std::uintmax_t>::max()),
                     path, request);
}

StartState parse_start(std::string text, const std::filesystem::path& path,
                       const StartFileRequest& request) {
  const std::string name = path.string();
  if (text.empty()) complain(name + ":1", "empty file", "0 bytes", start_kind);
  refuse_other_formats(text, name);
  require_text(text, name, start_kind);
  return is_xyz(path, text) ? read_extended_xyz(text, name, request)
                            : read_lammps_data(text, name, request);
}

}  // namespace pencilbox
