// A trajectory as a whole: its H5MD file, or files where it is split, and the sidecars over them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "io/output/trajectory_file.hpp"
#include "io/output/vtkhdf.hpp"
#include "io/output/xdmf.hpp"

namespace pencilbox {

/// Who calls holds an hdf5::Lock.
class TrajectoryFiles {
 public:
  /// Begins a trajectory. Throws SystemError.
  static TrajectoryFiles create(const std::filesystem::path& path, const StartState& start,
                                const TrajectoryHeader& header);

  /// Opens that of an earlier run and drops its frames later than `step`. Nothing is changed before
  /// all files that stay have been looked at. Throws InputError as TrajectoryFile::open.
  static TrajectoryFiles resume(const std::filesystem::path& path, const StartState& start,
                                const TrajectoryHeader& header, std::int64_t step);

  /// Throws SystemError; the frames before stay readable.
  void append(const PackedFrame& frame, const Observation& observation);

  /// What observables have found up to `step`: into the file that grows. What is there already is
  /// not written once more.
  void append_results(std::int64_t step, double time, const std::vector<ObservableResult>& results);

  /// -1: there is no frame yet.
  std::int64_t last_step() const { return last_step_; }

  void close();

 private:
  TrajectoryFiles(const std::filesystem::path& path, const StartState& start,
                  const TrajectoryHeader& header);

  std::filesystem::path file_path(std::size_t number) const;
  std::vector<std::filesystem::path> files_there() const;
  void require_follows(const TrajectoryFile& file) const;
  bool file_is_full() const;
  void open_next_file();
  void make_places_for_results();
  void note(const TrajectoryFile::LastSteps& steps);
  std::vector<FramePlace> places_of(const TrajectoryFile& file) const;
  void create_sidecars(const std::vector<FramePlace>& frames);

  std::filesystem::path path_;
  StartState start_;  ///< without motion
  TrajectoryHeader header_;
  std::size_t number_ = 0;  ///< of the file that grows
  std::int64_t last_step_ = -1;
  std::int64_t results_step_ = -1;  ///< of the last results that were appended
  TrajectoryFile::LastSteps last_steps_of_results_;
  std::optional<TrajectoryFile> file_;
  std::unique_ptr<VtkhdfWriter> vtkhdf_;
  std::unique_ptr<XdmfWriter> xdmf_;
};

/// The name of file `number` of a trajectory that is split: trajectory-0007.h5md.
std::filesystem::path split_path(const std::filesystem::path& trajectory, std::size_t number);

/// All files of the trajectory `path` that are there: it or its parts, sidecars, and what a killed
/// run leaves beside them.
std::vector<std::filesystem::path> trajectory_outputs(const std::filesystem::path& path);

}  // namespace pencilbox
