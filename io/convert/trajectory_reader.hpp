// The frames of a trajectory, one after the other, in one file or split, whether its run has ended
// or not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/start_state.hpp"

namespace pencilbox {

/// A frame as the file holds it; a periodic coordinate that rounding has put on the upper face is
/// at the lower one, with its image.
struct StoredFrame {
  std::int64_t step = 0;
  double time = 0.0;           ///< [tau]
  bool has_velocities = true;  ///< else all are zero
  bool has_images = true;
  StartState state;
};

class TrajectoryReader {
 public:
  /// Opens the trajectory `path`. Throws InputError, one line, if there is none or it cannot be
  /// read.
  explicit TrajectoryReader(const std::filesystem::path& path);

  /// Complete ones, in all files.
  std::int64_t frames() const { return static_cast<std::int64_t>(places_.size()); }

  /// Frame `number`, from 0. Throws InputError.
  StoredFrame read(std::int64_t number) const;

 private:
  struct Place {
    std::filesystem::path file;
    std::uint64_t row;
    std::int64_t step;
    double time;
  };

  void find_frames(const std::filesystem::path& file);

  std::vector<Place> places_;
};

}  // namespace pencilbox
