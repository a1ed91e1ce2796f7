// A dataset of a trajectory with one entry for each particle, as a sidecar must describe it.
#pragma once

#include <cstdint>
#include <string>

namespace pencilbox {

struct ParticleArray {
  std::string name;       ///< what ParaView calls it; "position" becomes the geometry
  std::string path;       ///< inside the HDF5 file
  int components = 1;     ///< 1: [N], 3: [N][3]
  bool is_float = true;   ///< else a signed integer
  int bytes = 4;          ///< of one number
  bool in_frames = true;  ///< has a first dimension of frames; else one [N] for the whole run
};

/// Where a frame lies, and when it was.
struct FramePlace {
  std::string file;      ///< the HDF5 file's name, seen from the sidecar's directory
  std::int64_t row = 0;  ///< of the first dimension
  double time = 0.0;     ///< [tau]
};

}  // namespace pencilbox
