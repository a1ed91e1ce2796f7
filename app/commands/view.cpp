#include "app/commands/view.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "app/commands/child_process.hpp"
#include "app/commands/program.hpp"
#include "core/error.hpp"
#include "io/output/trajectory_info.hpp"

namespace pencilbox {

namespace fs = std::filesystem;

namespace {

constexpr const char* h5md_name = "trajectory.h5md";
constexpr const char* sidecar_name = "trajectory.xmf2";

std::string by_hand(const fs::path& directory) {
  return fmt::format(
      "by hand: open {} (ParaView 5.11 and newer) or {} (5.13 and newer), show it as Point "
      "Gaussian",
      (directory / sidecar_name).string(), (directory / "trajectory.vtkhdf").string());
}

/// A folder for the script and what ParaView says, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "pencilbox-view-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr) {
      throw SystemError("view: cannot make a temporary folder");
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / program;
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

bool has_display() {
  const char* display = std::getenv("DISPLAY");
  return display != nullptr && *display != '\0';
}

void require_programs(const fs::path& directory) {
  const auto require = [&directory](const char* program, const char* package) {
    if (is_installed(program)) return;
    throw SystemError(
        fmt::format("view: no {} in PATH (Debian: {}); {}", program, package, by_hand(directory)));
  };
  require("pvbatch", "paraview python3-paraview");
  if (!has_display()) require("Xvfb", "xvfb");
}

TrajectoryInfo look_at(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    throw InputError(fmt::format("view: '{}' is no directory; allowed: the output of a run",
                                 directory.string()));
  }
  TrajectoryInfo info = inspect_trajectory(directory / h5md_name);
  if (info.frames == 0) {
    throw InputError(
        fmt::format("view: {}: there is no frame yet", (directory / h5md_name).string()));
  }
  if (!fs::is_regular_file(directory / sidecar_name, error)) {
    throw InputError(fmt::format("view: {}: no such file; it belongs to {}",
                                 (directory / sidecar_name).string(), h5md_name));
  }
  return info;
}

bool has_array(const TrajectoryInfo& info, std::string_view name) {
  return std::find(info.arrays.begin(), info.arrays.end(), name) != info.arrays.end();
}

/// What was asked for, or what shows most. The magnitude of the velocity is the speed.
std::string field_of(const ViewArguments& arguments, const TrajectoryInfo& info) {
  if (!arguments.field.empty()) {
    if (has_array(info, arguments.field)) return arguments.field;
    if (arguments.field == "speed" && has_array(info, "velocity")) return "velocity";
    throw InputError(
        fmt::format("view: --field: the trajectory has no such field, got {}, "
                    "allowed {}",
                    arguments.field, fmt::join(info.arrays, ", ")));
  }
  for (const char* field : {"speed", "velocity", "potential_energy"}) {
    if (has_array(info, field)) return field;
  }
  return info.arrays.front();
}

void require_frame(const ViewArguments& arguments, const TrajectoryInfo& info) {
  if (!arguments.frame) return;
  if (*arguments.frame < info.frames && *arguments.frame >= -info.frames) return;
  throw InputError(fmt::format("view: --frame: out of range, got {}, allowed {} to {}",
                               *arguments.frame, -info.frames, info.frames - 1));
}

fs::path output_of(const ViewArguments& arguments) {
  const std::string directory = fs::absolute(arguments.directory / ".").parent_path().filename();
  const fs::path output = arguments.output.empty()
                              ? fs::path(directory + (arguments.film ? ".avi" : ".png"))
                              : arguments.output;
  const std::string extension = output.extension().string();
  const bool fits =
      arguments.film ? extension == ".avi" || extension == ".ogv" : extension == ".png";
  if (!fits) {
    throw InputError(fmt::format("view: --output: no such format, got '{}', allowed {}", extension,
                                 arguments.film ? ".avi, .ogv" : ".png"));
  }
  std::error_code error;
  if (!arguments.overwrite && fs::exists(fs::symlink_status(output, error))) {
    throw InputError(
        fmt::format("view: {} is already there; to replace it, say --overwrite", output.string()));
  }
  if (const fs::path parent = fs::absolute(output).parent_path();
      !fs::is_directory(parent, error)) {
    throw InputError(fmt::format("view: --output: {} is no directory", parent.string()));
  }
  return output;
}

void require_radii(const ViewArguments& arguments, const TrajectoryInfo& info) {
  const std::size_t count = arguments.radii.size();
  if (count == 1 || count == info.types.size()) return;
  throw InputError(fmt::format("view: --radius: got {} numbers, allowed one, or one for each of {}",
                               count, fmt::join(info.types, ", ")));
}

/// That of the frame; of a film that of its first, which a barostat may change on the way.
Box box_shown(const ViewArguments& arguments, const TrajectoryInfo& info) {
  if (arguments.film) return info.box;
  const std::int64_t frame = arguments.frame.value_or(-1);
  return box_in_trajectory(arguments.directory / h5md_name,
                           frame < 0 ? frame + info.frames : frame);
}

std::vector<std::string> script_arguments(const ViewArguments& arguments,
                                          const TrajectoryInfo& info, const std::string& field,
                                          const fs::path& picture) {
  const Box box = box_shown(arguments, info);
  std::vector<std::string> words{(arguments.directory / sidecar_name).string(), picture.string(),
                                 "--field=" + field};
  words.push_back(fmt::format("--box={},{}", fmt::join(box.lower, ","), fmt::join(box.edges, ",")));
  words.push_back(fmt::format("--radius={}", fmt::join(arguments.radii, ",")));
  words.push_back(fmt::format("--types={}", fmt::join(info.types, ",")));
  words.insert(words.end(), {"--size", fmt::format("{}", arguments.size[0]),
                             fmt::format("{}", arguments.size[1])});
  if (arguments.range) words.push_back(fmt::format("--range={}", fmt::join(*arguments.range, ",")));
  words.push_back(arguments.film ? std::string("--film")
                                 : fmt::format("--frame={}", arguments.frame.value_or(-1)));
  return words;
}

}  // namespace

void view_command(const ViewArguments& arguments) {
  const TrajectoryInfo info = look_at(arguments.directory);
  require_frame(arguments, info);
  require_radii(arguments, info);
  const fs::path output = output_of(arguments);
  const std::string field = field_of(arguments, info);
  require_programs(arguments.directory);
  const TemporaryFolder folder;
  // Beside the output only when it is whole.
  const fs::path picture = folder / ("picture" + output.extension().string()).c_str();
  const std::vector<std::string> options = script_arguments(arguments, info, field, picture);

  const fs::path script = folder / "view.py";
  std::ofstream(script) << view_script;
  std::vector<std::string> words{"pvbatch", script.string()};
  words.insert(words.end(), options.begin(), options.end());
  std::optional<VirtualDisplay> display;
  if (!has_display()) display.emplace(folder / "display.log");
  const fs::path log = folder / "log";
  const int status =
      ChildProcess(words, log, display ? "DISPLAY=" + display->name() : std::string()).wait();
  std::error_code error;
  if (status != 0 || !fs::exists(picture, error)) {
    throw SystemError(
        fmt::format("view: pvbatch failed with exit code {}: {}", status, cause_in(log)));
  }
  fs::copy_file(picture, output, fs::copy_options::overwrite_existing, error);
  if (error) {
    throw SystemError(fmt::format("view: cannot write {}: {}", output.string(), error.message()));
  }
  print(fmt::format("{}\n{}\n", output.string(), by_hand(arguments.directory)));
}

}  // namespace pencilbox
