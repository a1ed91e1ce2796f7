#include "io/checkpoint/checkpoint_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/memory_limit.hpp"
#include "io/checkpoint/seal.hpp"
#include "io/output/hdf5.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;
using hdf5::Dataset;
using hdf5::Group;
using hdf5::Shape;

/// 2 knows of lists, 3 of the list before. 1 is read as it was written: by back ends that rebuild
/// every step; 2 as if there had been no list before.
constexpr std::int64_t format = 3;
constexpr std::int64_t first_with_age_before = 3;
constexpr std::int64_t oldest_format = 1;

using Int3 = std::array<std::int32_t, 3>;
static_assert(sizeof(Double3) == 3 * sizeof(double) && sizeof(Int3) == 3 * sizeof(std::int32_t));

/// How floats of particles are stored: as wide as they are in the run.
hid_t particle_float(Precision precision) {
  return precision == Precision::single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

/// A dataset without the time of its writing.
void write(hid_t parent, const std::string& name, hid_t stored, const Shape& shape, hid_t memory,
           const void* data) {
  const hdf5::PropertyList creation = hdf5::PropertyList::create(H5P_DATASET_CREATE);
  const std::string action = fmt::format("write the HDF5 dataset '{}'", name);
  hdf5::check(H5Pset_obj_track_times(creation.id(), false), action);
  const Dataset dataset =
      Dataset::create(parent, name, stored, hdf5::Dataspace::simple(shape), creation);
  hdf5::check(H5Dwrite(dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), action);
}

void write(hid_t parent, const std::string& name, const std::string& text) {
  const hdf5::Type type = hdf5::Type::fixed_string(text.size());
  write(parent, name, type.id(), {}, type.id(), text.data());
}

void write(hid_t parent, const std::string& name, const std::vector<std::int32_t>& rows) {
  write(parent, name, H5T_STD_I32LE, {rows.size()}, H5T_NATIVE_INT32, rows.data());
}

void write(hid_t parent, const std::string& name, const std::vector<Int3>& rows) {
  write(parent, name, H5T_STD_I32LE, {rows.size(), 3}, H5T_NATIVE_INT32, rows.data());
}

void write(hid_t parent, const std::string& name, const std::vector<Double3>& rows, hid_t stored) {
  write(parent, name, stored, {rows.size(), 3}, H5T_NATIVE_DOUBLE, rows.data());
}

void write_box(hid_t file, const Box& box) {
  const Group group = Group::create(file, "box");
  std::array<std::int64_t, 3> periodic{};
  std::copy(box.periodic.begin(), box.periodic.end(), periodic.begin());
  hdf5::write_attribute(group.id(), "lower", box.lower);
  hdf5::write_attribute(group.id(), "edges", box.edges);
  hdf5::write_attribute(group.id(), "periodic", periodic);
}

void write_types(hid_t file, const std::vector<ParticleType>& types) {
  const Group group = Group::create(file, "types");
  std::vector<std::string> names;
  std::vector<double> masses;
  for (const ParticleType& type : types) {
    names.push_back(type.name);
    masses.push_back(type.mass);
  }
  hdf5::write_attribute(group.id(), "names", names);
  hdf5::write_attribute(group.id(), "masses", masses);
}

void write_grid(hid_t file, const CellLayout& grid) {
  const Group group = Group::create(file, "grid");
  std::array<std::int64_t, 3> cells{};
  std::copy(grid.cells.begin(), grid.cells.end(), cells.begin());
  hdf5::write_attribute(group.id(), "lower", grid.lower);
  hdf5::write_attribute(group.id(), "side", grid.side);
  hdf5::write_attribute(group.id(), "cells", cells);
}

void write_particles(hid_t file, const ExactState& state) {
  const Group group = Group::create(file, "particles");
  const hid_t real = particle_float(state.precision);
  write(group.id(), "id", state.id);
  write(group.id(), "type", state.type);
  write(group.id(), "cell", state.cell);
  write(group.id(), "image", state.image);
  write(group.id(), "offset", state.offset, real);
  write(group.id(), "velocity", state.velocity, real);
  write(group.id(), "force", state.force, real);
  if (!state.reference.empty()) write(group.id(), "reference", state.reference, real);
}

/// Of a list, where one is kept: its positions are particles/reference.
void write_list(hid_t file, const ExactState& state) {
  if (state.reference.empty()) return;
  const Group group = Group::create(file, "list");
  hdf5::write_attribute(group.id(), "skin", std::array{state.skin});
  hdf5::write_attribute(group.id(), "age", state.list_age);
  hdf5::write_attribute(group.id(), "age_before", state.list_age_before);
}

void write_numbers(const Group& group, const NamedNumbers& all) {
  for (const auto& [name, numbers] : all) {
    write(group.id(), name, H5T_IEEE_F64LE, {numbers.size()}, H5T_NATIVE_DOUBLE, numbers.data());
  }
}

/// `every` and `from` are among its parameters here.
NamedNumbers parameters_of(const ObservableChoice& choice) {
  NamedNumbers parameters{{"every", {static_cast<double>(choice.every)}},
                          {"from", {static_cast<double>(choice.from)}}};
  for (const auto& [name, value] : choice.parameters) parameters[name] = {value};
  return parameters;
}

void write_observables(hid_t file, const std::vector<ObservableState>& observables) {
  if (observables.empty()) return;
  const Group all = Group::create(file, "observables");
  for (const ObservableState& observable : observables) {
    const Group one = Group::create(all.id(), observable.choice.name);
    write_numbers(Group::create(one.id(), "parameters"), parameters_of(observable.choice));
    write_numbers(Group::create(one.id(), "state"), observable.numbers);
  }
}

void write_all(hid_t file, const Checkpoint& checkpoint) {
  const ExactState& state = checkpoint.state;
  hdf5::write_attribute(file, "format", format);
  hdf5::write_attribute(file, "version", checkpoint.version);
  hdf5::write_attribute(file, "step", state.step);
  hdf5::write_attribute(file, "precision", std::string(name_of(state.precision)));
  const Group start = Group::create(file, "start");
  hdf5::write_attribute(start.id(), "time", std::array{checkpoint.start.time});
  hdf5::write_attribute(start.id(), "total_energy", std::array{checkpoint.start.total_energy});
  write(file, "deck", checkpoint.deck);
  write_box(file, state.box);
  write_types(file, state.types);
  write_grid(file, state.grid);
  write_numbers(Group::create(file, "integrator"), state.integrator);
  write_observables(file, checkpoint.observables);
  write_list(file, state);
  write_particles(file, state);
}

std::int64_t bytes_of(const NamedNumbers& all) {
  constexpr std::int64_t head = 4096;
  std::int64_t bytes = head;
  for (const auto& [name, numbers] : all) {
    bytes += static_cast<std::int64_t>(numbers.size() * sizeof(double)) + head;
  }
  return bytes;
}

/// More than the file will take, HDF5's own included.
std::int64_t bytes_of(const Checkpoint& checkpoint) {
  constexpr std::int64_t row = 4 * sizeof(Double3) + 2 * sizeof(Int3) + 2 * sizeof(std::int32_t);
  std::int64_t carried = bytes_of(checkpoint.state.integrator);
  for (const ObservableState& observable : checkpoint.observables) {
    carried += bytes_of(parameters_of(observable.choice)) + bytes_of(observable.numbers);
  }
  return checkpoint.state.size() * row + carried +
         static_cast<std::int64_t>(checkpoint.deck.size()) + (1 << 16);
}

void write_hdf5(const fs::path& path, const Checkpoint& checkpoint) {
  const hdf5::Lock lock;
  hdf5::File file = hdf5::File::create(path);
  try {
    file.reserve(bytes_of(checkpoint));
    write_all(file.id(), checkpoint);
    file.flush();
  } catch (const SystemError&) {
    file.abandon();
    throw;
  }
  file.close();
}

// Reading. A file with a whole seal is ours, so what is wrong in it now is of another format.

[[noreturn]] void refuse(const std::string& what) { throw SystemError(what); }

std::array<double, 3> read_three(hid_t owner, const std::string& name) {
  const std::vector<double> numbers = hdf5::read_numbers(owner, name);
  if (numbers.size() != 3) refuse(fmt::format("'{}' has {} numbers, not 3", name, numbers.size()));
  return {numbers[0], numbers[1], numbers[2]};
}

double read_one(hid_t owner, const std::string& name) {
  const std::vector<double> numbers = hdf5::read_numbers(owner, name);
  if (numbers.size() != 1) refuse(fmt::format("'{}' has {} numbers, not 1", name, numbers.size()));
  return numbers[0];
}

/// Attributes come as doubles, which hold every whole number up to `most`.
std::int64_t read_whole(double number, const std::string& name, double most) {
  if (!(std::abs(number) <= most && number == std::floor(number))) {
    refuse(fmt::format("'{}' is {}, no whole number of that kind", name, number));
  }
  return static_cast<std::int64_t>(number);
}

std::string read_word(hid_t owner, const std::string& name) {
  const std::vector<std::string> texts = hdf5::read_texts(owner, name);
  if (texts.size() != 1) refuse(fmt::format("'{}' has {} texts, not 1", name, texts.size()));
  return texts[0];
}

std::string read_text(hid_t parent, const std::string& name) {
  const Dataset dataset = Dataset::open(parent, name);
  const hdf5::Type type = hdf5::Type::of_dataset(dataset.id());
  if (H5Tget_class(type.id()) != H5T_STRING || !dataset.shape().empty()) {
    refuse(fmt::format("'{}' is no text", name));
  }
  std::string text(H5Tget_size(type.id()), '\0');
  dataset.read(type.id(), text.data(), 1);
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

/// Reads a dataset of `count` rows of `components` numbers.
template <class Row>
std::vector<Row> read_rows(hid_t parent, const std::string& name, hsize_t count, hid_t memory,
                           hsize_t components = 1) {
  const Dataset dataset = Dataset::open(parent, name);
  const Shape wanted = components == 1 ? Shape{count} : Shape{count, components};
  if (dataset.shape() != wanted) {
    refuse(fmt::format("'{}' has shape [{}], not [{}]", name, fmt::join(dataset.shape(), "]["),
                       fmt::join(wanted, "][")));
  }
  constexpr hsize_t most = std::numeric_limits<std::int64_t>::max() / sizeof(Row);
  require_memory(static_cast<std::int64_t>(std::min(count, most) * sizeof(Row)));
  std::vector<Row> rows(count);
  dataset.read(memory, rows.data(), count * components);
  return rows;
}

Precision read_precision(hid_t file) {
  const std::string word = read_word(file, "precision");
  const auto found = std::find(precision_names.begin(), precision_names.end(), word);
  if (found == precision_names.end()) refuse(fmt::format("unknown precision '{}'", word));
  return static_cast<Precision>(found - precision_names.begin());
}

void read_box_types_grid(hid_t file, ExactState& state) {
  const Group box = Group::open(file, "box");
  state.box.lower = read_three(box.id(), "lower");
  state.box.edges = read_three(box.id(), "edges");
  const auto periodic = read_three(box.id(), "periodic");
  for (std::size_t d = 0; d < 3; ++d) state.box.periodic[d] = periodic[d] != 0.0;

  const Group types = Group::open(file, "types");
  const std::vector<std::string> names = hdf5::read_texts(types.id(), "names");
  const std::vector<double> masses = hdf5::read_numbers(types.id(), "masses");
  if (names.size() != masses.size()) refuse("types have not one mass each");
  for (std::size_t i = 0; i < names.size(); ++i) state.types.push_back({names[i], masses[i]});

  const Group grid = Group::open(file, "grid");
  state.grid.lower = read_three(grid.id(), "lower");
  state.grid.side = read_three(grid.id(), "side");
  const auto cells = read_three(grid.id(), "cells");
  constexpr double most_cells = std::numeric_limits<std::int32_t>::max();
  for (std::size_t d = 0; d < 3; ++d) {
    state.grid.cells[d] = static_cast<std::int32_t>(read_whole(cells[d], "cells", most_cells));
  }
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::vector<std::string> names_in(const Group& group) {
  std::vector<std::string> names;
  hdf5::check(H5Literate(group.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names),
              "list what is carried from step to step");
  return names;
}

NamedNumbers read_named_numbers(hid_t parent, const std::string& group_name) {
  const Group group = Group::open(parent, group_name);
  NamedNumbers numbers;
  for (const std::string& name : names_in(group)) {
    const Shape shape = Dataset::open(group.id(), name).shape();
    if (shape.size() != 1) refuse(fmt::format("{}/{} is no list", group_name, name));
    numbers[name] = read_rows<double>(group.id(), name, shape[0], H5T_NATIVE_DOUBLE);
  }
  return numbers;
}

ObservableChoice read_choice(const std::string& name, const NamedNumbers& parameters) {
  constexpr double most_steps = 1LL << 53;
  ObservableChoice choice{name, 0, 0, {}};
  for (const auto& [key, numbers] : parameters) {
    if (numbers.size() != 1) refuse(fmt::format("the parameter '{}' of {}", key, name));
    if (key == "every") {
      choice.every = read_whole(numbers.front(), key, most_steps);
    } else if (key == "from") {
      choice.from = read_whole(numbers.front(), key, most_steps);
    } else {
      choice.parameters[key] = numbers.front();
    }
  }
  if (choice.every < 1 || choice.from < 0) {
    refuse(fmt::format("{} is due every {} steps from {} on", name, choice.every, choice.from));
  }
  return choice;
}

bool has(hid_t file, const char* name) { return H5Lexists(file, name, H5P_DEFAULT) > 0; }

std::vector<ObservableState> read_observables(hid_t file) {
  std::vector<ObservableState> observables;
  if (!has(file, "observables")) return observables;
  const Group all = Group::open(file, "observables");
  for (const std::string& name : names_in(all)) {
    const Group one = Group::open(all.id(), name);
    observables.push_back({read_choice(name, read_named_numbers(one.id(), "parameters")),
                           read_named_numbers(one.id(), "state")});
  }
  return observables;
}

void read_list(hid_t file, double found_format, ExactState& state) {
  if (!has(file, "list")) return;
  const Group group = Group::open(file, "list");
  state.skin = read_one(group.id(), "skin");
  constexpr double most_steps = 1LL << 53;
  state.list_age = read_whole(read_one(group.id(), "age"), "age", most_steps);
  if (found_format >= static_cast<double>(first_with_age_before)) {
    state.list_age_before =
        read_whole(read_one(group.id(), "age_before"), "age_before", most_steps);
  }
  const bool are_ages = state.list_age >= 0 && state.list_age_before >= 0;
  if (!(std::isfinite(state.skin) && state.skin >= 0.0 && are_ages)) {
    refuse(fmt::format("a list of skin {} and age {}, after one of age {}", state.skin,
                       state.list_age, state.list_age_before));
  }
}

void read_particles(hid_t file, ExactState& state) {
  const Group group = Group::open(file, "particles");
  const hid_t at = group.id();
  const Shape shape = Dataset::open(at, "id").shape();
  const hsize_t count = shape.size() == 1 ? shape[0] : 0;
  state.id = read_rows<ParticleId>(at, "id", count, H5T_NATIVE_INT32);
  state.type = read_rows<std::int32_t>(at, "type", count, H5T_NATIVE_INT32);
  state.cell = read_rows<Int3>(at, "cell", count, H5T_NATIVE_INT32, 3);
  state.image = read_rows<Int3>(at, "image", count, H5T_NATIVE_INT32, 3);
  state.offset = read_rows<Double3>(at, "offset", count, H5T_NATIVE_DOUBLE, 3);
  state.velocity = read_rows<Double3>(at, "velocity", count, H5T_NATIVE_DOUBLE, 3);
  state.force = read_rows<Double3>(at, "force", count, H5T_NATIVE_DOUBLE, 3);
  if (!has(file, "list")) return;
  state.reference = read_rows<Double3>(at, "reference", count, H5T_NATIVE_DOUBLE, 3);
}

bool is_positive(const Double3& numbers) {
  return is_finite(numbers) && *std::min_element(numbers.begin(), numbers.end()) > 0.0;
}

void require_sound_space(const ExactState& state) {
  if (!is_finite(state.box.lower) || !is_positive(state.box.edges)) refuse("its box has no volume");
  if (!is_finite(state.grid.lower) || !is_positive(state.grid.side)) refuse("cells of no size");
  double cells = 1.0;
  for (const std::int32_t along : state.grid.cells) cells *= std::max(along, 0);
  if (!(cells >= 1.0 && cells <= 1e9)) refuse(fmt::format("a grid of {} cells", cells));
  for (const ParticleType& type : state.types) {
    if (!(std::isfinite(type.mass) && type.mass > 0.0)) refuse("a mass that is not positive");
  }
}

void require_sound_row(const ExactState& state, std::size_t i) {
  const ParticleId before = i == 0 ? 0 : state.id[i - 1];
  bool good = state.id[i] > before && state.type[i] >= 0 &&
              static_cast<std::size_t>(state.type[i]) < state.types.size();
  for (std::size_t d = 0; d < 3; ++d) {
    good = good && state.cell[i][d] >= 0 && state.cell[i][d] < state.grid.cells[d];
  }
  if (!good) refuse(fmt::format("row {} has a wrong id, type or cell", i + 1));
  if (!state.has_finite_row(i)) {
    refuse(fmt::format("row {} has an offset, velocity or force that is not finite", i + 1));
  }
}

/// What the device takes on trust: indices that stay inside their arrays, numbers that are some.
void require_sound(const ExactState& state) {
  if (state.id.empty()) refuse("it holds no particles");
  require_sound_space(state);
  for (std::size_t i = 0; i < state.id.size(); ++i) require_sound_row(state, i);
}

Checkpoint read_hdf5(const fs::path& path) {
  const hdf5::Lock lock;
  const hdf5::File file = hdf5::File::open_to_read(path);
  Checkpoint checkpoint;
  checkpoint.version = read_word(file.id(), "version");
  const double found = read_one(file.id(), "format");
  if (!(found >= static_cast<double>(oldest_format) && found <= static_cast<double>(format))) {
    refuse(fmt::format("format {} of pencilbox {}, this program reads formats {} to {}", found,
                       checkpoint.version, oldest_format, format));
  }
  checkpoint.deck = read_text(file.id(), "deck");
  const Group start = Group::open(file.id(), "start");
  checkpoint.start = {read_one(start.id(), "time"), read_one(start.id(), "total_energy")};
  ExactState& state = checkpoint.state;
  constexpr double most_steps = 1LL << 53;
  state.step = read_whole(read_one(file.id(), "step"), "step", most_steps);
  state.precision = read_precision(file.id());
  read_box_types_grid(file.id(), state);
  state.integrator = read_named_numbers(file.id(), "integrator");
  checkpoint.observables = read_observables(file.id());
  read_list(file.id(), found, state);
  read_particles(file.id(), state);
  require_sound(state);
  return checkpoint;
}

}  // namespace

void write_checkpoint_file(const fs::path& path, const Checkpoint& checkpoint) {
  write_hdf5(path, checkpoint);
  seal(path);
}

Checkpoint read_checkpoint_file(const fs::path& path) {
  if (const auto fault = seal_fault(path)) {
    throw InputError(fmt::format("{}: {}", path.string(), *fault));
  }
  try {
    return read_hdf5(path);
  } catch (const NotEnoughMemory&) {
    throw;
  } catch (const SystemError& error) {
    throw InputError(
        fmt::format("{}: cannot be resumed by this version: {}", path.string(), error.what()));
  }
}

}  // namespace pencilbox
