#include "io/output/trajectory_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/output/file.hpp"

namespace pencilbox {
namespace {

/// A chunk holds a part of one frame, small enough for HDF5's chunk cache of 1 MiB in f32.
constexpr hsize_t chunk_particles = 65536;
/// More than what HDF5 adds to a file for a frame besides the particles: index nodes, new chunks of
/// what has a few numbers a frame.
constexpr std::int64_t metadata_bytes = 256 * 1024;

constexpr const char* group_path = "particles/all";

/// Those that have a row for each frame, in the order in which they are made.
constexpr std::array<Field, 7> fields_of_frames{
    Field::position,         Field::velocity, Field::force, Field::image,
    Field::potential_energy, Field::speed,    Field::id};

int stored_float_bytes(Precision precision) { return precision == Precision::double_ ? 8 : 4; }

hid_t stored_type(Field field, int float_bytes) {
  if (!shape_of(field).is_float) return H5T_STD_I32LE;
  return float_bytes == 8 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
}

hid_t memory_type(Field field, int float_bytes) {
  if (!shape_of(field).is_float) return H5T_NATIVE_INT32;
  return float_bytes == 8 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
}

hdf5::Shape row_shape(Field field, std::size_t particles) {
  hdf5::Shape shape{particles};
  if (shape_of(field).components > 1) {
    shape.push_back(static_cast<hsize_t>(shape_of(field).components));
  }
  return shape;
}

/// The particles of a chunk.
hsize_t chunk_width(std::size_t particles) { return std::min<hsize_t>(particles, chunk_particles); }

/// A field's bytes in a frame. The last chunk takes its whole space, however little it holds.
std::int64_t bytes_in_frame(Field field, std::size_t particles, int float_bytes) {
  const hsize_t width = chunk_width(particles);
  const hsize_t stored = (particles + width - 1) / width * width;
  const int number = shape_of(field).is_float ? float_bytes : 4;
  return static_cast<std::int64_t>(stored) * shape_of(field).components * number;
}

std::string login_name() {
  const passwd* entry = getpwuid(getuid());
  return entry != nullptr && entry->pw_name != nullptr ? entry->pw_name : "unknown";
}

bool counts_from_one(const std::vector<ParticleId>& ids) {
  ParticleId expected = 1;
  return std::all_of(ids.begin(), ids.end(), [&](ParticleId id) { return id == expected++; });
}

/// The fields that a file gets: with the ids wherever a row number cannot tell them.
std::vector<Field> written_fields(const FieldSet& asked, const std::vector<ParticleId>& ids) {
  std::vector<Field> fields;
  for (const Field field : fields_of_frames) {
    const bool always = field == Field::position || (field == Field::id && !counts_from_one(ids));
    if (always || asked.contains(field)) fields.push_back(field);
  }
  return fields;
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

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field field : fields) names.emplace_back(name_of(field));
  return names;
}

std::vector<std::string> boundary_of(const Box& box) {
  std::vector<std::string> boundary;
  for (const bool periodic : box.periodic) boundary.emplace_back(periodic ? "periodic" : "none");
  return boundary;
}

std::array<double, 9> edge_matrix(const Box& box) {
  return {box.edges[0], 0.0, 0.0, 0.0, box.edges[1], 0.0, 0.0, 0.0, box.edges[2]};
}

struct ObservableValue {
  const char* name;
  double value;
};

/// The columns of thermo.csv, but for the volume, which each frame's box has; energies per
/// particle.
std::array<ObservableValue, 6> observables_of(const Observation& sums) {
  const auto particles = static_cast<double>(sums.particles);
  return {{{"temperature", sums.temperature},
           {"kinetic_energy", sums.kinetic_energy / particles},
           {"potential_energy", sums.potential_energy / particles},
           {"total_energy", sums.total_energy() / particles},
           {"conserved_energy", sums.conserved_energy / particles},
           {"pressure", sums.pressure}}};
}

/// Throws InputError unless the file's value is the run's.
template <class Value>
void require_same(std::string_view what, const Value& in_file, const Value& in_run) {
  if (in_file == in_run) return;
  throw InputError(fmt::format("{}: the file has {}, this run {}", what, in_file, in_run));
}

void require_same_rows(std::string_view what, const std::vector<std::int32_t>& in_file,
                       const std::vector<std::int32_t>& in_run) {
  const auto differ = std::mismatch(in_file.begin(), in_file.end(), in_run.begin(), in_run.end());
  if (differ.first == in_file.end()) return;
  require_same(fmt::format("{} of row {}", what, differ.first - in_file.begin()), *differ.first,
               *differ.second);
}

}  // namespace

FieldSet fields_in_frames(const StartState& start, const TrajectoryHeader& header) {
  FieldSet fields;
  for (const Field field : written_fields(header.fields, start.id)) {
    if (field != Field::id) fields.insert(field);  // the same in all frames, and known
  }
  return fields;
}

std::vector<ParticleArray> particle_arrays(const StartState& start,
                                           const TrajectoryHeader& header) {
  const int float_bytes = stored_float_bytes(header.precision);
  std::vector<ParticleArray> arrays;
  for (const Field field : written_fields(header.fields, start.id)) {
    const FieldShape shape = shape_of(field);
    const std::string name(name_of(field));
    arrays.push_back({name, fmt::format("/{}/{}/value", group_path, name), shape.components,
                      shape.is_float, shape.is_float ? float_bytes : 4, true});
  }
  arrays.push_back({"species", "/particles/all/species", 1, false, 4, false});
  arrays.push_back({"mass", "/particles/all/mass", 1, true, float_bytes, false});
  return arrays;
}

Box box_of_frame(const hdf5::Group& particles, hsize_t row) {
  const hdf5::Group group = hdf5::Group::open(particles.id(), "box");
  const std::vector<double> origin = hdf5::read_numbers(group.id(), "origin");
  const std::vector<std::string> boundary = hdf5::read_texts(group.id(), "boundary");
  std::array<double, 9> edges{};
  hdf5::Dataset::open(group.id(), "edges/value")
      .read_row(row, H5T_NATIVE_DOUBLE, edges.data(), edges.size());
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.lower[d] = origin.at(d);
    box.edges[d] = edges[4 * d];
    box.periodic[d] = boundary.at(d) == "periodic";
  }
  return box;
}

TrajectoryFile::TrajectoryFile(const std::filesystem::path& path, hdf5::File file,
                               const StartState& start, const TrajectoryHeader& header)
    : path_(path),
      particles_(start.id.size()),
      float_bytes_(stored_float_bytes(header.precision)),
      ids_(start.id),
      written_(written_fields(header.fields, start.id)),
      file_(std::move(file)) {}

TrajectoryFile TrajectoryFile::create(const std::filesystem::path& path, const StartState& start,
                                      const TrajectoryHeader& header) {
  // A kill before the first flush leaves what HDF5 cannot open: until then it has another name.
  const std::filesystem::path twin = twin_of(path);
  TrajectoryFile made(path, hdf5::File::create(twin), start, header);
  made.write_head(header);
  const hdf5::Group particles = hdf5::Group::create(made.file_.id(), "particles");
  made.particle_group_ = hdf5::Group::create(particles.id(), "all");
  for (const Field field : made.written_) made.create_field(field, header);
  made.create_fixed(start);
  made.create_box(start.box);
  made.create_observables();
  for (const ObservableResult& result : header.observables) made.create_results(result);
  made.amber_ = AmberGroup::create(made.file_.id(), made.particle_group_, made.written_,
                                   made.particles_, header.version);
  made.file_.flush();
  move_file(twin, path);
  return made;
}

void TrajectoryFile::write_head(const TrajectoryHeader& header) {
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
  hdf5::write_attribute(parameters.id(), "split_every", header.split_every);
}

void TrajectoryFile::create_field(Field field, const TrajectoryHeader& header) {
  const hdf5::Group element =
      hdf5::Group::create(particle_group_.id(), std::string(name_of(field)));
  const hdf5::Shape row = row_shape(field, particles_);
  hdf5::Shape chunk = row;
  chunk[0] = chunk_width(particles_);
  fields_.push_back(
      {field,
       {hdf5::Dataset::create_rows(element.id(), "value", stored_type(field, float_bytes_), row,
                                   chunk, 1, header.compression),
        row}});
  if (field != Field::position) return link_step_and_time(element.id());
  const auto create_counter = [&element](const char* name, hid_t stored) {
    return Series{
        hdf5::Dataset::create_rows(element.id(), name, stored, {}, {}, hdf5::chunk_frames), {}};
  };
  step_ = create_counter("step", H5T_STD_I64LE);
  time_ = create_counter("time", H5T_IEEE_F64LE);
}

void TrajectoryFile::link_step_and_time(hid_t element) const {
  hdf5::hard_link(element, "step", step_->dataset);
  hdf5::hard_link(element, "time", time_->dataset);
}

void TrajectoryFile::create_fixed(const StartState& start) {
  const hdf5::Dataset species =
      hdf5::Dataset::create(particle_group_.id(), "species", H5T_STD_I32LE, {particles_},
                            H5T_NATIVE_INT32, start.type.data());
  hdf5::write_attribute(species.id(), "names", names_of(start.types));
  // Exact, where those of the particles are floats.
  std::vector<double> masses;
  for (const ParticleType& type : start.types) masses.push_back(type.mass);
  hdf5::write_attribute(species.id(), "masses", masses);
  const hid_t stored = float_bytes_ == 8 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
  hdf5::Dataset::create(particle_group_.id(), "mass", stored, {particles_}, H5T_NATIVE_DOUBLE,
                        masses_of(start).data());
}

void TrajectoryFile::create_box(const Box& box) {
  const hdf5::Group group = hdf5::Group::create(particle_group_.id(), "box");
  hdf5::write_attribute(group.id(), "dimension", std::int64_t{3});
  hdf5::write_attribute(group.id(), "boundary", boundary_of(box));
  hdf5::write_attribute(group.id(), "origin", std::span<const double>(box.lower));

  const hdf5::Group edges = hdf5::Group::create(group.id(), "edges");
  edges_ = Series{hdf5::Dataset::create_rows(edges.id(), "value", H5T_IEEE_F64LE, {3, 3}, {3, 3},
                                             hdf5::chunk_frames),
                  {3, 3}};
  link_step_and_time(edges.id());
}

void TrajectoryFile::create_observables() {
  const hdf5::Group group = hdf5::Group::create(file_.id(), "observables");
  for (const ObservableValue& observable : observables_of({})) {
    const hdf5::Group element = hdf5::Group::create(group.id(), observable.name);
    observables_.push_back({hdf5::Dataset::create_rows(element.id(), "value", H5T_IEEE_F64LE, {},
                                                       {}, hdf5::chunk_frames),
                            {}});
    link_step_and_time(element.id());
  }
}

void TrajectoryFile::create_results(const ObservableResult& result) {
  const hdf5::Group group = hdf5::Group::open(file_.id(), "observables");
  results_.push_back(ObservableGroup::create(group.id(), result));
  link_step_and_time(results_.back().id());
}

void TrajectoryFile::open_results(const std::vector<ObservableResult>& results) {
  const hdf5::Group group = hdf5::Group::open(file_.id(), "observables");
  for (const ObservableResult& result : results) {
    if (hdf5::has(group.id(), result.name)) {
      results_.push_back(ObservableGroup::open(group.id(), result));
    } else {
      unknown_yet_.push_back(result);
    }
  }
}

TrajectoryFile TrajectoryFile::open(const std::filesystem::path& path, const StartState& start,
                                    const TrajectoryHeader& header) {
  try {
    TrajectoryFile found(path, hdf5::File::open(path), start, header);
    found.particle_group_ = hdf5::Group::open(found.file_.id(), group_path);
    found.require_same_run(start, header);
    found.open_series();
    found.open_results(header.observables);
    found.read_steps_and_times();
    return found;
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{}: cannot be continued: {}", path.string(), error.what()));
  }
}

void TrajectoryFile::require_same_run(const StartState& start,
                                      const TrajectoryHeader& header) const {
  const hdf5::Group parameters = hdf5::Group::open(file_.id(), "parameters");
  require_same("precision", hdf5::read_texts(parameters.id(), "precision"),
               {std::string(name_of(header.precision))});
  require_same("frames in a file (output.trajectory.split_every)",
               hdf5::read_numbers(parameters.id(), "split_every"),
               {static_cast<double>(header.split_every)});
  std::vector<Field> in_file;
  for (const Field field : fields_of_frames) {
    if (hdf5::has(particle_group_.id(), std::string(name_of(field)))) in_file.push_back(field);
  }
  require_same("fields", names_of(in_file), names_of(written_));
  const hdf5::Group box = hdf5::Group::open(particle_group_.id(), "box");
  require_same("boundary", hdf5::read_texts(box.id(), "boundary"), boundary_of(start.box));
  require_same("origin of the box", hdf5::read_numbers(box.id(), "origin"),
               {start.box.lower.begin(), start.box.lower.end()});
  require_same_particles(start);
}

void TrajectoryFile::require_same_particles(const StartState& start) const {
  const hdf5::Dataset species = hdf5::Dataset::open(particle_group_.id(), "species");
  require_same("number of particles", species.shape(), hdf5::Shape{particles_});
  require_same("names of the types", hdf5::read_texts(species.id(), "names"),
               names_of(start.types));
  std::vector<std::int32_t> types(particles_);
  species.read(H5T_NATIVE_INT32, types.data(), types.size());
  require_same_rows("type", types, start.type);
  if (std::find(written_.begin(), written_.end(), Field::id) == written_.end()) return;
  const hdf5::Dataset dataset = hdf5::Dataset::open(particle_group_.id(), "id/value");
  const hdf5::Shape shape = dataset.shape();
  if (shape.size() != 2 || shape[0] == 0) return;  // the shape is looked at with the others
  require_same("number of ids", shape[1], static_cast<hsize_t>(particles_));
  std::vector<ParticleId> ids(particles_);
  dataset.read_row(0, H5T_NATIVE_INT32, ids.data(), ids.size());
  require_same_rows("id", ids, ids_);
}

void TrajectoryFile::open_series() {
  const auto open = [this](const std::string& path, hdf5::Shape row) {
    hdf5::Dataset dataset = hdf5::Dataset::open(file_.id(), path);
    hdf5::Shape shape = dataset.shape();
    if (!shape.empty()) shape.erase(shape.begin());
    require_same(fmt::format("shape of a frame's {}", path), shape, row);
    return Series{std::move(dataset), std::move(row)};
  };
  for (const Field field : written_) {
    fields_.push_back({field, open(fmt::format("{}/{}/value", group_path, name_of(field)),
                                   row_shape(field, particles_))});
  }
  step_ = open(fmt::format("{}/position/step", group_path), {});
  time_ = open(fmt::format("{}/position/time", group_path), {});
  edges_ = open(fmt::format("{}/box/edges/value", group_path), {3, 3});
  for (const ObservableValue& observable : observables_of({})) {
    observables_.push_back(open(fmt::format("observables/{}/value", observable.name), {}));
  }
  amber_ = AmberGroup::open(file_.id());
}

namespace {

/// How many of the first frames have increasing steps. A resumed writer that was killed while it
/// dropped frames leaves zeros: HDF5 clears rows before they are gone. Such rows, and what follows
/// them, were to be dropped; any other disorder is damage.
std::size_t frames_that_increase(const std::vector<std::int64_t>& steps) {
  const auto last = std::adjacent_find(steps.begin(), steps.end(), std::greater_equal<>());
  if (last == steps.end()) return steps.size();
  const auto was_dropped = [last](std::int64_t step) { return step == 0 || step > *last; };
  if (!std::all_of(last + 1, steps.end(), was_dropped)) {
    throw InputError("the steps of its frames do not increase");
  }
  return static_cast<std::size_t>(last - steps.begin()) + 1;
}

}  // namespace

/// A writer that was killed leaves at most one row that not all datasets have.
std::size_t TrajectoryFile::complete_frames() const {
  hsize_t frames = std::numeric_limits<hsize_t>::max();
  const auto look = [&frames](const Series& series) {
    frames = std::min(frames, series.dataset.shape().at(0));
  };
  for (const FieldSeries& field : fields_) look(field.series);
  for (const Series& observable : observables_) look(observable);
  for (const ObservableGroup& group : results_) frames = std::min(frames, group.frames());
  for (const Series* series : {&*edges_, &*step_, &*time_}) look(*series);
  return amber_ ? std::min(frames, amber_->frames()) : frames;
}

void TrajectoryFile::read_steps_and_times() {
  steps_.resize(step_->dataset.shape().at(0));
  times_.resize(time_->dataset.shape().at(0));
  step_->dataset.read(H5T_NATIVE_INT64, steps_.data(), steps_.size());
  time_->dataset.read(H5T_NATIVE_DOUBLE, times_.data(), times_.size());
  steps_.resize(complete_frames());
  steps_.resize(frames_that_increase(steps_));
  times_.resize(steps_.size());
}

template <class Action>
void TrajectoryFile::for_each_value(const Action& action) {
  for (FieldSeries& field : fields_) action(field.series);
  for (Series& observable : observables_) action(observable);
  action(*edges_);
}

void TrajectoryFile::set_frames(std::size_t count, std::int64_t step) {
  const auto set = [count](Series& series) { series.dataset.set_rows(count, series.row); };
  // What counts the frames shrinks first, so that it never counts what is gone.
  set(*step_);
  set(*time_);
  for (ObservableGroup& group : results_) group.forget_steps(step);
  file_.flush();
  for_each_value(set);
  for (ObservableGroup& group : results_) {
    group.set_frames(count);
    group.forget_values();
  }
  if (amber_) amber_->set_frames(count);
  file_.flush();
}

void TrajectoryFile::keep(std::size_t count, std::int64_t step) {
  steps_.resize(std::min(count, steps_.size()));
  times_.resize(steps_.size());
  set_frames(steps_.size(), step);
}

void TrajectoryFile::make_places_for_results() {
  for (const ObservableResult& result : unknown_yet_) {
    create_results(result);
    results_.back().set_frames(steps_.size());
  }
  unknown_yet_.clear();
  file_.flush();
}

TrajectoryFile::LastSteps TrajectoryFile::last_steps_of_results() const {
  LastSteps steps;
  for (const ObservableGroup& group : results_) {
    if (group.last_step() >= 0) steps[group.name()] = group.last_step();
  }
  return steps;
}

const void* TrajectoryFile::rows_of(const PackedFrame& frame, Field field) const {
  const void* rows = field == Field::id ? ids_.data() : frame.rows_of(field);
  if (rows == nullptr) {
    throw std::logic_error(fmt::format("trajectory frame: no {}", name_of(field)));
  }
  return rows;
}

void TrajectoryFile::append(const PackedFrame& frame, const Observation& observation) {
  if (!usable_) throw SystemError("the trajectory cannot be continued after a failed write");
  std::int64_t bytes = metadata_bytes;
  for (const Field field : written_) bytes += bytes_in_frame(field, particles_, float_bytes_);
  file_.reserve(bytes);
  or_give_up([&] { append_all(frame, observation); });
}

template <class Action>
void TrajectoryFile::or_give_up(const Action& action) {
  try {
    action();
  } catch (const SystemError&) {
    usable_ = false;
    take_back_frame();
    throw;
  }
}

void TrajectoryFile::append_results(std::int64_t step, double time,
                                    const std::vector<ObservableResult>& results,
                                    const LastSteps& after) {
  if (!usable_) throw SystemError("the trajectory cannot be continued after a failed write");
  const auto result_of = [&results](const ObservableGroup& group) -> const ObservableResult& {
    const auto found = std::find_if(results.begin(), results.end(),
                                    [&](const auto& one) { return one.name == group.name(); });
    if (found == results.end()) throw std::logic_error("trajectory: no result of " + group.name());
    return *found;
  };
  std::int64_t bytes = metadata_bytes;
  for (const ObservableGroup& group : results_) bytes += bytes_of_result(result_of(group));
  file_.reserve(bytes);
  const auto after_of = [&after](const ObservableGroup& group) {
    const auto found = after.find(group.name());
    return found == after.end() ? std::int64_t{-1} : found->second;
  };
  or_give_up([&] {
    for (ObservableGroup& group : results_) {
      group.write_values(result_of(group), after_of(group));
    }
    file_.flush();
    for (ObservableGroup& group : results_) {
      group.write_steps(result_of(group), after_of(group), step, time);
    }
    file_.flush();
  });
}

void TrajectoryFile::append_all(const PackedFrame& frame, const Observation& observation) {
  const hsize_t index = steps_.size();
  for (FieldSeries& field : fields_) {
    field.series.dataset.write_row(index, field.series.row,
                                   memory_type(field.field, frame.float_bytes),
                                   rows_of(frame, field.field));
  }
  const auto append_numbers = [index](Series& series, hid_t memory, const void* data) {
    series.dataset.write_row(index, series.row, memory, data);
  };
  append_numbers(*edges_, H5T_NATIVE_DOUBLE, edge_matrix(frame.box).data());
  if (amber_) amber_->append(index, frame.box);
  const auto values = observables_of(observation);
  for (std::size_t i = 0; i < values.size(); ++i) {
    append_numbers(observables_[i], H5T_NATIVE_DOUBLE, &values[i].value);
  }
  for (ObservableGroup& group : results_) group.append_frame(index);
  // They count the frames, so they must not reach the disk before what they count.
  file_.flush();
  append_numbers(*step_, H5T_NATIVE_INT64, &frame.step);
  append_numbers(*time_, H5T_NATIVE_DOUBLE, &frame.time);
  file_.flush();
  steps_.push_back(frame.step);
  times_.push_back(frame.time);
}

/// After a failed write: the datasets forget the frame as far as that can be had, then the file is
/// left alone.
void TrajectoryFile::take_back_frame() noexcept {
  const auto attempt = [](const auto& action) {
    try {
      action();
    } catch (const std::exception&) {
      // The error that led here is the one to tell.
    }
  };
  const auto forget = [this, &attempt](Series& series) {
    attempt([&] { series.dataset.set_rows(steps_.size(), series.row); });
  };
  for_each_value(forget);
  attempt([this] {
    if (amber_) amber_->set_frames(steps_.size());
  });
  for (ObservableGroup& group : results_) {
    attempt([&] { group.set_frames(steps_.size()); });
    attempt([&] { group.forget_values(); });
  }
  forget(*step_);
  forget(*time_);
  attempt([this] { file_.flush(); });
  file_.abandon();
}

void TrajectoryFile::give_back_reserve() const {
  std::error_code error;
  const auto size = std::filesystem::file_size(path_, error);
  if (!error) std::filesystem::resize_file(path_, size, error);
}

void TrajectoryFile::close() {
  const auto close_series = [](Series& series) { series.dataset.close(); };
  for_each_value(close_series);
  close_series(*step_);
  close_series(*time_);
  for (ObservableGroup& group : results_) group.close();
  if (amber_) amber_->close();
  particle_group_.close();
  file_.close();
  give_back_reserve();
}

}  // namespace pencilbox
