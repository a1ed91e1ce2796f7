#include "io/convert/texts.hpp"

#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pencilbox {
namespace {

using Buffer = fmt::memory_buffer;

template <class... Values>
void add(Buffer& text, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
}

template <class Number>
void add_vector(Buffer& text, const std::array<Number, 3>& vector) {
  add(text, " {} {} {}", vector[0], vector[1], vector[2]);
}

std::string_view letter(bool periodic) { return periodic ? "T" : "F"; }

/// Count and comment line.
void add_xyz_head(Buffer& text, const StoredFrame& frame, std::string_view properties) {
  const Box& box = frame.state.box;
  add(text, "{}\n", frame.state.size());
  add(text, "Lattice=\"{} 0 0 0 {} 0 0 0 {}\" ", box.edges[0], box.edges[1], box.edges[2]);
  if (box.lower != Double3{}) add(text, "Origin=\"{}\" ", fmt::join(box.lower, " "));
  add(text, "pbc=\"{} {} {}\" Properties={} step={} time={}\n", letter(box.periodic[0]),
      letter(box.periodic[1]), letter(box.periodic[2]), properties, frame.step, frame.time);
}

const ParticleType& type_of(const StartState& state, std::size_t i) {
  return state.types[static_cast<std::size_t>(state.type[i])];
}

/// The upper end of a side of which a reader makes the same edge again, where there is one.
double upper_end(double lower, double edge) {
  const double upper = lower + edge;
  for (const double candidate :
       {upper, std::nextafter(upper, lower), std::nextafter(upper, upper + edge)}) {
    if (candidate - lower == edge) return candidate;
  }
  return upper;
}

void add_lammps_head(Buffer& text, const StoredFrame& frame) {
  const StartState& state = frame.state;
  add(text, "LAMMPS data file by pencilbox, units = lj, step = {}, time = {}\n\n", frame.step,
      frame.time);
  add(text, "{} atoms\n{} atom types\n\n", state.size(), state.types.size());
  for (std::size_t d = 0; d < 3; ++d) {
    const double lower = state.box.lower[d];
    const char name = static_cast<char>('x' + d);
    add(text, "{} {} {}lo {}hi\n", lower, upper_end(lower, state.box.edges[d]), name, name);
  }
  add(text, "\nMasses\n\n");
  for (std::size_t i = 0; i < state.types.size(); ++i) {
    add(text, "{} {} # {}\n", i + 1, state.types[i].mass, state.types[i].name);
  }
}

}  // namespace

std::string extended_xyz(const StoredFrame& frame) {
  const StartState& state = frame.state;
  Buffer text;
  add_xyz_head(
      text, frame,
      fmt::format("species:S:1:pos:R:3{}{}:masses:R:1:id:I:1",
                  frame.has_velocities ? ":velo:R:3" : "", frame.has_images ? ":image:I:3" : ""));
  for (std::size_t i = 0; i < state.id.size(); ++i) {
    const ParticleType& type = type_of(state, i);
    add(text, "{}", type.name);
    add_vector(text, state.position[i]);
    if (frame.has_velocities) add_vector(text, state.velocity[i]);
    if (frame.has_images) add_vector(text, state.image[i]);
    add(text, " {} {}\n", type.mass, state.id[i]);
  }
  return fmt::to_string(text);
}

std::string plain_xyz(const StoredFrame& frame) {
  const StartState& state = frame.state;
  Buffer text;
  add_xyz_head(text, frame, "species:S:1:pos:R:3");
  for (std::size_t i = 0; i < state.id.size(); ++i) {
    add(text, "{}", type_of(state, i).name);
    add_vector(text, state.position[i]);
    add(text, "\n");
  }
  return fmt::to_string(text);
}

std::string lammps_data(const StoredFrame& frame) {
  const StartState& state = frame.state;
  Buffer text;
  add_lammps_head(text, frame);
  add(text, "\nAtoms # atomic\n\n");
  for (std::size_t i = 0; i < state.id.size(); ++i) {
    add(text, "{} {}", state.id[i], state.type[i] + 1);
    add_vector(text, state.position[i]);
    if (frame.has_images) add_vector(text, state.image[i]);
    add(text, "\n");
  }
  if (!frame.has_velocities) return fmt::to_string(text);
  add(text, "\nVelocities\n\n");
  for (std::size_t i = 0; i < state.id.size(); ++i) {
    add(text, "{}", state.id[i]);
    add_vector(text, state.velocity[i]);
    add(text, "\n");
  }
  return fmt::to_string(text);
}

}  // namespace pencilbox
