#include "app/bench/few_particles.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

#include "core/xorwow.hpp"

namespace pencilbox {

double FewParticlesRow::expected_interactions() const {
  const double around = (3.0 * cells - 2.0) / cells;  // cells around one, in each direction
  return static_cast<double>(particles()) * around * around * around * per_cell;
}

const std::array<PublishedRow, 15> published_few_particles{{
    {{2, 1}, "7.0", 3},
    {{4, 1}, "13.75", 4},
    {{8, 1}, "21.46", 5},
    {{16, 1}, "23.8", 6},
    {{32, 1}, "25.3", 7},
    {{2, 10}, "79.0", 12},
    {{4, 10}, "157.57", 17},
    {{8, 10}, "208.1", 23},
    {{16, 10}, "236.6", 24},
    {{32, 10}, "253.2", 25},
    {{2, 100}, "799", 110},
    {{4, 100}, "1556.6", 127},
    {{8, 100}, "2079.50", 130},
    {{16, 100}, "2373.19", 139},
    {{32, 100}, "2533.97", 139},
}};

std::optional<PublishedRow> find_published(const FewParticlesRow& row) {
  for (const PublishedRow& published : published_few_particles) {
    if (published.row.cells == row.cells && published.row.per_cell == row.per_cell) {
      return published;
    }
  }
  return std::nullopt;
}

bool has_digits(double number, std::string_view digits) {
  const std::size_t point = digits.find('.');
  const std::size_t decimals = point == std::string_view::npos ? 0 : digits.size() - point - 1;
  const double half_of_the_last = 0.5 * std::pow(10.0, -static_cast<double>(decimals));
  const double published = std::strtod(std::string(digits).c_str(), nullptr);
  return std::abs(number - published) <= half_of_the_last;
}

StartState few_particles_start(std::int64_t particles) {
  constexpr std::uint64_t seed = 1234;
  const auto count = static_cast<std::size_t>(particles);
  StartState start;
  start.box = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, {false, false, false}};
  start.types = {{"A", 1.0}};
  start.type.assign(count, 0);
  start.velocity.assign(count, {});
  start.image.assign(count, {});
  start.id.reserve(count);
  start.position.reserve(count);
  const XorwowJump to_next_subsequence;
  Xorwow subsequence(seed);
  for (std::size_t i = 0; i < count; ++i) {
    Xorwow draw = subsequence;
    const float x = draw.next_uniform();
    const float y = draw.next_uniform();
    const float z = draw.next_uniform();
    start.position.push_back({x, y, z});
    start.id.push_back(static_cast<ParticleId>(i + 1));
    to_next_subsequence(subsequence);
  }
  return start;
}

}  // namespace pencilbox
