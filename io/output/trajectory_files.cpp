#include "io/output/trajectory_files.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/output/file.hpp"

namespace pencilbox {
namespace fs = std::filesystem;
namespace {

fs::path sidecar(const fs::path& path, const char* extension) {
  return fs::path(path).replace_extension(extension);
}

fs::path file_of(const fs::path& path, std::int64_t split_every, std::size_t number) {
  return split_every > 0 ? split_path(path, number) : path;
}

/// How many of its frames are not later than `step`.
std::size_t frames_until(const TrajectoryFile& file, std::int64_t step) {
  const std::vector<std::int64_t>& steps = file.steps();
  return static_cast<std::size_t>(std::upper_bound(steps.begin(), steps.end(), step) -
                                  steps.begin());
}

}  // namespace

fs::path split_path(const fs::path& trajectory, std::size_t number) {
  return trajectory.parent_path() / fmt::format("{}-{:04}{}", trajectory.stem().string(), number,
                                                trajectory.extension().string());
}

std::vector<fs::path> trajectory_outputs(const fs::path& path) {
  std::vector<fs::path> candidates{path, sidecar(path, ".xmf2"), sidecar(path, ".vtkhdf")};
  std::size_t number = 0;
  do {
    candidates.push_back(split_path(path, number));
  } while (is_there(split_path(path, number++)));
  // A killed run may leave the twin of each, that of the next part too.
  for (std::size_t i = 0, count = candidates.size(); i < count; ++i) {
    candidates.push_back(twin_of(candidates[i]));
  }
  std::erase_if(candidates, [](const fs::path& candidate) { return !is_there(candidate); });
  return candidates;
}

TrajectoryFiles::TrajectoryFiles(const fs::path& path, const StartState& start,
                                 const TrajectoryHeader& header)
    : path_(path), start_(without_motion(start)), header_(header) {}

fs::path TrajectoryFiles::file_path(std::size_t number) const {
  return file_of(path_, header_.split_every, number);
}

TrajectoryFiles TrajectoryFiles::create(const fs::path& path, const StartState& start,
                                        const TrajectoryHeader& header) {
  TrajectoryFiles made(path, start, header);
  made.file_ = TrajectoryFile::create(made.file_path(0), made.start_, header);
  made.create_sidecars({});
  return made;
}

TrajectoryFiles TrajectoryFiles::resume(const fs::path& path, const StartState& start,
                                        const TrajectoryHeader& header, std::int64_t step) {
  TrajectoryFiles found(path, start, header);
  const std::vector<fs::path> files = found.files_there();
  if (files.empty()) {
    throw InputError(
        fmt::format("{}: cannot be continued: no such file", found.file_path(0).string()));
  }
  std::vector<FramePlace> places;
  std::size_t kept = 0;  // frames of the file that will grow
  for (std::size_t number = 0; number < files.size(); ++number) {
    TrajectoryFile file = TrajectoryFile::open(files[number], found.start_, header);
    const std::size_t frames = frames_until(file, step);
    if (number > 0 && frames == 0) break;  // this one and those behind it are later
    found.require_follows(file);
    kept = frames;
    if (kept > 0) found.last_step_ = file.steps()[kept - 1];
    found.note(file.last_steps_of_results());
    const std::vector<FramePlace> all = found.places_of(file);
    places.insert(places.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept));
    found.number_ = number;
    found.file_ = std::move(file);
  }
  // From the last on, so that a kill in between leaves a trajectory without a gap.
  for (std::size_t number = files.size(); number > found.number_ + 1; --number) {
    remove_file(files[number - 1]);
  }
  remove_file(twin_of(found.file_path(files.size())));
  found.file_->keep(kept, step);
  if (found.file_->lacks_places_for_results()) found.make_places_for_results();
  for (auto& [name, last] : found.last_steps_of_results_) last = std::min(last, step);
  found.create_sidecars(places);
  return found;
}

/// In a copy that takes the place of the file when it is whole: links that are added to a group go
/// to the file in pieces that know of each other.
void TrajectoryFiles::make_places_for_results() {
  const fs::path path = file_->path(), twin = twin_of(path);
  file_->close();
  std::error_code error;
  fs::copy_file(path, twin, fs::copy_options::overwrite_existing, error);
  if (error) {
    throw SystemError(
        fmt::format("cannot copy {} to {}: {}", path.string(), twin.string(), error.message()));
  }
  TrajectoryFile copy = TrajectoryFile::open(twin, start_, header_);
  copy.make_places_for_results();
  copy.close();
  move_file(twin, path);
  file_ = TrajectoryFile::open(path, start_, header_);
}

std::vector<fs::path> TrajectoryFiles::files_there() const {
  std::vector<fs::path> files;
  const std::size_t most = header_.split_every > 0 ? std::numeric_limits<std::size_t>::max() : 1;
  while (files.size() < most && is_there(file_path(files.size()))) {
    files.push_back(file_path(files.size()));
  }
  return files;
}

/// Does it go on where the file before ended?
void TrajectoryFiles::require_follows(const TrajectoryFile& file) const {
  if (!file_) return;
  if (file_is_full() && file.steps().front() > last_step_) return;
  throw InputError(fmt::format(
      "{}: cannot be continued: its first frame does not follow the last of the file before",
      file.path().string()));
}

std::vector<FramePlace> TrajectoryFiles::places_of(const TrajectoryFile& file) const {
  std::vector<FramePlace> places;
  for (std::size_t row = 0; row < file.times().size(); ++row) {
    places.push_back(
        {file.path().filename().string(), static_cast<std::int64_t>(row), file.times()[row]});
  }
  return places;
}

void TrajectoryFiles::create_sidecars(const std::vector<FramePlace>& frames) {
  const std::vector<ParticleArray> arrays = particle_arrays(start_, header_);
  const auto file_name = [path = path_, split = header_.split_every](std::size_t number) {
    return file_of(path, split, number).filename().string();
  };
  vtkhdf_ = std::make_unique<VtkhdfWriter>(sidecar(path_, ".vtkhdf"), start_.size(), arrays,
                                           VtkhdfSources{header_.split_every, file_name});
  xdmf_ = std::make_unique<XdmfWriter>(sidecar(path_, ".xmf2"), start_.size(), arrays);
  if (frames.empty()) return;
  vtkhdf_->append(frames);
  xdmf_->append(frames);
}

bool TrajectoryFiles::file_is_full() const {
  return header_.split_every > 0 &&
         static_cast<std::int64_t>(file_->steps().size()) >= header_.split_every;
}

void TrajectoryFiles::open_next_file() {
  file_->close();
  ++number_;
  file_ = TrajectoryFile::create(file_path(number_), start_, header_);
}

void TrajectoryFiles::append(const PackedFrame& frame, const Observation& observation) {
  if (file_is_full()) open_next_file();
  file_->append(frame, observation);
  last_step_ = frame.step;
  const FramePlace place{file_->path().filename().string(),
                         static_cast<std::int64_t>(file_->steps().size()) - 1, frame.time};
  vtkhdf_->append({&place, 1});
  xdmf_->append({&place, 1});
}

void TrajectoryFiles::append_results(std::int64_t step, double time,
                                     const std::vector<ObservableResult>& results) {
  if (step <= results_step_) return;
  file_->append_results(step, time, results, last_steps_of_results_);
  note(file_->last_steps_of_results());
  results_step_ = step;
}

void TrajectoryFiles::note(const TrajectoryFile::LastSteps& steps) {
  for (const auto& [name, step] : steps) {
    std::int64_t& last = last_steps_of_results_.try_emplace(name, step).first->second;
    last = std::max(last, step);
  }
}

void TrajectoryFiles::close() {
  file_->close();
  vtkhdf_->close();
  xdmf_->close();
}

}  // namespace pencilbox
