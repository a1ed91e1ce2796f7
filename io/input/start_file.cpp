#include "io/input/start_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "core/memory_limit.hpp"
#include "io/input/complaint.hpp"
#include "io/input/extended_xyz.hpp"
#include "io/input/hdf5_start.hpp"
#include "io/input/lammps_data.hpp"
#include "io/input/line_reader.hpp"
#include "io/input/number.hpp"
#include "io/input/text_file.hpp"
#include "io/output/trajectory_files.hpp"

namespace pencilbox {
namespace {

bool begins_with(std::string_view text, std::string_view mark) {
  return text.substr(0, mark.size()) == mark;
}

void refuse_other_formats(std::string_view text, const std::string& name) {
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

/// A trajectory that is split has no file of its own name, but its parts have frames.
void refuse_split_trajectory(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path first = split_path(path, 0);
  if (std::filesystem::exists(path, error) || !std::filesystem::exists(first, error)) return;
  complain(path.string(), "this trajectory is split over several files", "",
           "one of them, such as " + first.string() + ", whose frames count from 0");
}

}  // namespace

StartState read_start(const std::filesystem::path& path, const StartFileRequest& request) {
  refuse_split_trajectory(path);
  if (is_hdf5_file(path)) return read_hdf5_start(path, request);
  if (request.frame) {
    complain(path.string() + ": frame", "only a trajectory (HDF5) has frames to choose from",
             fmt::format("frame {}", *request.frame), "no frame: of an XYZ file it is the first");
  }
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error) require_memory(static_cast<std::int64_t>(size));
  return parse_start(
      read_text_file(path, start_file_kind, std::numeric_limits<std::uintmax_t>::max()), path,
      request);
}

StartState parse_start(std::string text, const std::filesystem::path& path,
                       const StartFileRequest& request) {
  const std::string name = path.string();
  if (text.empty()) complain(name + ":1", "empty file", "0 bytes", start_file_kind);
  refuse_other_formats(text, name);
  require_text(text, name, start_file_kind);
  return is_xyz(path, text) ? read_extended_xyz(text, name, request)
                            : read_lammps_data(text, name, request);
}

}  // namespace pencilbox
