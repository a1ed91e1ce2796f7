#include "app/commands/convert.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/program.hpp"
#include "core/error.hpp"
#include "io/convert/elements.hpp"
#include "io/convert/texts.hpp"
#include "io/convert/trajectory_reader.hpp"
#include "io/input/complaint.hpp"
#include "io/input/number.hpp"
#include "io/output/file.hpp"
#include "io/output/trajectory_info.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;

struct Format {
  std::string_view name;
  std::string_view extension;
  std::string (*text)(const StoredFrame&);
  bool holds_many_frames;
  bool names_types;
};
constexpr std::array<Format, 3> formats{{{"extxyz", ".extxyz", extended_xyz, true, true},
                                         {"xyz", ".xyz", plain_xyz, true, true},
                                         {"lammps", ".data", lammps_data, false, false}}};

const Format& format_called(const std::string& name) {
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const Format& format) { return format.name == name; });
  if (found != formats.end()) return *found;
  complain("convert: --to", "no such format", name, "extxyz, xyz, lammps");
}

/// Which frames, as Python's slices count them.
struct Selection {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;
};

class FrameWords {
 public:
  FrameWords(const std::string& text, std::int64_t frames) : text_(text), frames_(frames) {}

  Selection selection() const {
    const std::size_t colon = text_.find(':');
    if (colon == std::string::npos) return one_frame();
    const std::size_t second = text_.find(':', colon + 1);
    Selection range{number(text_.substr(0, colon)).value_or(0),
                    number(text_.substr(colon + 1, second - colon - 1)).value_or(frames_), 1};
    if (second != std::string::npos) range.step = number(text_.substr(second + 1)).value_or(1);
    if (range.step < 1) refuse("the step is not 1 or more");
    range.step = std::min(range.step, frames_);
    range.first = from_the_front(range.first);
    range.end = std::min(frames_, from_the_front(range.end));
    if (range.first < 0 || range.first >= range.end) refuse("no frame is chosen");
    return range;
  }

 private:
  Selection one_frame() const {
    const std::optional<std::int64_t> given = number(text_);
    const std::int64_t frame = given ? from_the_front(*given) : -1;
    if (frame < 0 || frame >= frames_) refuse("no such frame");
    return {frame, frame + 1, 1};
  }

  std::optional<std::int64_t> number(const std::string& word) const {
    if (word.empty()) return {};
    const std::optional<std::int64_t> value = parse_integer(word);
    if (!value) refuse("not a number");
    return value;
  }

  std::int64_t from_the_front(std::int64_t frame) const {
    return frame < 0 ? frame + frames_ : frame;
  }

  [[noreturn]] void refuse(std::string_view what) const {
    complain("convert: --frames", what, text_,
             fmt::format("N, FIRST:END or FIRST:END:STEP, frames {} to {}", -frames_, frames_ - 1));
  }

  const std::string& text_;
  std::int64_t frames_;
};

Selection selection_of(const ConvertArguments& arguments, const Format& format,
                       std::int64_t frames) {
  if (arguments.frames.empty()) {
    return {format.holds_many_frames ? 0 : frames - 1, frames, 1};
  }
  const Selection chosen = FrameWords(arguments.frames, frames).selection();
  if (!format.holds_many_frames && chosen.first + chosen.step < chosen.end) {
    complain("convert: --frames", "a LAMMPS data file holds one frame", arguments.frames,
             "one number");
  }
  return chosen;
}

fs::path trajectory_of(const fs::path& run) {
  std::error_code error;
  return fs::is_directory(run, error) ? run / "trajectory.h5md" : run;
}

fs::path output_of(const ConvertArguments& arguments, const Format& format) {
  std::error_code error;
  fs::path output = arguments.output;
  if (output.empty()) {
    const bool is_folder = fs::is_directory(arguments.run, error);
    output = is_folder ? fs::absolute(arguments.run / ".").parent_path().filename()
                       : arguments.run.stem();
    output += format.extension;
  }
  if (is_other_than_a_file(output)) {
    throw InputError(fmt::format("convert: --output: {} is no file", output.string()));
  }
  if (!arguments.overwrite && is_there(output)) {
    throw InputError(fmt::format("convert: {} is already there; to replace it, say --overwrite",
                                 output.string()));
  }
  if (const auto words = what_is_in_the_way(output, twin_of(output))) {
    throw InputError("convert: " + *words);
  }
  for (const fs::path& read : trajectory_data_files(trajectory_of(arguments.run))) {
    if (fs::equivalent(output, read, error)) {
      throw InputError(fmt::format("convert: {} is what is read", output.string()));
    }
  }
  if (const fs::path parent = fs::absolute(output).parent_path();
      !fs::is_directory(parent, error)) {
    throw InputError(fmt::format("convert: --output: {} is no directory", parent.string()));
  }
  return output;
}

std::vector<std::string> names_of(const std::vector<ParticleType>& types) {
  std::vector<std::string> names;
  for (const ParticleType& type : types) names.push_back(type.name);
  return names;
}

void require_elements(const std::vector<std::string>& elements,
                      const std::vector<ParticleType>& types) {
  if (elements.empty()) return;
  const auto refuse = [&](std::string_view what) {
    complain("convert: --elements", what, fmt::format("{}", fmt::join(elements, ",")),
             fmt::format("symbols such as Ar, one for each of the types {}",
                         fmt::join(names_of(types), ",")));
  };
  for (const std::string& element : elements) {
    if (!is_element(element)) refuse(fmt::format("{} is no chemical element", element));
  }
  if (elements.size() != types.size()) refuse("not one for each type");
  // Two types of one name would be one type to whoever reads the file.
  if (std::set(elements.begin(), elements.end()).size() != elements.size()) refuse("given twice");
}

/// The file under another name until it is whole.
class NewFile {
 public:
  explicit NewFile(const fs::path& path)
      : path_(path), making_(twin_of(path)), file_(OutputFile::create_beside(path, making_)) {}
  ~NewFile() {
    std::error_code error;
    if (!done_) fs::remove(making_, error);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void append(const std::string& text) {
    file_.write_at(size_, text);
    size_ += static_cast<std::int64_t>(text.size());
  }

  void finish() {
    file_.sync();
    file_.close();
    move_file(making_, path_);
    done_ = true;
  }

 private:
  fs::path path_, making_;
  OutputFile file_;
  std::int64_t size_ = 0;
  bool done_ = false;
};

/// What is worth knowing of the names in the file.
std::string note_on_names(const Format& format, const std::vector<ParticleType>& types) {
  const auto stranger = std::find_if(
      types.begin(), types.end(), [](const ParticleType& type) { return !is_element(type.name); });
  if (!format.names_types || stranger == types.end()) return "";
  return fmt::format("'{}' is no chemical element: for ASE add --elements Ar{}\n", stranger->name,
                     types.size() > 1 ? ",..." : "");
}

}  // namespace

namespace {

/// What was written, for the user.
struct Summary {
  std::int64_t frames = 0;
  std::int64_t particles = 0;
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  std::string note;

  std::string text() const {
    const std::string steps = frames == 1 ? fmt::format("step {}", first_step)
                                          : fmt::format("steps {} to {}", first_step, last_step);
    return fmt::format("{} {} of {} particles, {}", frames, frames == 1 ? "frame" : "frames",
                       particles, steps);
  }

  void count(const StoredFrame& frame) {
    if (frames++ == 0) first_step = frame.step;
    last_step = frame.step;
    particles = frame.state.size();
  }
};

Summary write_frames(const TrajectoryReader& trajectory, const Selection& chosen,
                     const Format& format, const std::vector<std::string>& elements,
                     const fs::path& output) {
  Summary summary;
  std::optional<NewFile> file;
  for (std::int64_t number = chosen.first; number < chosen.end; number += chosen.step) {
    StoredFrame frame = trajectory.read(number);
    std::vector<ParticleType>& types = frame.state.types;
    require_elements(elements, types);
    for (std::size_t i = 0; i < elements.size(); ++i) types[i].name = elements[i];
    summary.note = note_on_names(format, types);
    summary.count(frame);
    if (!file) file.emplace(output);
    file->append(format.text(frame));
  }
  file->finish();
  return summary;
}

}  // namespace

void convert_command(const ConvertArguments& arguments) {
  const Format& format = format_called(arguments.format);
  const fs::path path = trajectory_of(arguments.run);
  const TrajectoryReader trajectory(path);
  if (trajectory.frames() == 0) {
    throw InputError(fmt::format("convert: {}: there is no frame yet", path.string()));
  }
  const Selection chosen = selection_of(arguments, format, trajectory.frames());
  const fs::path output = output_of(arguments, format);
  const Summary summary = write_frames(trajectory, chosen, format, arguments.elements, output);
  print(fmt::format("{}: {}\n{}", output.string(), summary.text(), summary.note));
}

}  // namespace pencilbox
