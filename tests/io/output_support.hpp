// What the tests of io/output share: a small file system, a made-up run, and values read back
// by the plain HDF5 C API.
#pragma once

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <hdf5.h>
#include <sys/mount.h>

#include "core/observable_info.hpp"
#include "core/observation.hpp"
#include "core/start_state.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pencilbox::testing {

/// A file system of 1 MiB, where this process may make one.
class TinyDisk {
 public:
  TinyDisk() : mounted_(mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=1m") == 0) {}
  ~TinyDisk() {
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }
  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;

  bool mounted() const { return mounted_; }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
  bool mounted_;
};

/// An fcc lattice of 4 n^3 particles of two species in a box with unequal edges that does not start
/// at zero.
inline StartState sample_start(int n) {
  StartState start;
  start.box.lower = {-3.25, 2.5, 101.0};
  start.box.edges = {1.7 * n, 1.8 * n, 1.9 * n};
  start.types = {{"argon", 1.0}, {"krypton", 2.1}};
  constexpr std::array<Double3, 4> basis{
      {{0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}}};
  for (int cell = 0; cell < n * n * n; ++cell) {
    const std::array<int, 3> at{cell % n, cell / n % n, cell / n / n};
    for (const Double3& site : basis) {
      Double3 position{};
      for (std::size_t d = 0; d < 3; ++d) {
        position[d] = start.box.lower[d] + (at[d] + site[d]) * start.box.edges[d] / n;
      }
      const auto index = static_cast<ParticleId>(start.id.size());
      start.id.push_back(index + 1);
      start.type.push_back(index % 3 == 0 ? 1 : 0);
      start.position.push_back(position);
      start.velocity.push_back(
          {std::sin(1.0 + index), std::sin(2.0 * index), std::cos(3.0 * index)});
      start.image.push_back({index % 3 - 1, 0, index % 2});
    }
  }
  return start;
}

/// Every field of step 10 * `number`: the particles fly straight on, wrapped into the box.
inline Frame sample_frame(const StartState& start, int number) {
  Frame frame;
  frame.step = 10 * number;
  frame.time = 0.1 * number;
  frame.box = start.box;
  frame.velocity = start.velocity;
  frame.image = start.image;
  frame.species = start.type;
  frame.id = start.id;
  for (std::size_t i = 0; i < start.id.size(); ++i) {
    Double3 position{}, force{};
    for (std::size_t d = 0; d < 3; ++d) {
      const double moved =
          start.position[i][d] - start.box.lower[d] + start.velocity[i][d] * frame.time;
      const double edge = start.box.edges[d];
      position[d] = start.box.lower[d] + moved - edge * std::floor(moved / edge);
      force[d] = std::sin(static_cast<double>(i + d) + frame.time) / 3.0;
    }
    frame.position.push_back(position);
    frame.force.push_back(force);
    frame.potential_energy.push_back(-6.0 + std::cos(static_cast<double>(i) + frame.time));
  }
  return frame;
}

inline Observation sample_observation(const StartState& start, int number) {
  Observation sums;
  sums.step = 10 * number;
  sums.time = 0.1 * number;
  sums.particles = start.size();
  sums.kinetic_energy = 1000.0 / 3.0 + number;
  sums.potential_energy = -2000.0 / 7.0 * number;
  sums.temperature = 1.44 - 0.01 * number;
  sums.pressure = std::numeric_limits<double>::quiet_NaN();
  return sums;
}

/// What two observables had found by the step of frame `number`: a table of three rows over all
/// samples, and a series with a sample every 4 steps.
inline std::vector<ObservableResult> sample_results(int number) {
  ObservableResult table;
  table.name = "radial-distribution";
  table.columns = {{"r", {0.5, 1.5, 2.5}}, {"g", {0.0, 1.0 + number, 0.9 - number}}};
  table.numbers = {{"highest_g", 1.0 + number, ""}};
  ObservableResult series;
  series.name = "pressure-tensor";
  series.is_time_series = true;
  series.columns = {{"step", {}}, {"time", {}}, {"pressure", {}}, {"mean_pressure", {}}};
  for (int step = 0; step <= 10 * number; step += 4) {
    const auto row = static_cast<double>(step);
    const std::array<double, 4> values{row, 0.01 * row, std::sin(row), std::cos(row)};
    for (std::size_t k = 0; k < values.size(); ++k) series.columns[k].values.push_back(values[k]);
  }
  series.numbers = {{"pressure", 0.1 * number, ""}, {"pressure_error", 0.01 * number, ""}};
  return {table, series};
}

/// A dataset of an HDF5 file as doubles (exact for every type written here), with its shape.
struct Values {
  std::vector<hsize_t> shape;
  std::vector<double> data;
};

class ReadFile {
  static constexpr hsize_t all_rows = std::numeric_limits<hsize_t>::max();

 public:
  explicit ReadFile(const std::filesystem::path& path)
      : id_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    if (id_ < 0) throw std::runtime_error("HDF5 cannot open " + path.string());
  }
  ~ReadFile() { H5Fclose(id_); }
  ReadFile(const ReadFile&) = delete;
  ReadFile& operator=(const ReadFile&) = delete;

  bool has(const std::string& path) const { return H5Lexists(id_, path.c_str(), H5P_DEFAULT) > 0; }

  Values values(const std::string& path) const { return first_rows(path, all_rows); }

  /// The same of the first `rows` rows. (HDF5 1.10 cannot read a virtual dataset as a whole whose
  /// source is shorter.)
  Values first_rows(const std::string& path, hsize_t rows) const {
    const hid_t dataset = open(path);
    const hid_t space = H5Dget_space(dataset);
    Values values;
    values.shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, values.shape.data(), nullptr);
    if (rows < all_rows) {
      values.shape.at(0) = rows;
      const std::vector<hsize_t> start(values.shape.size(), 0);
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, values.shape.data(),
                          nullptr);
    }
    values.data.resize(static_cast<std::size_t>(H5Sget_select_npoints(space)));
    const hid_t memory =
        H5Screate_simple(static_cast<int>(values.shape.size()), values.shape.data(), nullptr);
    const herr_t status =
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data.data());
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
    if (status < 0) throw std::runtime_error("HDF5 cannot read " + path);
    return values;
  }

  std::vector<hsize_t> chunk(const std::string& path) const {
    const hid_t dataset = open(path);
    const hid_t creation = H5Dget_create_plist(dataset);
    std::vector<hsize_t> shape(3);
    shape.resize(static_cast<std::size_t>(H5Pget_chunk(creation, 3, shape.data())));
    H5Pclose(creation);
    H5Dclose(dataset);
    return shape;
  }

  /// Is the stored type of a dataset this one?
  bool stores(const std::string& path, hid_t type) const {
    const hid_t dataset = open(path);
    const hid_t stored = H5Dget_type(dataset);
    const bool same = H5Tequal(stored, type) > 0;
    H5Tclose(stored);
    H5Dclose(dataset);
    return same;
  }

  /// Where an object's header lies: two names of one object give one address.
  haddr_t address(const std::string& path) const {
    H5O_info_t info;
    if (H5Oget_info_by_name(id_, path.c_str(), &info, H5P_DEFAULT) < 0) {
      throw std::runtime_error("HDF5 has no " + path);
    }
    return info.addr;
  }

  /// A fixed-length string, or the strings of an array one behind the other, padding removed.
  std::vector<std::string> strings(const std::string& owner, const std::string& name) const {
    const hid_t attribute =
        H5Aopen_by_name(id_, owner.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) throw std::runtime_error("HDF5 has no attribute " + owner + " " + name);
    const hid_t type = H5Aget_type(attribute);
    const hid_t space = H5Aget_space(attribute);
    const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
    const std::size_t length = H5Tget_size(type);
    std::string packed(count * length, '\0');
    const herr_t status = H5Aread(attribute, type, packed.data());
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    if (status < 0) throw std::runtime_error("HDF5 cannot read attribute " + owner + " " + name);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
      texts.emplace_back(packed.substr(i * length, length).c_str());
    }
    return texts;
  }

  std::vector<double> numbers(const std::string& owner, const std::string& name) const {
    const hid_t attribute =
        H5Aopen_by_name(id_, owner.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) throw std::runtime_error("HDF5 has no attribute " + owner + " " + name);
    const hid_t space = H5Aget_space(attribute);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    const herr_t status = H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data());
    H5Sclose(space);
    H5Aclose(attribute);
    if (status < 0) throw std::runtime_error("HDF5 cannot read attribute " + owner + " " + name);
    return values;
  }

  std::string text(const std::string& path) const {
    const hid_t dataset = open(path);
    const hid_t type = H5Dget_type(dataset);
    std::string text(H5Tget_size(type), '\0');
    const herr_t status = H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
    H5Tclose(type);
    H5Dclose(dataset);
    if (status < 0) throw std::runtime_error("HDF5 cannot read " + path);
    return text;
  }

 private:
  hid_t open(const std::string& path) const {
    const hid_t dataset = H5Dopen2(id_, path.c_str(), H5P_DEFAULT);
    if (dataset < 0) throw std::runtime_error("HDF5 has no dataset " + path);
    return dataset;
  }

  hid_t id_;
};

}  // namespace pencilbox::testing
