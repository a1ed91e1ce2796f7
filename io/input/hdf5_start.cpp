#include "io/input/hdf5_start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/exact_state.hpp"
#include "io/checkpoint/checkpoint_file.hpp"
#include "io/checkpoint/seal.hpp"
#include "io/input/complaint.hpp"
#include "io/input/start_builder.hpp"
#include "io/output/hdf5.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;
using hdf5::Dataset;
using hdf5::Group;
using hdf5::Shape;
using Int3 = std::array<std::int32_t, 3>;

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
constexpr std::string_view both_kinds = "a checkpoint or an H5MD trajectory of pencilbox";

// What any start must be.

std::string words_of(const Bool3& periodic) {
  std::vector<std::string_view> words;
  for (const bool direction : periodic) words.push_back(direction ? "periodic" : "open");
  return fmt::format("[{}]", fmt::join(words, ", "));
}

void require_boundary(const std::string& name, const Bool3& in_file, const Bool3& in_deck) {
  if (in_file == in_deck) return;
  complain(name + ": boundary", "disagrees with system.boundary of the deck", words_of(in_file),
           words_of(in_deck) + ", or no system.boundary: then it is the file's");
}

/// Of a coordinate that rounding has put on a face, or that left a cell since the list was made.
void wrap(const std::string& name, const Box& box, std::size_t d, ParticleId id, double& x,
          std::int32_t& image) {
  const double lower = box.lower[d], edge = box.edges[d], upper = lower + edge;
  if (!box.periodic[d] || (x >= lower && x < upper)) return;
  const std::int32_t step = x < lower ? -1 : 1;
  const double moved = x - step * edge;
  const bool far = moved < lower - edge || moved > upper + edge;
  const bool last = image == (step < 0 ? std::numeric_limits<std::int32_t>::min()
                                       : std::numeric_limits<std::int32_t>::max());
  if (far || last) {
    complain(name + ": position",
             last ? "image flag out of range" : "outside a periodic direction by more than a side",
             fmt::format("{} of id {}", x, id), fmt::format("{} to {}", lower, upper));
  }
  if (step < 0 && moved >= upper) {  // a hair below the lower corner, which is its image
    x = lower;
    return;
  }
  image += step;
  x = std::clamp(moved, lower, std::nextafter(upper, lower));
}

void require_finite(const std::string& name, std::string_view what, ParticleId id,
                    const Double3& numbers) {
  if (is_finite(numbers)) return;
  complain(fmt::format("{}: {}", name, what), "not finite",
           fmt::format("[{}] of id {}", fmt::join(numbers, ", "), id), "finite numbers");
}

void settle_particles(const std::string& name, StartState& start) {
  for (std::size_t i = 0; i < start.id.size(); ++i) {
    require_finite(name, "position", start.id[i], start.position[i]);
    require_finite(name, "velocity", start.id[i], start.velocity[i]);
    for (std::size_t d = 0; d < 3; ++d) {
      wrap(name, start.box, d, start.id[i], start.position[i][d], start.image[i][d]);
    }
  }
  if (const auto pair = two_at_one_point(start)) {
    complain(name + ": position", "two particles at one point",
             fmt::format("ids {} and {}", start.id[pair->first], start.id[pair->second]),
             fmt::format("a distance of at least {:g}", one_point));
  }
}

/// A mass that was written as a float counts as the number that it was made of.
bool is_same_mass(double in_file, double in_deck) {
  return in_file == in_deck || in_file == static_cast<double>(static_cast<float>(in_deck));
}

/// The types of the deck, in its order, where it has any: those of the file by name among them.
void take_types_of_deck(const std::string& name, const std::vector<ParticleType>& wanted,
                        StartState& start) {
  if (wanted.empty()) return;
  std::vector<std::int32_t> place_of;
  for (const ParticleType& type : start.types) {
    const auto same_name = [&](const ParticleType& other) { return other.name == type.name; };
    const auto found = std::find_if(wanted.begin(), wanted.end(), same_name);
    if (found == wanted.end()) {
      std::vector<std::string> names;
      for (const ParticleType& other : wanted) names.push_back(other.name);
      complain(name + ": species", "no such type in the deck", type.name,
               fmt::format("{}", fmt::join(names, ", ")));
    }
    if (!is_same_mass(type.mass, found->mass)) {
      complain(name + ": mass", "disagrees with the deck",
               fmt::format("mass {} of type {}", type.mass, type.name),
               fmt::format("{}, as in system.types", found->mass));
    }
    place_of.push_back(static_cast<std::int32_t>(found - wanted.begin()));
  }
  for (std::int32_t& type : start.type) type = place_of[static_cast<std::size_t>(type)];
  start.types = wanted;
}

// Checkpoints.

StartState start_of(ExactState state) {
  StartState start;
  start.box = state.box;
  start.types = std::move(state.types);
  start.id = std::move(state.id);
  start.type = std::move(state.type);
  start.velocity = std::move(state.velocity);
  start.image = std::move(state.image);
  start.position.resize(start.id.size());
  for (std::size_t i = 0; i < start.id.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double inside = (state.cell[i][d] + 0.5) * state.grid.side[d] + state.offset[i][d];
      start.position[i][d] = state.grid.lower[d] + inside;
    }
  }
  return start;
}

// Trajectories.

/// A file whose every complaint names it.
class TrajectoryStart {
 public:
  explicit TrajectoryStart(const fs::path& path) : name_(path.string()) {
    try {
      file_.emplace(hdf5::File::open_to_read(path));
    } catch (const SystemError& error) {
      complain(name_, fmt::format("cannot be opened: damaged, or cut short ({})", error.what()), "",
               both_kinds);
    }
    if (!hdf5::has(file_->id(), "h5md") || !hdf5::has(file_->id(), "particles")) {
      const bool unsealed = hdf5::has(file_->id(), "grid") && hdf5::has(file_->id(), "deck");
      complain(name_,
               unsealed ? "a checkpoint whose end is missing" : "an HDF5 file of another kind", "",
               both_kinds);
    }
    in_words([&] { open(); });
  }

  Hdf5StartInfo info() const { return {true, frames_, box_.periodic}; }

  StartState read(const StartFileRequest& request) const {
    const std::int64_t frame = frame_number(request.frame.value_or(-1));
    if (!has("velocity") && !request.draws_velocities) {
      complain(name_ + ": velocity", "this trajectory has no velocities", "",
               "a trajectory with `velocity` in output.trajectory.fields, a checkpoint, or "
               "system.velocities in the deck");
    }
    StartState start;
    in_words([&] { start = read_frame(static_cast<hsize_t>(frame), request.draws_velocities); });
    return start;
  }

 private:
  template <class Action>
  void in_words(const Action& action) const {
    try {
      action();
    } catch (const SystemError& error) {
      complain(name_, fmt::format("cannot be read: {}", error.what()), "", both_kinds);
    }
  }

  [[noreturn]] void refuse(const std::string& what, const std::string& allowed) const {
    complain(name_, what, "", allowed);
  }

  bool has(const std::string& field) const { return hdf5::has(group_->id(), field); }

  Dataset values_of(const std::string& field) const {
    return Dataset::open(group_->id(), field + "/value");
  }

  void open() {
    if (!hdf5::has(Group::open(file_->id(), "particles").id(), "all")) {
      refuse("no group particles/all: an H5MD file of another program", std::string(both_kinds));
    }
    group_.emplace(Group::open(file_->id(), "particles/all"));
    const Shape shape = values_of("position").shape();
    if (shape.size() != 3 || shape[2] != 3 || shape[1] < 1 ||
        shape[1] > static_cast<hsize_t>(std::numeric_limits<ParticleId>::max())) {
      refuse(fmt::format("position has shape [{}]", fmt::join(shape, "][")), "[frames][N][3]");
    }
    particles_ = shape[1];
    frames_ = static_cast<std::int64_t>(shape[0]);
    count(Dataset::open(group_->id(), "position/step"), {});
    count(Dataset::open(group_->id(), "box/edges/value"), {3, 3});
    for (const char* field : {"velocity", "image"}) {
      if (has(field)) count(values_of(field), {particles_, 3});
    }
    if (has("id")) count(values_of("id"), {particles_});
    if (frames_ == 0) refuse("holds no frame yet", "a trajectory with a frame");
    read_box();
  }

  /// A run that was killed, or goes on, leaves at most one frame that is not in all datasets.
  void count(const Dataset& dataset, const Shape& row) {
    Shape wanted{0};
    wanted.insert(wanted.end(), row.begin(), row.end());
    const Shape shape = dataset.shape();
    if (!shape.empty()) wanted[0] = shape[0];
    if (shape != wanted) {
      refuse(fmt::format("a dataset has shape [{}]", fmt::join(shape, "][")),
             fmt::format("[frames][{}]", fmt::join(row, "][")));
    }
    frames_ = std::min(frames_, static_cast<std::int64_t>(shape[0]));
  }

  void read_box() {
    const Group group = Group::open(group_->id(), "box");
    const std::vector<std::string> boundary = hdf5::read_texts(group.id(), "boundary");
    if (boundary.size() != 3) refuse("its box has not three directions", "three");
    for (std::size_t d = 0; d < 3; ++d) box_.periodic[d] = boundary[d] == "periodic";
    const std::vector<double> origin = hdf5::has_attribute(group.id(), "origin")
                                           ? hdf5::read_numbers(group.id(), "origin")
                                           : std::vector<double>(3, 0.0);
    if (origin.size() != 3) refuse("the origin of its box has not three numbers", "three");
    std::copy(origin.begin(), origin.end(), box_.lower.begin());
  }

  std::int64_t frame_number(std::int64_t wanted) const {
    const std::int64_t frame = wanted < 0 ? wanted + frames_ : wanted;
    if (frame >= 0 && frame < frames_) return frame;
    complain(name_ + ": frame", "no such frame", fmt::format("{}", wanted),
             fmt::format("0 to {}, or -1 (the last) to -{}", frames_ - 1, frames_));
  }

  Box box_of(hsize_t frame) const {
    Box box = box_;
    std::array<double, 9> edges{};
    Dataset::open(group_->id(), "box/edges/value").read_row(frame, H5T_NATIVE_DOUBLE, edges.data());
    for (std::size_t k = 0; k < 9; ++k) {
      const bool diagonal = k % 4 == 0;
      if (diagonal) box.edges[k / 4] = edges[k];
      if (!std::isfinite(edges[k]) || (diagonal ? edges[k] <= 0.0 : edges[k] != 0.0)) {
        refuse(fmt::format("edges of the box [{}]", fmt::join(edges, ", ")),
               "those of an orthogonal box");
      }
    }
    if (!is_finite(box.lower)) refuse("the origin of its box is not finite", "finite numbers");
    return box;
  }

  StartState read_frame(hsize_t frame, bool without_velocities) const {
    StartState start;
    start.box = box_of(frame);
    start.id = ids(frame);
    read_types(start);
    start.position.resize(particles_);
    start.velocity.assign(particles_, Double3{});
    start.image.assign(particles_, Int3{});
    values_of("position").read_row(frame, H5T_NATIVE_DOUBLE, start.position.data());
    if (!without_velocities) {
      values_of("velocity").read_row(frame, H5T_NATIVE_DOUBLE, start.velocity.data());
    }
    if (has("image")) values_of("image").read_row(frame, H5T_NATIVE_INT32, start.image.data());
    return start;
  }

  std::vector<ParticleId> ids(hsize_t frame) const {
    std::vector<ParticleId> ids(particles_);
    std::iota(ids.begin(), ids.end(), ParticleId{1});
    if (!has("id")) return ids;
    values_of("id").read_row(frame, H5T_NATIVE_INT32, ids.data());
    const auto fall = std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>());
    if (ids.front() < 1 || fall != ids.end()) {
      refuse("ids that do not ascend from 1 or more", "rows in the order of id");
    }
    return ids;
  }

  void read_types(StartState& start) const {
    const Dataset species = Dataset::open(group_->id(), "species");
    const Dataset mass = Dataset::open(group_->id(), "mass");
    if (species.shape() != Shape{particles_} || mass.shape() != Shape{particles_}) {
      refuse("species and mass are not one number a particle", "[N]");
    }
    start.type.resize(particles_);
    std::vector<double> masses(particles_);
    species.read(H5T_NATIVE_INT32, start.type.data());
    mass.read(H5T_NATIVE_DOUBLE, masses.data());
    for (const std::string& name : hdf5::read_texts(species.id(), "names")) {
      start.types.push_back({name, std::numeric_limits<double>::quiet_NaN()});
    }
    for (std::size_t i = 0; i < start.type.size(); ++i) {
      const auto type = static_cast<std::size_t>(start.type[i]);
      if (start.type[i] < 0 || type >= start.types.size()) {
        refuse(fmt::format("species {} of id {}", start.type[i], start.id[i]),
               fmt::format("0 to {}", start.types.size() - 1));
      }
      double& of_type = start.types[type].mass;
      if (std::isnan(of_type)) of_type = masses[i];
      if (of_type != masses[i]) {
        refuse(fmt::format("two masses of type {}", start.types[type].name), "one mass a type");
      }
    }
    take_exact_masses(species, start.types);
    for (const ParticleType& type : start.types) require_sound(type);
  }

  /// One number a particle may be a float; those of the types are not.
  void take_exact_masses(const Dataset& species, std::vector<ParticleType>& types) const {
    if (!hdf5::has_attribute(species.id(), "masses")) {
      for (ParticleType& type : types) {
        if (std::isnan(type.mass)) type.mass = 1.0;  // of no particle: it weighs nothing
      }
      return;
    }
    const std::vector<double> exact = hdf5::read_numbers(species.id(), "masses");
    if (exact.size() != types.size()) refuse("types have not one mass each", "one mass a type");
    for (std::size_t k = 0; k < types.size(); ++k) types[k].mass = exact[k];
  }

  void require_sound(const ParticleType& type) const {
    if (!(std::isfinite(type.mass) && type.mass > 0.0)) {
      refuse(fmt::format("mass {} of type {}", type.mass, type.name), "a positive mass");
    }
    const auto is_plain = [](char c) { return c > ' ' && c < '\x7f'; };
    if (type.name.empty() || !std::all_of(type.name.begin(), type.name.end(), is_plain)) {
      refuse("a type without a plain name", "printable letters");
    }
  }

  std::string name_;
  std::optional<hdf5::File> file_;
  std::optional<Group> group_;
  hsize_t particles_ = 0;
  std::int64_t frames_ = 0;
  Box box_;  // without its sides, which each frame has
};

StartState read_checkpoint(const fs::path& path, const StartFileRequest& request) {
  if (request.frame) {
    complain(path.string() + ": frame", "a checkpoint has no frames",
             fmt::format("frame {}", *request.frame), "no frame, or a trajectory");
  }
  StartState start = start_of(read_checkpoint_file(path).state);
  if (request.draws_velocities) start.velocity.assign(start.id.size(), Double3{});
  return start;
}

}  // namespace

bool is_hdf5_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, signature.size()> bytes{};
  file.read(bytes.data(), bytes.size());
  return file && std::string_view(bytes.data(), bytes.size()) == signature;
}

Hdf5StartInfo inspect_hdf5_start(const fs::path& path) {
  const hdf5::Lock lock;
  if (has_seal(path)) return {false, 1, read_checkpoint_file(path).state.box.periodic};
  return TrajectoryStart(path).info();
}

StartState read_hdf5_start(const fs::path& path, const StartFileRequest& request) {
  const hdf5::Lock lock;
  StartState start =
      has_seal(path) ? read_checkpoint(path, request) : TrajectoryStart(path).read(request);
  const std::string name = path.string();
  require_boundary(name, start.box.periodic, request.periodic);
  take_types_of_deck(name, request.types, start);
  settle_particles(name, start);
  return start;
}

}  // namespace pencilbox
