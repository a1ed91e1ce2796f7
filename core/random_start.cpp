#include "core/random_start.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/at_rest.hpp"
#include "core/error.hpp"
#include "core/point_grid.hpp"
#include "core/rng.hpp"

namespace pencilbox {
namespace {

Double3 random_point(const RandomPlacement& placement, std::int64_t id, int attempt) {
  const auto bits = [&](int draw) {
    return uniform_pair(random_bits(placement.seed, RandomStream::position,
                                    static_cast<std::uint32_t>(id),
                                    static_cast<std::uint32_t>(2 * attempt + draw)));
  };
  const RandomPair xy = bits(0);
  const RandomPair z = bits(1);
  // A product with a number just below 1 may round to the side itself, which is outside.
  const auto inside = [&](double fraction, std::size_t d) {
    return std::min(fraction * placement.box[d], std::nextafter(placement.box[d], 0.0));
  };
  return {inside(xy.first, 0), inside(xy.second, 1), inside(z.first, 2)};
}

void check_images(const RandomPlacement& placement, const Bool3& periodic) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (periodic[d] && placement.minimum_distance > placement.box[d]) {
      throw InputError(
          "minimum_distance exceeds a periodic side, so a particle is too near to its own image, "
          "got " +
          std::to_string(placement.minimum_distance) + ", allowed at most " +
          std::to_string(placement.box[d]));
    }
  }
}

std::vector<Double3> place_apart(const RandomPlacement& placement, const Box& box) {
  // Cells no smaller than one particle's share: smaller ones would only be empty.
  const double share = std::cbrt(box.volume() / static_cast<double>(placement.count));
  PointGrid grid(box, placement.minimum_distance, std::max(placement.minimum_distance, share),
                 placement.count);
  std::vector<Double3> position;
  position.reserve(static_cast<std::size_t>(placement.count));
  for (std::int64_t id = 1; id <= placement.count; ++id) {
    int attempt = 0;
    Double3 point = random_point(placement, id, attempt);
    while (grid.find_near(point)) {
      if (++attempt == placement_tries) {
        throw InputError("no room at this minimum_distance, got " + std::to_string(id - 1) +
                         " of " + std::to_string(placement.count) + " particles placed (" +
                         std::to_string(placement_tries) +
                         " tries for the next one), allowed: a smaller minimum_distance, fewer "
                         "particles or a larger box");
      }
      point = random_point(placement, id, attempt);
    }
    grid.insert(point);
    position.push_back(point);
  }
  return position;
}

}  // namespace

StartState make_random_start(const RandomPlacement& placement, const Bool3& periodic) {
  StartState start;
  start.box.edges = placement.box;
  start.box.periodic = periodic;
  start.types = {ParticleType{"A", 1.0}};
  if (placement.minimum_distance > 0.0) {
    check_images(placement, periodic);
    start.position = place_apart(placement, start.box);
  } else {
    start.position.reserve(static_cast<std::size_t>(placement.count));
    for (std::int64_t id = 1; id <= placement.count; ++id) {
      start.position.push_back(random_point(placement, id, 0));
    }
  }
  fill_at_rest(start);
  return start;
}

}  // namespace pencilbox
