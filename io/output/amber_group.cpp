#include "io/output/amber_group.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/packed_frame.hpp"

namespace pencilbox {
namespace {

constexpr const char* group_name = "AMBER";
const hdf5::Shape row{3};

/// A dataset of the cell, and what netCDF takes a row for that is not there yet: what a killed run
/// left is then a frame without a box, not one of a box of 1e37.
struct CellSeries {
  const char* name;
  const char* components;  ///< the dimension
  double absent;
};
constexpr std::array<CellSeries, 3> cell_series{{{"cell_lengths", "cell_spatial", 0.0},
                                                 {"cell_angles", "cell_angular", 90.0},
                                                 {"cell_origin", "cell_spatial", 0.0}}};

/// The convention's name of a field, else its own.
std::string amber_name(Field field) {
  switch (field) {
    case Field::position:
      return "coordinates";
    case Field::velocity:
      return "velocities";
    case Field::force:
      return "forces";
    default:
      return std::string(name_of(field));
  }
}

/// A dimension that is no variable: netCDF knows it by this text in place of a name.
void create_dimension(hid_t group, const char* name, hsize_t length) {
  const hdf5::PropertyList creation = hdf5::PropertyList::create(H5P_DATASET_CREATE);
  const hdf5::Dataset scale = hdf5::Dataset::create(group, name, H5T_IEEE_F32BE,
                                                    hdf5::Dataspace::simple({length}), creation);
  hdf5::make_scale(
      scale, fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", length));
}

/// The group while it is made.
class Maker {
 public:
  Maker(hid_t file, const hdf5::Group& particles)
      : particles_(particles), group_(hdf5::Group::create(file, group_name)) {}

  void say_convention(const std::string& version) const {
    hdf5::write_ascii_attribute(group_.id(), "Conventions", "AMBER");
    hdf5::write_ascii_attribute(group_.id(), "ConventionVersion", "1.0");
    hdf5::write_ascii_attribute(group_.id(), "program", "pencilbox");
    hdf5::write_ascii_attribute(group_.id(), "programVersion", version);
  }

  void create_dimensions(hsize_t particles) const {
    const hdf5::Dataset step = hdf5::Dataset::open(particles_.id(), "position/step");
    hdf5::hard_link(group_.id(), "frame", step);
    hdf5::make_scale(step, "frame");
    create_dimension(group_.id(), "atom", particles);
    for (const char* name : {"spatial", "cell_spatial", "cell_angular"}) {
      create_dimension(group_.id(), name, 3);
    }
  }

  /// `path` in /particles/all gets a name here and its dimensions.
  void name(const std::string& path, const std::string& name,
            std::initializer_list<const char*> dimensions) const {
    const hdf5::Dataset dataset = hdf5::Dataset::open(particles_.id(), path);
    hdf5::hard_link(group_.id(), name, dataset);
    give_dimensions(dataset, dimensions);
  }

  void name(Field field) const {
    const std::string path = fmt::format("{}/value", name_of(field));
    if (shape_of(field).components > 1) {
      name(path, amber_name(field), {"frame", "atom", "spatial"});
    } else {
      name(path, amber_name(field), {"frame", "atom"});
    }
  }

  hdf5::Dataset create(const CellSeries& series) const {
    hdf5::Dataset dataset = hdf5::Dataset::create_rows(
        group_.id(), series.name, H5T_IEEE_F64LE, row, row, hdf5::chunk_frames, 0, series.absent);
    give_dimensions(dataset, {"frame", series.components});
    return dataset;
  }

 private:
  void give_dimensions(const hdf5::Dataset& dataset,
                       std::initializer_list<const char*> dimensions) const {
    unsigned index = 0;
    for (const char* dimension : dimensions) {
      hdf5::attach_scale(dataset, hdf5::Dataset::open(group_.id(), dimension), index++);
    }
  }

  const hdf5::Group& particles_;
  hdf5::Group group_;
};

}  // namespace

AmberGroup AmberGroup::create(hid_t file, const hdf5::Group& particles,
                              std::span<const Field> fields, hsize_t count,
                              const std::string& version) {
  const Maker maker(file, particles);
  maker.say_convention(version);
  maker.create_dimensions(count);
  maker.name("position/time", "time", {"frame"});
  for (const Field field : fields) maker.name(field);
  maker.name("species", "atom_types", {"atom"});
  maker.name("mass", "mass", {"atom"});
  return AmberGroup(
      {maker.create(cell_series[0]), maker.create(cell_series[1]), maker.create(cell_series[2])});
}

std::optional<AmberGroup> AmberGroup::open(hid_t file) {
  if (!hdf5::has(file, group_name)) return std::nullopt;
  const hdf5::Group group = hdf5::Group::open(file, group_name);
  const auto series = [&group](std::size_t i) {
    return hdf5::Dataset::open(group.id(), cell_series.at(i).name);
  };
  return AmberGroup({series(0), series(1), series(2)});
}

hsize_t AmberGroup::frames() const {
  hsize_t frames = cell_[0].shape().at(0);
  for (const hdf5::Dataset& dataset : cell_) frames = std::min(frames, dataset.shape().at(0));
  return frames;
}

void AmberGroup::append(hsize_t index, const Box& box) {
  Double3 lengths = box.edges;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!box.periodic[d]) lengths[d] = 0.0;
  }
  const Double3 angles{90.0, 90.0, 90.0};
  const std::array<const Double3*, 3> rows{&lengths, &angles, &box.lower};
  for (std::size_t i = 0; i < cell_.size(); ++i) {
    cell_[i].write_row(index, row, H5T_NATIVE_DOUBLE, rows[i]->data());
  }
}

void AmberGroup::set_frames(hsize_t count) {
  for (hdf5::Dataset& dataset : cell_) dataset.set_rows(count, row);
}

void AmberGroup::close() {
  for (hdf5::Dataset& dataset : cell_) dataset.close();
}

}  // namespace pencilbox
