// trajectory.vtkhdf: by which ParaView 5.13, VTK 9.3 and newer open the H5MD files, through virtual
// datasets, so that the data is there once. The layout is VTK's temporal PolyData
// (https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html#vtkhdf-file-format).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/output/hdf5.hpp"
#include "io/output/particle_array.hpp"

namespace pencilbox {

/// The H5MD files behind a sidecar: names seen from its directory.
struct VtkhdfSources {
  std::int64_t frames_per_file = 0;                   ///< 0: all frames in one file
  std::function<std::string(std::size_t)> file_name;  ///< of a file by its number
};

/// Writes the sidecar. At every moment `path` is a whole file (VTK writes beyond its memory where
/// `Steps/Values` holds more times than `Steps/NSteps` says): a frame is added to a hidden twin
/// beside it, then the two change names. A virtual dataset cannot grow, so both are made for more
/// frames than there are, and made anew for twice as many when they are used up. Who calls holds an
/// hdf5::Lock.
class VtkhdfWriter {
 public:
  /// Begins a sidecar without frames; one that is there is replaced. Throws SystemError.
  VtkhdfWriter(const std::filesystem::path& path, std::int64_t particles,
               std::vector<ParticleArray> arrays, VtkhdfSources sources);
  ~VtkhdfWriter();
  VtkhdfWriter(const VtkhdfWriter&) = delete;
  VtkhdfWriter& operator=(const VtkhdfWriter&) = delete;

  /// Adds the next frames. Throws SystemError.
  void append(std::span<const FramePlace> frames);

  /// Removes the twin. Throws SystemError.
  void close();

 private:
  /// One of the two files. Closed in reverse order: the file last.
  struct Half {
    hdf5::File file;
    hdf5::Group root, steps;
    hdf5::Dataset times;
    std::size_t frames = 0;
  };

  Half make(const std::filesystem::path& path) const;
  void make_points(const Half& half) const;
  void make_vertices(const Half& half) const;
  void make_empty_cells(const Half& half, const std::string& name) const;
  void make_steps(Half& half) const;
  void make_virtual(hid_t parent, const std::string& name, const ParticleArray& array) const;
  void write_missing(Half& half) const;
  void show_twin();
  void remake_twin();

  std::filesystem::path path_, twin_path_;
  std::int64_t particles_;
  std::vector<ParticleArray> arrays_;
  VtkhdfSources sources_;
  std::int64_t capacity_;  ///< frames that the files are made for
  std::vector<double> times_;
  Half shown_, twin_;
};

}  // namespace pencilbox
