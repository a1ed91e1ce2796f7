// What the observables of a run have found, in its H5MD file. A kill between any two system calls
// leaves whole what was there before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/observable_info.hpp"
#include "io/output/hdf5.hpp"

namespace pencilbox {

/// An element of H5MD that changes with time: `value`, and a `step` and a `time` for each row.
class TimedRows {
 public:
  /// Rows of shape `row`, none yet; `names` are those of its columns.
  static TimedRows create(hid_t parent, const std::string& name, const hdf5::Shape& row,
                          const std::vector<std::string>& names);
  /// One that is there. Throws InputError if its rows are of another shape.
  static TimedRows open(hid_t parent, const std::string& path, const hdf5::Shape& row);

  /// Of the rows that are whole.
  const std::vector<std::int64_t>& steps() const { return steps_; }

  /// Adds rows, in two parts with a flush between: what counts them must not reach the disk before
  /// what it counts.
  void write_values(const std::vector<double>& values);
  void write_steps(const std::vector<std::int64_t>& steps, const std::vector<double>& times);

  /// Forgets all rows later than `step`, in the other order.
  void forget_steps(std::int64_t step);
  void forget_values();

  void close();

 private:
  TimedRows(const hdf5::Group& group, hdf5::Dataset value, const hdf5::Shape& row);

  hdf5::Dataset value_, step_, time_;
  hdf5::Shape row_;
  std::vector<std::int64_t> steps_;
};

/// The group of one observable below /observables:
///
///   NAME/value           [T] how many results there were when a frame was written; `step` and
///                        `time` are those of the frames
///   NAME/table/value     [S][rows][columns] its table as it was at each checkpoint and at the end;
///                        of a time series [M][columns], without step and time
///   NAME/table/{step,time,columns}   `columns`: their names
///   NAME/numbers/{value,step,time,columns}   [S][numbers] if it has any
///
/// `value` stands where it does because there are readers that look for one in whatever lies below
/// /observables, with an entry for each frame. Who calls holds an hdf5::Lock.
class ObservableGroup {
 public:
  /// `result` says which columns and numbers there will be, and how many rows.
  static ObservableGroup create(hid_t observables, const ObservableResult& result);
  static ObservableGroup open(hid_t observables, const ObservableResult& result);

  hid_t id() const { return group_.id(); }
  const std::string& name() const { return name_; }

  // The entry of a frame.
  hsize_t frames() const { return count_.shape().at(0); }
  void append_frame(hsize_t index);
  void set_frames(hsize_t count) { count_.set_rows(count, {}); }

  /// The step of the last row of the table; -1: there is none.
  std::int64_t last_step() const;

  // A result of `step`; of a time series the samples later than `after`.
  void write_values(const ObservableResult& result, std::int64_t after);
  void write_steps(const ObservableResult& result, std::int64_t after, std::int64_t step,
                   double time);

  void forget_steps(std::int64_t step);
  void forget_values();

  void close();

 private:
  ObservableGroup(hdf5::Group group, const ObservableResult& result);

  hdf5::Group group_;
  std::string name_;
  hdf5::Dataset count_;
  std::optional<TimedRows> table_, numbers_;
};

/// An upper bound of what a result adds to a file.
std::int64_t bytes_of_result(const ObservableResult& result);

}  // namespace pencilbox
