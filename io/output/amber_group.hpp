// The group /AMBER of a trajectory: its H5MD datasets once more, by the names and dimensions of the
// AMBER convention for netCDF (https://ambermd.org/netcdf/nctraj.xhtml), by which OVITO opens the
// file. A netCDF file is an HDF5 file; what has a value for each particle is linked, not copied.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "core/box.hpp"
#include "core/observation.hpp"
#include "io/output/hdf5.hpp"

namespace pencilbox {

/// Of its own it has the box, which H5MD keeps as a matrix. T frames.
///
///   /AMBER/cell_lengths [T][3] [sigma]; 0 in an open direction, as netCDF's readers expect
///   /AMBER/cell_angles  [T][3] 90 degrees
///   /AMBER/cell_origin  [T][3] [sigma]
///
/// Its dimension `frame` is the dataset `position/step`. Who calls holds an hdf5::Lock.
class AmberGroup {
 public:
  /// Makes the group in `file`. `particles` is /particles/all, which has `fields`, each with a row
  /// for each frame, `species` and `mass`; `count` of them.
  static AmberGroup create(hid_t file, const hdf5::Group& particles, std::span<const Field> fields,
                           hsize_t count, const std::string& version);

  /// That of a file which is there; nothing if an earlier version of the program made the file.
  static std::optional<AmberGroup> open(hid_t file);

  /// How many frames all of its own datasets have.
  hsize_t frames() const;

  /// Adds the box of frame `index`.
  void append(hsize_t index, const Box& box);
  void set_frames(hsize_t count);
  void close();

 private:
  explicit AmberGroup(std::array<hdf5::Dataset, 3> cell) : cell_(std::move(cell)) {}

  std::array<hdf5::Dataset, 3> cell_;  ///< lengths, angles, origin
};

}  // namespace pencilbox
