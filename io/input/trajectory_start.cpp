#include "io/input/trajectory_start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/exact_state.hpp"
#include "core/memory_limit.hpp"
#include "io/input/complaint.hpp"

namespace pencilbox {

namespace fs = std::filesystem;
using hdf5::Dataset;
using hdf5::Group;
using hdf5::Shape;

TrajectoryStart::TrajectoryStart(const fs::path& path) : name_(path.string()) {
  try {
    file_.emplace(hdf5::File::open_to_read(path));
  } catch (const SystemError& error) {
    complain(name_, fmt::format("cannot be opened: damaged, or cut short ({})", error.what()), "",
             hdf5_start_kinds);
  }
  if (!hdf5::has(file_->id(), "h5md") || !hdf5::has(file_->id(), "particles")) {
    const bool unsealed = hdf5::has(file_->id(), "grid") && hdf5::has(file_->id(), "deck");
    complain(name_, unsealed ? "a checkpoint whose end is missing" : "an HDF5 file of another kind",
             "", hdf5_start_kinds);
  }
  in_words([&] { open(); });
}

StartState TrajectoryStart::read(const StartFileRequest& request) const {
  const std::int64_t frame = frame_number(request.frame.value_or(-1));
  require_memory(bytes_of_start(static_cast<std::int64_t>(particles_)));
  if (!has("velocity") && !request.draws_velocities) {
    complain(name_ + ": velocity", "this trajectory has no velocities", "",
             "a trajectory with `velocity` in output.trajectory.fields, a checkpoint, or "
             "system.velocities in the deck");
  }
  StartState start;
  in_words([&] { start = read_frame(static_cast<hsize_t>(frame), request.draws_velocities); });
  return start;
}

template <class Action>
void TrajectoryStart::in_words(const Action& action) const {
  try {
    action();
  } catch (const SystemError& error) {
    complain(name_, fmt::format("cannot be read: {}", error.what()), "", hdf5_start_kinds);
  }
}

void TrajectoryStart::refuse(const std::string& what, const std::string& allowed) const {
  complain(name_, what, "", allowed);
}

Dataset TrajectoryStart::values_of(const std::string& field) const {
  return Dataset::open(group_->id(), field + "/value");
}

void TrajectoryStart::open() {
  if (!hdf5::has(Group::open(file_->id(), "particles").id(), "all")) {
    refuse("no group particles/all: an H5MD file of another program",
           std::string(hdf5_start_kinds));
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
void TrajectoryStart::count(const Dataset& dataset, const Shape& row) {
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

void TrajectoryStart::read_box() {
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

std::int64_t TrajectoryStart::frame_number(std::int64_t wanted) const {
  const std::int64_t frame = wanted < 0 ? wanted + frames_ : wanted;
  if (frame >= 0 && frame < frames_) return frame;
  complain(name_ + ": frame", "no such frame", fmt::format("{}", wanted),
           fmt::format("0 to {}, or -1 (the last) to -{}", frames_ - 1, frames_));
}

Box TrajectoryStart::box_of(hsize_t frame) const {
  Box box = box_;
  std::array<double, 9> edges{};
  Dataset::open(group_->id(), "box/edges/value")
      .read_row(frame, H5T_NATIVE_DOUBLE, edges.data(), edges.size());
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

StartState TrajectoryStart::read_frame(hsize_t frame, bool without_velocities) const {
  StartState start;
  start.box = box_of(frame);
  start.id = ids(frame);
  read_types(start);
  start.position.resize(particles_);
  start.velocity.assign(particles_, Double3{});
  start.image.assign(particles_, std::array<std::int32_t, 3>{});
  values_of("position").read_row(frame, H5T_NATIVE_DOUBLE, start.position.data(), 3 * particles_);
  if (!without_velocities) {
    values_of("velocity").read_row(frame, H5T_NATIVE_DOUBLE, start.velocity.data(), 3 * particles_);
  }
  if (has("image"))
    values_of("image").read_row(frame, H5T_NATIVE_INT32, start.image.data(), 3 * particles_);
  return start;
}

std::vector<ParticleId> TrajectoryStart::ids(hsize_t frame) const {
  std::vector<ParticleId> ids(particles_);
  std::iota(ids.begin(), ids.end(), ParticleId{1});
  if (!has("id")) return ids;
  values_of("id").read_row(frame, H5T_NATIVE_INT32, ids.data(), particles_);
  const auto fall = std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>());
  if (ids.front() < 1 || fall != ids.end()) {
    refuse("ids that do not ascend from 1 or more", "rows in the order of id");
  }
  return ids;
}

void TrajectoryStart::read_types(StartState& start) const {
  const Dataset species = Dataset::open(group_->id(), "species");
  const Dataset mass = Dataset::open(group_->id(), "mass");
  if (species.shape() != Shape{particles_} || mass.shape() != Shape{particles_}) {
    refuse("species and mass are not one number a particle", "[N]");
  }
  start.type.resize(particles_);
  std::vector<double> masses(particles_);
  species.read(H5T_NATIVE_INT32, start.type.data(), particles_);
  mass.read(H5T_NATIVE_DOUBLE, masses.data(), particles_);
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
void TrajectoryStart::take_exact_masses(const Dataset& species,
                                        std::vector<ParticleType>& types) const {
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

void TrajectoryStart::require_sound(const ParticleType& type) const {
  if (!(type.mass >= 1e-6 && type.mass <= 1e6)) {
    refuse(fmt::format("mass {} of type {}", type.mass, type.name), "a mass from 1e-06 to 1e+06");
  }
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f'; };
  if (type.name.empty() || !std::all_of(type.name.begin(), type.name.end(), is_plain)) {
    refuse("a type without a plain name", "printable letters");
  }
}

}  // namespace pencilbox
