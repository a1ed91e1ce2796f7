#include "io/output/trajectory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/output/hdf5.hpp"
#include "io/output/xdmf.hpp"

namespace pencilbox {
namespace {

/// A chunk holds a part of one frame, small enough for HDF5's chunk cache of 1 MiB in f32.
constexpr hsize_t chunk_particles = 65536;
/// Rows to a chunk of what has a few numbers a frame.
constexpr hsize_t chunk_frames = 256;
/// More than what HDF5 adds to a file for a frame besides the particles: index nodes, new chunks of
/// what has a few numbers a frame.
constexpr std::int64_t metadata_bytes = 256 * 1024;

/// A dataset that gains a row of shape `row` with each frame.
struct Series {
  hdf5::Dataset dataset;
  hdf5::Shape row;
  hid_t memory;

  void append(hsize_t frame, const void* data) { dataset.write_row(frame, row, memory, data); }
};

struct NumberType {
  hid_t stored;
  hid_t memory;
  bool is_float;
  int bytes;
};

NumberType particle_float(Precision precision) {
  if (precision == Precision::double_) return {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, true, 8};
  return {H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, true, 4};
}

NumberType particle_integer() { return {H5T_STD_I32LE, H5T_NATIVE_INT32, false, 4}; }

std::string login_name() {
  const passwd* entry = getpwuid(getuid());
  return entry != nullptr && entry->pw_name != nullptr ? entry->pw_name : "unknown";
}

bool counts_from_one(const std::vector<ParticleId>& ids) {
  ParticleId expected = 1;
  return std::all_of(ids.begin(), ids.end(), [&](ParticleId id) { return id == expected++; });
}

std::vector<double> masses_of(const StartState& start) {
  std::vector<double> masses;
  masses.reserve(start.type.size());
  for (const std::int32_t type : start.type) {
    masses.push_back(start.types.at(static_cast<std::size_t>(type)).mass);
  }
  return masses;
}

std::vector<std::string> names_of(const std::vector<ParticleType>& types) {
  std::vector<std::string> names;
  for (const ParticleType& type : types) names.push_back(type.name);
  return names;
}

std::vector<double> speeds_of(const std::vector<Double3>& velocities) {
  std::vector<double> speeds;
  speeds.reserve(velocities.size());
  for (const Double3& v : velocities) speeds.push_back(std::hypot(v[0], v[1], v[2]));
  return speeds;
}

std::array<double, 9> edge_matrix(const Box& box) {
  return {box.edges[0], 0.0, 0.0, 0.0, box.edges[1], 0.0, 0.0, 0.0, box.edges[2]};
}

struct ObservableValue {
  const char* name;
  double value;
};

/// The columns of thermo.csv; energies per particle.
std::array<ObservableValue, 5> observables_of(const Observation& sums) {
  const auto particles = static_cast<double>(sums.particles);
  return {{{"temperature", sums.temperature},
           {"kinetic_energy", sums.kinetic_energy / particles},
           {"potential_energy", sums.potential_energy / particles},
           {"total_energy", sums.total_energy() / particles},
           {"pressure", sums.pressure}}};
}

/// The rows of a field in memory, or std::logic_error if the frame does not carry all of them.
template <class Row>
const void* rows(const std::vector<Row>& values, std::size_t particles, std::string_view name) {
  if (values.size() != particles) {
    throw std::logic_error(
        fmt::format("trajectory frame: {} has {} rows, not {}", name, values.size(), particles));
  }
  return values.data();
}

}  // namespace

FieldSet frame_fields(const FieldSet& asked) {
  FieldSet fields = asked;
  fields.insert(Field::position);
  if (asked.contains(Field::speed)) fields.insert(Field::velocity);
  return fields;
}

class TrajectoryWriter::File {
 public:
  File(const std::filesystem::path& path, const StartState& start, const TrajectoryHeader& header);

  void append(const Frame& frame, const Observation& observation);
  void close();

 private:
  struct ParticleSeries {
    Field field;
    Series series;
  };

  void write_head(const TrajectoryHeader& header);
  void create_position();
  void create_field(Field field, int components, NumberType type);
  void create_fixed(const StartState& start);
  void create_box(const Box& box);
  void create_observables();
  void create_sidecar(const std::filesystem::path& path);

  void link_step_and_time(hid_t element);
  hdf5::Group create_particle_element(Field field, int components, NumberType type);
  const void* field_rows(Field field, const Frame& frame) const;
  void require_next(const Frame& frame, const Observation& observation) const;
  void append_all(const Frame& frame, const Observation& observation);
  template <class Action>
  void for_each_series(const Action& action);
  void take_back_frame() noexcept;
  void give_back_reserve() const;

  std::size_t particles_;
  NumberType float_;
  std::vector<ParticleId> ids_;
  Double3 origin_;
  bool writes_speed_;
  std::filesystem::path path_;
  hsize_t frames_ = 0;
  std::int64_t last_step_ = -1;
  bool usable_ = true;
  std::int64_t frame_bytes_ = metadata_bytes;  ///< at most, with HDF5's own

  // Closed in reverse order: the file last.
  hdf5::File file_;
  hdf5::Group particle_group_;
  std::optional<Series> step_, time_, edges_;
  std::vector<ParticleSeries> fields_;
  std::vector<Series> observables_;
  std::vector<XdmfArray> sidecar_arrays_;
  std::unique_ptr<XdmfWriter> sidecar_;
  std::vector<double> speeds_;  ///< of the frame being appended
};

TrajectoryWriter::File::File(const std::filesystem::path& path, const StartState& start,
                             const TrajectoryHeader& header)
    : particles_(start.id.size()),
      float_(particle_float(header.precision)),
      ids_(start.id),
      origin_(start.box.lower),
      writes_speed_(header.fields.contains(Field::speed)),
      path_(path),
      file_(hdf5::File::create(path)) {
  write_head(header);
  const hdf5::Group all_particles = hdf5::Group::create(file_.id(), "particles");
  particle_group_ = hdf5::Group::create(all_particles.id(), "all");

  const FieldSet& fields = header.fields;
  create_position();
  if (fields.contains(Field::velocity)) create_field(Field::velocity, 3, float_);
  if (fields.contains(Field::force)) create_field(Field::force, 3, float_);
  if (fields.contains(Field::image)) create_field(Field::image, 3, particle_integer());
  if (fields.contains(Field::potential_energy)) create_field(Field::potential_energy, 1, float_);
  if (fields.contains(Field::speed)) create_field(Field::speed, 1, float_);
  if (fields.contains(Field::id) || !counts_from_one(start.id)) {
    create_field(Field::id, 1, particle_integer());
  }
  create_fixed(start);
  create_box(start.box);
  create_observables();
  file_.flush();
  create_sidecar(path);
}

void TrajectoryWriter::File::write_head(const TrajectoryHeader& header) {
  const hdf5::Group h5md = hdf5::Group::create(file_.id(), "h5md");
  hdf5::write_attribute(h5md.id(), "version", std::array<std::int64_t, 2>{1, 1});
  const hdf5::Group author = hdf5::Group::create(h5md.id(), "author");
  hdf5::write_attribute(author.id(), "name", login_name());
  const hdf5::Group creator = hdf5::Group::create(h5md.id(), "creator");
  hdf5::write_attribute(creator.id(), "name", std::string("pencilbox"));
  hdf5::write_attribute(creator.id(), "version", header.version);

  const hdf5::Group parameters = hdf5::Group::create(file_.id(), "parameters");
  hdf5::write_text(parameters.id(), "deck", header.deck);
  hdf5::write_attribute(parameters.id(), "version", header.version);
  hdf5::write_attribute(parameters.id(), "backend", header.backend);
  hdf5::write_attribute(parameters.id(), "device", header.device);
  hdf5::write_attribute(parameters.id(), "precision", std::string(name_of(header.precision)));
}

hdf5::Group TrajectoryWriter::File::create_particle_element(Field field, int components,
                                                            NumberType type) {
  const std::string name(name_of(field));
  hdf5::Group element = hdf5::Group::create(particle_group_.id(), name);
  hdf5::Shape row{particles_};
  hdf5::Shape chunk{std::min<hsize_t>(particles_, chunk_particles)};
  // The last chunk takes its whole space, however few particles it holds.
  const hsize_t chunks = (particles_ + chunk[0] - 1) / chunk[0];
  frame_bytes_ += static_cast<std::int64_t>(chunks * chunk[0]) * components * type.bytes;
  if (components > 1) {
    row.push_back(static_cast<hsize_t>(components));
    chunk.push_back(static_cast<hsize_t>(components));
  }
  fields_.push_back({field,
                     {hdf5::Dataset::create_rows(element.id(), "value", type.stored, row, chunk, 1),
                      row, type.memory}});
  sidecar_arrays_.push_back({name, fmt::format("/particles/all/{}/value", name), components,
                             type.is_float, type.bytes, true});
  return element;
}

void TrajectoryWriter::File::create_position() {
  const hdf5::Group element = create_particle_element(Field::position, 3, float_);
  step_ =
      Series{hdf5::Dataset::create_rows(element.id(), "step", H5T_STD_I64LE, {}, {}, chunk_frames),
             {},
             H5T_NATIVE_INT64};
  time_ =
      Series{hdf5::Dataset::create_rows(element.id(), "time", H5T_IEEE_F64LE, {}, {}, chunk_frames),
             {},
             H5T_NATIVE_DOUBLE};
}

void TrajectoryWriter::File::link_step_and_time(hid_t element) {
  hdf5::hard_link(element, "step", step_->dataset);
  hdf5::hard_link(element, "time", time_->dataset);
}

void TrajectoryWriter::File::create_field(Field field, int components, NumberType type) {
  const hdf5::Group element = create_particle_element(field, components, type);
  link_step_and_time(element.id());
}

void TrajectoryWriter::File::create_fixed(const StartState& start) {
  const NumberType integer = particle_integer();
  const hdf5::Dataset species =
      hdf5::Dataset::create(particle_group_.id(), "species", integer.stored, {particles_},
                            integer.memory, start.type.data());
  hdf5::write_attribute(species.id(), "names", names_of(start.types));
  sidecar_arrays_.push_back({"species", "/particles/all/species", 1, false, 4, false});

  hdf5::Dataset::create(particle_group_.id(), "mass", float_.stored, {particles_}, float_.memory,
                        masses_of(start).data());
  sidecar_arrays_.push_back({"mass", "/particles/all/mass", 1, true, float_.bytes, false});
}

void TrajectoryWriter::File::create_box(const Box& box) {
  const hdf5::Group group = hdf5::Group::create(particle_group_.id(), "box");
  hdf5::write_attribute(group.id(), "dimension", std::int64_t{3});
  std::vector<std::string> boundary;
  for (const bool periodic : box.periodic) boundary.push_back(periodic ? "periodic" : "none");
  hdf5::write_attribute(group.id(), "boundary", boundary);
  hdf5::write_attribute(group.id(), "origin", std::span<const double>(box.lower));

  const hdf5::Group edges = hdf5::Group::create(group.id(), "edges");
  edges_ = Series{
      hdf5::Dataset::create_rows(edges.id(), "value", H5T_IEEE_F64LE, {3, 3}, {3, 3}, chunk_frames),
      {3, 3},
      H5T_NATIVE_DOUBLE};
  link_step_and_time(edges.id());
}

void TrajectoryWriter::File::create_observables() {
  const hdf5::Group group = hdf5::Group::create(file_.id(), "observables");
  for (const ObservableValue& observable : observables_of({})) {
    const hdf5::Group element = hdf5::Group::create(group.id(), observable.name);
    observables_.push_back(
        {hdf5::Dataset::create_rows(element.id(), "value", H5T_IEEE_F64LE, {}, {}, chunk_frames),
         {},
         H5T_NATIVE_DOUBLE});
    link_step_and_time(element.id());
  }
}

void TrajectoryWriter::File::create_sidecar(const std::filesystem::path& path) {
  sidecar_ = std::make_unique<XdmfWriter>(
      std::filesystem::path(path).replace_extension(".xmf2"), path.filename().string(),
      static_cast<std::int64_t>(particles_), std::move(sidecar_arrays_));
}

const void* TrajectoryWriter::File::field_rows(Field field, const Frame& frame) const {
  const std::string_view name = name_of(field);
  switch (field) {
    case Field::position:
      return rows(frame.position, particles_, name);
    case Field::velocity:
      return rows(frame.velocity, particles_, name);
    case Field::force:
      return rows(frame.force, particles_, name);
    case Field::image:
      return rows(frame.image, particles_, name);
    case Field::potential_energy:
      return rows(frame.potential_energy, particles_, name);
    case Field::speed:
      return rows(speeds_, particles_, name);
    case Field::id:
      return rows(ids_, particles_, name);
    case Field::species:
      break;  // one for the whole file, see create_fixed
  }
  throw std::logic_error(fmt::format("trajectory frame: {} is no series", name));
}

void TrajectoryWriter::File::require_next(const Frame& frame,
                                          const Observation& observation) const {
  if (frame.step != observation.step || frame.step <= last_step_) {
    throw std::logic_error(fmt::format("trajectory: frame of step {}, sums of step {}, after {}",
                                       frame.step, observation.step, last_step_));
  }
  if (!frame.id.empty() && frame.id != ids_) {
    throw std::logic_error("trajectory: the rows of a frame changed their order");
  }
  if (frame.box.lower != origin_) throw std::logic_error("trajectory: the box changed its origin");
  for (const ParticleSeries& field : fields_) field_rows(field.field, frame);
}

void TrajectoryWriter::File::append(const Frame& frame, const Observation& observation) {
  if (writes_speed_) speeds_ = speeds_of(frame.velocity);
  require_next(frame, observation);
  if (!usable_) throw SystemError("the trajectory cannot be continued after a failed write");
  file_.reserve(frame_bytes_);
  try {
    append_all(frame, observation);
  } catch (const SystemError&) {
    usable_ = false;
    take_back_frame();
    throw;
  }
}

void TrajectoryWriter::File::append_all(const Frame& frame, const Observation& observation) {
  for (ParticleSeries& field : fields_) {
    field.series.append(frames_, field_rows(field.field, frame));
  }
  edges_->append(frames_, edge_matrix(frame.box).data());
  const auto values = observables_of(observation);
  for (std::size_t i = 0; i < values.size(); ++i) observables_[i].append(frames_, &values[i].value);
  // They count the frames, so they must not reach the disk before what they count.
  file_.flush();
  step_->append(frames_, &frame.step);
  time_->append(frames_, &frame.time);
  file_.flush();
  sidecar_->append(frame.time);
  ++frames_;
  last_step_ = frame.step;
}

template <class Action>
void TrajectoryWriter::File::for_each_series(const Action& action) {
  for (ParticleSeries& field : fields_) action(field.series);
  for (Series& observable : observables_) action(observable);
  for (Series* series : {&*edges_, &*step_, &*time_}) action(*series);
}

/// After a failed write: the datasets forget the frame as far as that can be had, then the file is
/// left alone.
void TrajectoryWriter::File::take_back_frame() noexcept {
  for_each_series([this](Series& series) {
    try {
      series.dataset.set_rows(frames_, series.row);
    } catch (const std::exception&) {
      // The error that led here is the one to tell.
    }
  });
  try {
    file_.flush();
  } catch (const std::exception&) {
  }
  file_.abandon();
}

void TrajectoryWriter::File::give_back_reserve() const {
  std::error_code error;
  const auto size = std::filesystem::file_size(path_, error);
  if (!error) std::filesystem::resize_file(path_, size, error);
}

void TrajectoryWriter::File::close() {
  for_each_series([](Series& series) { series.dataset.close(); });
  particle_group_.close();
  file_.close();
  give_back_reserve();
  sidecar_->close();
}

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& path, const StartState& start,
                                   const TrajectoryHeader& header) {
  hdf5::initialise();
  file_ = std::make_unique<File>(path, start, header);
}

TrajectoryWriter::~TrajectoryWriter() = default;
TrajectoryWriter::TrajectoryWriter(TrajectoryWriter&&) noexcept = default;

void TrajectoryWriter::append(const Frame& frame, const Observation& observation) {
  if (!file_) throw std::logic_error("trajectory: append after close");
  file_->append(frame, observation);
}

void TrajectoryWriter::close() {
  if (!file_) return;
  // The members go with `file` even if one of them cannot be closed.
  const std::unique_ptr<File> file = std::move(file_);
  file->close();
}

}  // namespace pencilbox
