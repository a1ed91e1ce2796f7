// The benchmark of the first paper: its particles and its fifteen rows.
//
// Algis, Bramas, Darles and Aveneau, "Efficient GPU Implementation of Particle Interactions with
// Cutoff Radius and Few Particles per Cell", section 7: a unit box of d^3 cells, open on all sides,
// with 1, 10 or 100 particles a cell on average. A particle interacts with every particle of the
// (at most) 27 cells around it: no distance is tested.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/start_state.hpp"

namespace pencilbox {

struct FewParticlesRow {
  std::int32_t cells = 1;     ///< d, of a side
  std::int32_t per_cell = 1;  ///< particles a cell on average

  std::int64_t particles() const {
    return std::int64_t{cells} * cells * cells * std::int64_t{per_cell};
  }

  /// How many interactions one call has, if particles were spread evenly.
  double expected_interactions() const;
};

/// What is published of a row.
struct PublishedRow {
  FewParticlesRow row;
  std::string_view interactions;  ///< of a particle, with the digits of the paper's Table 1
  std::int32_t largest_cell;      ///< MC, which the paper's rules ask for; from the authors' code
};

/// The fifteen rows, in the order of the paper's table.
extern const std::array<PublishedRow, 15> published_few_particles;

std::optional<PublishedRow> find_published(const FewParticlesRow& row);

/// Does a number have these digits, once rounded to as many?
bool has_digits(double number, std::string_view digits);

/// Most particles that a row may have: 32-bit indices, and memory of the host.
inline constexpr std::int64_t most_few_particles = 100'000'000;

/// The paper's particles, exactly: three numbers of XORWOW in (0, 1], seed 1234, the subsequence
/// of each particle its index.
StartState few_particles_start(std::int64_t particles);

}  // namespace pencilbox
