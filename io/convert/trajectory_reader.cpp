#include "io/convert/trajectory_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/memory_limit.hpp"
#include "core/observation.hpp"
#include "io/output/hdf5.hpp"
#include "io/output/trajectory_file.hpp"
#include "io/output/trajectory_info.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;
using hdf5::Dataset;
using hdf5::Group;

template <class Action>
auto in_words(const fs::path& file, const Action& action) {
  try {
    return action();
  } catch (const NotEnoughMemory&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(
        fmt::format("{}: no trajectory that can be read: {}", file.string(), error.what()));
  }
}

std::string value_of(Field field) { return fmt::format("{}/value", name_of(field)); }

bool has(const Group& particles, Field field) {
  return hdf5::has(particles.id(), std::string(name_of(field)));
}

void require_shape(const Dataset& dataset, std::size_t first, const hdf5::Shape& rest) {
  const hdf5::Shape shape = dataset.shape();
  const bool fits = shape.size() == rest.size() + first &&
                    std::equal(rest.begin(), rest.end(), shape.begin() + static_cast<long>(first));
  if (!fits) throw InputError("a dataset has another number of particles than `species`");
}

/// The row `row` of a field of three components.
template <class Vector>
std::vector<Vector> vectors(const Group& particles, Field field, hsize_t row, hid_t memory,
                            std::size_t count) {
  const Dataset dataset = Dataset::open(particles.id(), value_of(field));
  require_shape(dataset, 1, {count, 3});
  std::vector<Vector> values(count);
  dataset.read_row(row, memory, values.data(), 3 * count);
  return values;
}

std::vector<ParticleId> ids(const Group& particles, hsize_t row, std::size_t count) {
  std::vector<ParticleId> ids(count);
  std::iota(ids.begin(), ids.end(), ParticleId{1});
  if (!has(particles, Field::id)) return ids;
  const Dataset dataset = Dataset::open(particles.id(), value_of(Field::id));
  require_shape(dataset, 1, {count});
  dataset.read_row(row, H5T_NATIVE_INT32, ids.data(), count);
  const auto fall = std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>());
  if (ids.front() >= 1 && fall == ids.end()) return ids;
  throw InputError("its ids do not ascend from 1 or more");
}

/// The number that a float was made of: that with the fewest digits.
double decimal(double stored, bool is_float) {
  return is_float ? std::stod(fmt::format("{}", static_cast<float>(stored))) : stored;
}

std::vector<ParticleType> types_of(const Group& particles, const std::vector<std::int32_t>& type) {
  const Dataset species = Dataset::open(particles.id(), "species");
  const Dataset mass = Dataset::open(particles.id(), "mass");
  require_shape(mass, 0, {type.size()});
  std::vector<double> masses(type.size());
  mass.read(H5T_NATIVE_DOUBLE, masses.data(), masses.size());
  std::vector<ParticleType> types;
  for (const std::string& name : hdf5::read_texts(species.id(), "names")) {
    types.push_back({name, 1.0});
  }
  const bool is_float = mass.stores(H5T_IEEE_F32LE);
  std::vector<bool> known(types.size(), false);
  for (std::size_t i = 0; i < type.size(); ++i) {
    const auto index = static_cast<std::size_t>(type[i]);
    if (type[i] < 0 || index >= types.size()) throw InputError("a species without a name");
    if (!known[index]) types[index].mass = decimal(masses[i], is_float);
    known[index] = true;
  }
  if (!hdf5::has_attribute(species.id(), "masses")) return types;
  const std::vector<double> exact = hdf5::read_numbers(species.id(), "masses");
  for (std::size_t i = 0; i < std::min(exact.size(), types.size()); ++i) types[i].mass = exact[i];
  return types;
}

/// False for who is farther outside than rounding could have put it.
bool wrap(const Box& box, std::size_t d, double& x, std::int32_t& image) {
  const double edge = box.edges[d], lower = box.lower[d], upper = lower + edge;
  if (!box.periodic[d] || (x >= lower && x < upper)) return true;
  if (x < lower - edge || x > upper + edge) return false;
  const std::int32_t step = x < lower ? -1 : 1;
  const double moved = x - step * edge;
  if (step < 0 && moved >= upper) {  // a hair below the lower corner rounds to its image
    x = lower;
    return true;
  }
  image += step;
  x = std::clamp(moved, lower, std::nextafter(upper, lower));
  return true;
}

/// A file may be anybody's: what no run has written is not handed on.
void require_sound(const StartState& state) {
  const Box& box = state.box;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!(std::isfinite(box.lower[d]) && std::isfinite(box.edges[d]) && box.edges[d] > 0.0)) {
      throw InputError(
          fmt::format("its box has no side, but {} from {} on", box.edges[d], box.lower[d]));
    }
  }
  for (const ParticleType& type : state.types) {
    if (std::isfinite(type.mass) && type.mass > 0.0) continue;
    throw InputError(fmt::format("the mass {} of type {}", type.mass, type.name));
  }
}

void settle(StartState& state) {
  for (std::size_t i = 0; i < state.position.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (!std::isfinite(state.position[i][d]) || !std::isfinite(state.velocity[i][d])) {
        throw InputError(fmt::format("particle {} has no finite coordinates", state.id[i]));
      }
      if (wrap(state.box, d, state.position[i][d], state.image[i][d])) continue;
      throw InputError(fmt::format("particle {} lies outside its periodic box", state.id[i]));
    }
  }
}

StartState read_state(const Group& particles, hsize_t row) {
  StartState state;
  const Dataset species = Dataset::open(particles.id(), "species");
  const std::size_t count = species.shape().at(0);
  if (count < 1 || count > std::numeric_limits<ParticleId>::max()) {
    throw InputError(fmt::format("{} particles", count));
  }
  require_memory(bytes_of_start(static_cast<std::int64_t>(count)));
  state.type.resize(count);
  species.read(H5T_NATIVE_INT32, state.type.data(), count);
  state.types = types_of(particles, state.type);
  state.id = ids(particles, row, count);
  state.box = box_of_frame(particles, row);
  state.position = vectors<Double3>(particles, Field::position, row, H5T_NATIVE_DOUBLE, count);
  state.velocity.assign(count, Double3{});
  state.image.assign(count, {});
  if (has(particles, Field::velocity)) {
    state.velocity = vectors<Double3>(particles, Field::velocity, row, H5T_NATIVE_DOUBLE, count);
  }
  if (has(particles, Field::image)) {
    state.image =
        vectors<std::array<std::int32_t, 3>>(particles, Field::image, row, H5T_NATIVE_INT32, count);
  }
  require_sound(state);
  settle(state);
  return state;
}

/// Those of the frames that are whole. What a killed run was dropping has step 0.
std::size_t whole_frames(const std::vector<std::int64_t>& steps) {
  const auto last = std::adjacent_find(steps.begin(), steps.end(), std::greater_equal<>());
  return last == steps.end() ? steps.size() : static_cast<std::size_t>(last - steps.begin()) + 1;
}

}  // namespace

TrajectoryReader::TrajectoryReader(const fs::path& path) {
  const std::vector<fs::path> files = trajectory_data_files(path);
  if (files.empty()) throw InputError(fmt::format("{}: no such file", path.string()));
  const hdf5::Lock lock;
  for (const fs::path& file : files) in_words(file, [&] { find_frames(file); });
}

void TrajectoryReader::find_frames(const fs::path& name) {
  const hdf5::File file = hdf5::File::open_to_read(name);
  const Group particles = Group::open(file.id(), "particles/all");
  const Dataset step = Dataset::open(particles.id(), "position/step");
  const Dataset time = Dataset::open(particles.id(), "position/time");
  std::vector<std::int64_t> steps(step.shape().at(0));
  std::vector<double> times(time.shape().at(0));
  step.read(H5T_NATIVE_INT64, steps.data(), steps.size());
  time.read(H5T_NATIVE_DOUBLE, times.data(), times.size());
  steps.resize(std::min(steps.size(), times.size()));
  steps.resize(whole_frames(steps));
  for (std::size_t row = 0; row < steps.size(); ++row) {
    if (!places_.empty() && steps[row] <= places_.back().step) break;
    places_.push_back({name, row, steps[row], times[row]});
  }
}

StoredFrame TrajectoryReader::read(std::int64_t number) const {
  const Place& place = places_.at(static_cast<std::size_t>(number));
  const hdf5::Lock lock;
  return in_words(place.file, [&] {
    const hdf5::File file = hdf5::File::open_to_read(place.file);
    const Group particles = Group::open(file.id(), "particles/all");
    return StoredFrame{place.step, place.time, has(particles, Field::velocity),
                       has(particles, Field::image), read_state(particles, place.row)};
  });
}

}  // namespace pencilbox
