#include "io/input/start_builder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "core/memory_limit.hpp"
#include "core/point_grid.hpp"
#include "io/input/complaint.hpp"

namespace pencilbox {
namespace {

constexpr std::array<char, 3> direction_names{'x', 'y', 'z'};

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> two_at_one_point(const StartState& start) {
  constexpr std::int64_t bytes_in_grid = 64;  // a point, who is next to it, up to four heads
  require_memory(start.size() * bytes_in_grid);
  // Cells a thousand times the distance: nearly every question then looks into one cell only.
  PointGrid grid(start.box, one_point, 1000.0 * one_point, start.size());
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    if (const std::optional<std::int64_t> other = grid.find_near(start.position[i])) {
      return std::pair{static_cast<std::size_t>(*other), i};
    }
    grid.insert(start.position[i]);
  }
  return {};
}

StartBuilder::StartBuilder(std::string file, const Box& box, std::int64_t count)
    : file_(std::move(file)) {
  const auto size = static_cast<std::size_t>(count);
  require_memory(bytes_of_start(count));
  state_.box = box;
  state_.id.resize(size);
  std::iota(state_.id.begin(), state_.id.end(), ParticleId{1});
  state_.type.resize(size);
  state_.position.resize(size);
  state_.velocity.assign(size, Double3{});
  state_.image.resize(size);
  particle_line_.assign(size, 0);
  velocity_line_.assign(size, 0);
}

std::string StartBuilder::row(const RowPlace& place) const {
  return fmt::format("{}:{}: {}", file_, place.line, place.key);
}

std::size_t StartBuilder::claim(const RowPlace& place, std::int64_t id,
                                std::vector<int>& lines) const {
  if (id < 1 || id > state_.size()) {
    complain(row(place), "id out of range", fmt::format("id {}", id),
             fmt::format("1 to {}, each once", state_.size()));
  }
  const auto index = static_cast<std::size_t>(id - 1);
  if (lines[index] != 0) {
    complain(row(place), "duplicate id",
             fmt::format("id {} on lines {} and {}", id, lines[index], place.line), "each id once");
  }
  lines[index] = place.line;
  return index;
}

double StartBuilder::wrap(const RowPlace& place, std::int64_t id, double x, std::size_t d,
                          std::int32_t& image) const {
  const double lower = state_.box.lower[d];
  const double edge = state_.box.edges[d];
  const double upper = lower + edge;
  if (!state_.box.periodic[d] || (x >= lower && x < upper)) return x;
  if (x < lower - edge || x > upper + edge) {
    complain(row(place), "more than one box side outside a periodic direction",
             fmt::format("{} = {} of id {}", direction_names[d], x, id),
             fmt::format("{} to {}", lower - edge, upper + edge));
  }
  const std::int32_t step = x < lower ? -1 : 1;
  const double moved = x - static_cast<double>(step) * edge;
  // A hair below the lower corner rounds to the upper one, which is the lower one's image: stay.
  if (step < 0 && moved >= upper) return lower;
  image += step;
  return std::clamp(moved, lower, std::nextafter(upper, lower));
}

/// A run goes on counting from here: with room for a billion more crossings.
void StartBuilder::require_image(const RowPlace& place, std::int64_t id, std::int32_t image) const {
  constexpr std::int32_t most = 1'000'000'000;
  if (image >= -most && image <= most) return;
  complain(row(place), "image flag out of range", fmt::format("{} of id {}", image, id),
           fmt::format("{} to {}", -most, most));
}

void StartBuilder::add_particle(const RowPlace& place, std::int64_t id, std::int32_t type,
                                const Double3& position, const std::array<std::int32_t, 3>& image) {
  const std::size_t index = claim(place, id, particle_line_);
  state_.type[index] = type;
  state_.image[index] = image;
  for (std::size_t d = 0; d < 3; ++d) {
    require_image(place, id, image[d]);
    state_.position[index][d] = wrap(place, id, position[d], d, state_.image[index][d]);
  }
}

void StartBuilder::add_velocity(const RowPlace& place, std::int64_t id, const Double3& velocity) {
  state_.velocity[claim(place, id, velocity_line_)] = velocity;
}

void StartBuilder::refuse_coincidence() const {
  const auto pair = two_at_one_point(state_);
  if (!pair) return;
  const auto [other, i] = *pair;
  const int line = particle_line_[i], other_line = particle_line_[other];
  complain(row({std::max(line, other_line), "position"}), "two particles at one point",
           fmt::format("ids {} and {} on lines {} and {}", other + 1, i + 1, other_line, line),
           fmt::format("a distance of at least {:g}", one_point));
}

StartState StartBuilder::finish(std::vector<ParticleType> types) {
  state_.types = std::move(types);
  refuse_coincidence();
  return std::move(state_);
}

}  // namespace pencilbox
