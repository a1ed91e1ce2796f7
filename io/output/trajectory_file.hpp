// One H5MD file of a trajectory: making it, finding it again, and adding frames so that a kill
// between any two system calls leaves the frames before it readable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/packed_frame.hpp"
#include "core/start_state.hpp"
#include "io/output/amber_group.hpp"
#include "io/output/hdf5.hpp"
#include "io/output/particle_array.hpp"
#include "io/output/trajectory_header.hpp"
#include "io/output/trajectory_results.hpp"

namespace pencilbox {

/// Who calls holds an hdf5::Lock.
class TrajectoryFile {
 public:
  /// Makes the file; one that is there is replaced when the new one is whole. `start` gives the
  /// box, the ids, the species and their masses. Throws SystemError.
  static TrajectoryFile create(const std::filesystem::path& path, const StartState& start,
                               const TrajectoryHeader& header);

  /// Opens a file that a run with this start and this header made. Throws InputError, one line with
  /// the file's name, if HDF5 cannot read it or if it is of another run: then with both values.
  static TrajectoryFile open(const std::filesystem::path& path, const StartState& start,
                             const TrajectoryHeader& header);

  TrajectoryFile(TrajectoryFile&&) = default;
  TrajectoryFile& operator=(TrajectoryFile&&) = default;

  /// Steps and times of the complete frames: those that every dataset has.
  const std::vector<std::int64_t>& steps() const { return steps_; }
  const std::vector<double>& times() const { return times_; }

  /// Forgets all frames but the first `count`, and what a kill left of a frame behind them; and all
  /// results of observables that are later than `step`.
  void keep(std::size_t count, std::int64_t step);

  /// Whether the header has observables that the file has no place for, as those have that are new
  /// in the deck of a resumed run.
  bool lacks_places_for_results() const { return !unknown_yet_.empty(); }
  /// Makes them. A kill meanwhile may leave a file that HDF5 cannot read.
  void make_places_for_results();

  /// Adds a frame and the sums of its step. Throws SystemError; the frames before stay readable and
  /// nothing more can be appended.
  void append(const PackedFrame& frame, const Observation& observation);

  /// Steps by the name of an observable; what is not there is none.
  using LastSteps = std::map<std::string, std::int64_t>;

  /// Adds what observables have found up to `step`, one for each of the header's; of time series
  /// the samples later than `after`. Throws as append().
  void append_results(std::int64_t step, double time, const std::vector<ObservableResult>& results,
                      const LastSteps& after);
  /// Of the last rows of their tables.
  LastSteps last_steps_of_results() const;

  void close();

  const std::filesystem::path& path() const { return path_; }

 private:
  /// A dataset that gains a row of shape `row` with each frame.
  struct Series {
    hdf5::Dataset dataset;
    hdf5::Shape row;
  };
  struct FieldSeries {
    Field field;
    Series series;
  };

  TrajectoryFile(const std::filesystem::path& path, hdf5::File file, const StartState& start,
                 const TrajectoryHeader& header);

  void write_head(const TrajectoryHeader& header);
  void create_field(Field field, const TrajectoryHeader& header);
  void create_fixed(const StartState& start);
  void create_box(const Box& box);
  void create_observables();
  void create_results(const ObservableResult& result);
  void open_results(const std::vector<ObservableResult>& results);
  void link_step_and_time(hid_t element) const;

  void open_series();
  void require_same_run(const StartState& start, const TrajectoryHeader& header) const;
  void require_same_particles(const StartState& start) const;
  void read_steps_and_times();
  std::size_t complete_frames() const;

  void append_all(const PackedFrame& frame, const Observation& observation);
  const void* rows_of(const PackedFrame& frame, Field field) const;
  template <class Action>
  void for_each_value(const Action& action);
  void set_frames(std::size_t count, std::int64_t step);
  template <class Action>
  void or_give_up(const Action& action);
  void take_back_frame() noexcept;
  void give_back_reserve() const;

  std::filesystem::path path_;
  std::size_t particles_;
  int float_bytes_;
  std::vector<ParticleId> ids_;
  std::vector<Field> written_;
  std::vector<std::int64_t> steps_;
  std::vector<double> times_;
  bool usable_ = true;

  // Closed in reverse order: the file last.
  hdf5::File file_;
  hdf5::Group particle_group_;
  std::optional<Series> step_, time_, edges_;
  std::vector<FieldSeries> fields_;
  std::vector<Series> observables_;
  std::vector<ObservableGroup> results_;       ///< in the order of the header
  std::vector<ObservableResult> unknown_yet_;  ///< that the file has no place for
  std::optional<AmberGroup> amber_;            ///< files of earlier versions have none
};

/// The datasets with an entry for each particle, for the sidecars.
std::vector<ParticleArray> particle_arrays(const StartState& start, const TrajectoryHeader& header);

/// The box of the frame in row `row`; `particles` is the group particles/all of a file.
Box box_of_frame(const hdf5::Group& particles, hsize_t row);

/// What a frame must carry so that it can be written: the fields that change from frame to frame.
FieldSet fields_in_frames(const StartState& start, const TrajectoryHeader& header);

}  // namespace pencilbox
