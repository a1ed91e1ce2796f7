// Collects the rows of a start file, in any order, into a StartState in id order. What every format
// demands of its rows is checked here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/start_state.hpp"

namespace pencilbox {

/// Particles nearer than this are at one point: their force is no number worth computing.
inline constexpr double one_point = 1e-6;  // sigma

/// Where a row stands: "config.data:17: Atoms" is file, line and key.
struct RowPlace {
  int line = 0;
  std::string_view key;
};

/// The rows of two particles that are nearer than `one_point` to each other; nothing if none are.
std::optional<std::pair<std::size_t, std::size_t>> two_at_one_point(const StartState& start);

class StartBuilder {
 public:
  /// For `count` rows with ids 1..count in `box`. `file` names the start file in errors.
  StartBuilder(std::string file, const Box& box, std::int64_t count);

  /// Adds a particle. In a periodic direction the position is wrapped into the box and the image
  /// follows. Throws InputError if the id is not in 1..count or was there before (names both
  /// lines), or if a periodic coordinate is more than one box side outside.
  void add_particle(const RowPlace& place, std::int64_t id, std::int32_t type,
                    const Double3& position, const std::array<std::int32_t, 3>& image);

  /// Throws InputError if the id is not in 1..count or had a velocity before.
  void add_velocity(const RowPlace& place, std::int64_t id, const Double3& velocity);

  /// The state; all ids must have been added. Throws InputError if two particles are at one point.
  StartState finish(std::vector<ParticleType> types);

 private:
  std::size_t claim(const RowPlace& place, std::int64_t id, std::vector<int>& lines) const;
  double wrap(const RowPlace& place, std::int64_t id, double x, std::size_t d,
              std::int32_t& image) const;
  void require_image(const RowPlace& place, std::int64_t id, std::int32_t image) const;
  void refuse_coincidence() const;
  std::string row(const RowPlace& place) const;

  std::string file_;
  StartState state_;
  std::vector<int> particle_line_;  ///< 0: not there yet
  std::vector<int> velocity_line_;
};

}  // namespace pencilbox
