// A frame of an H5MD trajectory as a start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/input/hdf5_start.hpp"
#include "io/output/hdf5.hpp"

namespace pencilbox {

/// What is looked for where an HDF5 file is neither.
inline constexpr std::string_view hdf5_start_kinds =
    "a checkpoint or an H5MD trajectory of pencilbox";

/// An open trajectory whose every complaint names it. Who uses it holds an hdf5::Lock.
class TrajectoryStart {
 public:
  /// Looks at all that is no particle's. Throws InputError.
  explicit TrajectoryStart(const std::filesystem::path& path);

  Hdf5StartInfo info() const { return {true, frames_, box_.periodic}; }

  /// The particles of `request.frame` as the file has them: its types, not yet wrapped or held
  /// against anything. Throws InputError.
  StartState read(const StartFileRequest& request) const;

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& allowed) const;
  template <class Action>
  void in_words(const Action& action) const;
  bool has(const std::string& field) const { return hdf5::has(group_->id(), field); }
  hdf5::Dataset values_of(const std::string& field) const;

  void open();
  void count(const hdf5::Dataset& dataset, const hdf5::Shape& row);
  void read_box();
  std::int64_t frame_number(std::int64_t wanted) const;
  Box box_of(hsize_t frame) const;
  StartState read_frame(hsize_t frame, bool without_velocities) const;
  std::vector<ParticleId> ids(hsize_t frame) const;
  void read_types(StartState& start) const;
  void take_exact_masses(const hdf5::Dataset& species, std::vector<ParticleType>& types) const;
  void require_sound(const ParticleType& type) const;

  std::string name_;
  std::optional<hdf5::File> file_;
  std::optional<hdf5::Group> group_;
  hsize_t particles_ = 0;
  std::int64_t frames_ = 0;
  Box box_;  // without its sides, which each frame has
};

}  // namespace pencilbox
