#include "io/input/hdf5_start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/exact_state.hpp"
#include "core/memory_limit.hpp"
#include "io/checkpoint/checkpoint_file.hpp"
#include "io/checkpoint/seal.hpp"
#include "io/input/complaint.hpp"
#include "io/input/row_numbers.hpp"
#include "io/input/start_builder.hpp"
#include "io/input/trajectory_start.hpp"
#include "io/output/hdf5.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";

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

/// As in texts: with room for a billion more crossings, and a corner whose digits can be told.
void require_near(const std::string& name, const StartState& start) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max() - 1'000'000'000;
  for (std::size_t d = 0; d < 3; ++d) {
    require_box_corner(start.box.lower[d], name + ": box");
    require_box_corner(start.box.lower[d] + start.box.edges[d], name + ": box");
  }
  for (std::size_t i = 0; i < start.id.size(); ++i) {
    for (const std::int32_t image : start.image[i]) {
      if (image >= -most && image <= most) continue;
      complain(name + ": image", "image flag out of range",
               fmt::format("{} of id {}", image, start.id[i]),
               fmt::format("{} to {}", -most, most));
    }
  }
}

void settle_particles(const std::string& name, StartState& start) {
  require_near(name, start);
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
/// A mass that the deck does not give is the file's.
void take_types_of_deck(const std::string& name, const StartFileRequest& request,
                        StartState& start) {
  std::vector<ParticleType> wanted = request.types;
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
    if (!request.gives_mass(static_cast<std::size_t>(found - wanted.begin()))) {
      found->mass = type.mass;
    } else if (!is_same_mass(type.mass, found->mass)) {
      complain(name + ": mass", "disagrees with the deck",
               fmt::format("mass {} of type {}", type.mass, type.name),
               fmt::format("{}, as in system.types", found->mass));
    }
    place_of.push_back(static_cast<std::int32_t>(found - wanted.begin()));
  }
  for (std::int32_t& type : start.type) type = place_of[static_cast<std::size_t>(type)];
  start.types = std::move(wanted);
}

}  // namespace

// Checkpoints.

namespace {

std::vector<Double3> positions_of(const ExactState& state) {
  std::vector<Double3> position(state.id.size());
  for (std::size_t i = 0; i < position.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double inside = (state.cell[i][d] + 0.5) * state.grid.side[d] + state.offset[i][d];
      position[i][d] = state.grid.lower[d] + inside;
    }
  }
  return position;
}

}  // namespace

StartState start_of(const ExactState& state) {
  require_memory(bytes_of_start(state.size()));
  return {state.box,           state.types,    state.id,   state.type,
          positions_of(state), state.velocity, state.image};
}

StartState start_of(ExactState&& state) {
  require_memory(static_cast<std::int64_t>(state.id.size() * sizeof(Double3)));
  std::vector<Double3> position = positions_of(state);
  return {
      state.box,           std::move(state.types),    std::move(state.id),   std::move(state.type),
      std::move(position), std::move(state.velocity), std::move(state.image)};
}

namespace {

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
  take_types_of_deck(name, request, start);
  settle_particles(name, start);
  return start;
}

}  // namespace pencilbox
