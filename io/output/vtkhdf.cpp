#include "io/output/vtkhdf.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "io/output/file.hpp"

namespace pencilbox {
namespace {

constexpr std::int64_t first_capacity = 1024;
/// Numbers of a chunk of what is compressed.
constexpr hsize_t chunk_numbers = 65536;
/// Vertices, lines, polygons, strips: each step has an offset into each of them.
constexpr hsize_t kinds_of_cells = 4;

hsize_t unsigned_size(std::int64_t size) { return static_cast<hsize_t>(size); }

hid_t stored_type(const ParticleArray& array) {
  if (!array.is_float) return H5T_STD_I32LE;
  return array.bytes == 8 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
}

hdf5::Shape with_components(hdf5::Shape shape, const ParticleArray& array) {
  if (array.components > 1) shape.push_back(static_cast<hsize_t>(array.components));
  return shape;
}

hdf5::Dataset write_integers(hid_t parent, const std::string& name,
                             const std::vector<std::int64_t>& values) {
  return hdf5::Dataset::create(parent, name, H5T_STD_I64LE, {values.size()}, H5T_NATIVE_INT64,
                               values.data());
}

/// Ascending integers take next to no space behind a shuffle and gzip.
void write_ascending(hid_t parent, const std::string& name, std::int64_t count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), std::int64_t{0});
  const hsize_t size = unsigned_size(count);
  const auto creation = hdf5::PropertyList::create(H5P_DATASET_CREATE);
  hdf5::set_chunks(creation, {std::min(size, chunk_numbers)}, 1);
  const auto dataset =
      hdf5::Dataset::create(parent, name, H5T_STD_I64LE, hdf5::Dataspace::simple({size}), creation);
  dataset.write(H5T_NATIVE_INT64, values.data());
}

/// Every number is `value`, and none takes space: HDF5 stores nothing and reads the fill value.
void write_constant(hid_t parent, const std::string& name, const hdf5::Shape& shape,
                    std::int64_t value) {
  const auto creation = hdf5::PropertyList::create(H5P_DATASET_CREATE);
  hdf5::check(H5Pset_fill_value(creation.id(), H5T_NATIVE_INT64, &value),
              "set the fill value of an HDF5 dataset");
  hdf5::Dataset::create(parent, name, H5T_STD_I64LE, hdf5::Dataspace::simple(shape), creation);
}

}  // namespace

VtkhdfWriter::VtkhdfWriter(const std::filesystem::path& path, std::int64_t particles,
                           std::vector<ParticleArray> arrays, VtkhdfSources sources)
    : path_(path),
      twin_path_(twin_of(path)),
      particles_(particles),
      arrays_(std::move(arrays)),
      sources_(std::move(sources)),
      capacity_(first_capacity),
      shown_(make(twin_path_)) {
  // The one that is there is a whole file until the new one is.
  move_file(twin_path_, path_);
  twin_ = make(twin_path_);
}

VtkhdfWriter::~VtkhdfWriter() { ::unlink(twin_path_.c_str()); }

/// With the frames of times_.
VtkhdfWriter::Half VtkhdfWriter::make(const std::filesystem::path& path) const {
  const hdf5::PropertyList access = hdf5::file_access();
  // Virtual datasets are of 1.10; a newer superblock would be marked as open after a kill.
  hdf5::check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V110),
              "set the version of an HDF5 file");
  Half half;
  half.file = hdf5::File::create(path, access);
  half.root = hdf5::Group::create(half.file.id(), "VTKHDF");
  hdf5::write_attribute(half.root.id(), "Version", std::array<std::int64_t, 2>{2, 0});
  hdf5::write_ascii_attribute(half.root.id(), "Type", "PolyData");
  make_points(half);
  make_vertices(half);
  for (const char* kind : {"Lines", "Polygons", "Strips"}) make_empty_cells(half, kind);
  make_steps(half);
  write_missing(half);
  return half;
}

void VtkhdfWriter::make_points(const Half& half) const {
  write_integers(half.root.id(), "NumberOfPoints", {particles_});
  const hdf5::Group data = hdf5::Group::create(half.root.id(), "PointData");
  for (const ParticleArray& array : arrays_) {
    if (array.name == "position") {
      make_virtual(half.root.id(), "Points", array);
    } else {
      make_virtual(data.id(), array.name, array);
    }
  }
}

void VtkhdfWriter::make_vertices(const Half& half) const {
  const hdf5::Group group = hdf5::Group::create(half.root.id(), "Vertices");
  write_integers(group.id(), "NumberOfCells", {particles_});
  write_integers(group.id(), "NumberOfConnectivityIds", {particles_});
  write_ascending(group.id(), "Connectivity", particles_);
  write_ascending(group.id(), "Offsets", particles_ + 1);
}

void VtkhdfWriter::make_empty_cells(const Half& half, const std::string& name) const {
  const hdf5::Group group = hdf5::Group::create(half.root.id(), name);
  for (const char* numbers :
       {"NumberOfCells", "NumberOfConnectivityIds", "Connectivity", "Offsets"}) {
    write_integers(group.id(), numbers, {0});
  }
}

void VtkhdfWriter::make_steps(Half& half) const {
  const hsize_t capacity = unsigned_size(capacity_);
  half.steps = hdf5::Group::create(half.root.id(), "Steps");
  const hid_t steps = half.steps.id();
  hdf5::write_attribute(steps, "NSteps", std::int64_t{0});
  half.times =
      hdf5::Dataset::create_rows(steps, "Values", H5T_IEEE_F64LE, {}, {}, hdf5::chunk_frames);
  write_constant(steps, "PartOffsets", {capacity}, 0);
  write_constant(steps, "NumberOfParts", {capacity}, 1);
  write_constant(steps, "CellOffsets", {capacity, kinds_of_cells}, 0);
  write_constant(steps, "ConnectivityIdOffsets", {capacity, kinds_of_cells}, 0);
  std::vector<std::int64_t> offsets;
  for (std::int64_t frame = 0; frame < capacity_; ++frame) offsets.push_back(frame * particles_);
  const hdf5::Dataset points = write_integers(steps, "PointOffsets", offsets);

  const hdf5::Group of_data = hdf5::Group::create(steps, "PointDataOffsets");
  for (const ParticleArray& array : arrays_) {
    if (array.name == "position") continue;
    if (array.in_frames) {
      hdf5::hard_link(of_data.id(), array.name, points);
    } else {
      write_constant(of_data.id(), array.name, {capacity}, 0);
    }
  }
}

/// [frames * N] or [frames * N][3] here, [frames][N] or [frames][N][3] in the H5MD files: each file
/// is mapped as a whole. What it does not hold yet reads as zeros.
void VtkhdfWriter::make_virtual(hid_t parent, const std::string& name,
                                const ParticleArray& array) const {
  const std::int64_t frames = array.in_frames ? capacity_ : 1;
  const std::int64_t in_a_file = sources_.frames_per_file > 0 && array.in_frames
                                     ? std::min(sources_.frames_per_file, frames)
                                     : frames;
  const hdf5::Dataspace all =
      hdf5::Dataspace::simple(with_components({unsigned_size(frames * particles_)}, array));
  const auto creation = hdf5::PropertyList::create(H5P_DATASET_CREATE);
  std::size_t file = 0;
  for (std::int64_t first = 0; first < frames; first += in_a_file, ++file) {
    const std::int64_t some = std::min(in_a_file, frames - first);
    hdf5::Shape source_shape{unsigned_size(particles_)};
    if (array.in_frames) source_shape.insert(source_shape.begin(), unsigned_size(some));
    const auto source = hdf5::Dataspace::simple(with_components(source_shape, array));
    const hdf5::Dataspace target =
        hdf5::Dataspace::rows(with_components({unsigned_size(frames * particles_)}, array),
                              unsigned_size(first * particles_), unsigned_size(some * particles_));
    hdf5::check(H5Pset_virtual(creation.id(), target.id(), sources_.file_name(file).c_str(),
                               array.path.c_str(), source.id()),
                fmt::format("map the HDF5 dataset '{}'", name));
  }
  hdf5::Dataset::create(parent, name, stored_type(array), all, creation);
}

void VtkhdfWriter::append(std::span<const FramePlace> frames) {
  for (const FramePlace& frame : frames) times_.push_back(frame.time);
  if (static_cast<std::int64_t>(times_.size()) > capacity_) {
    while (static_cast<std::int64_t>(times_.size()) > capacity_) capacity_ *= 2;
    remake_twin();
    show_twin();
    remake_twin();
    return;
  }
  write_missing(twin_);
  show_twin();
}

void VtkhdfWriter::write_missing(Half& half) const {
  if (const std::size_t missing = times_.size() - half.frames; missing > 0) {
    half.times.set_rows(times_.size(), {});
    half.times.write_part(half.frames, missing, H5T_NATIVE_DOUBLE, times_.data() + half.frames);
    hdf5::rewrite_attribute(half.steps.id(), "NSteps", static_cast<std::int64_t>(times_.size()));
    half.frames = times_.size();
  }
  half.file.flush();
}

/// HDF5 makes no file that it has open.
void VtkhdfWriter::remake_twin() {
  twin_ = Half{};
  remove_file(twin_path_);
  twin_ = make(twin_path_);
}

void VtkhdfWriter::show_twin() {
  if (exchange_files(twin_path_, path_)) {
    std::swap(shown_, twin_);
    return;
  }
  move_file(twin_path_, path_);
  shown_ = std::exchange(twin_, Half{});
  twin_ = make(twin_path_);
}

void VtkhdfWriter::close() {
  for (Half* half : {&shown_, &twin_}) {
    half->times.close();
    half->steps.close();
    half->root.close();
    half->file.close();
  }
  remove_file(twin_path_);
}

}  // namespace pencilbox
