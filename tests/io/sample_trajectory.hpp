// Trajectories of the made-up run in output_support.hpp.
#pragma once

#include <filesystem>

#include "io/output/trajectory.hpp"
#include "tests/io/output_support.hpp"

namespace pencilbox::testing {

/// Frames `first` to `last` - 1.
inline void append_frames(TrajectoryWriter& writer, const StartState& start, int first, int last) {
  for (int i = first; i < last; ++i) {
    writer.append(pack(sample_frame(start, i)), sample_observation(start, i));
  }
}

/// A whole one, of so many frames.
inline void write_trajectory(const std::filesystem::path& path, const StartState& start,
                             const TrajectoryHeader& header, int frames) {
  TrajectoryWriter writer(path, start, header);
  append_frames(writer, start, 0, frames);
  writer.close();
}

/// A number as a trajectory of this precision holds it.
inline double as_stored(double value, Precision precision) {
  return precision == Precision::double_ ? value : static_cast<double>(static_cast<float>(value));
}

}  // namespace pencilbox::testing
