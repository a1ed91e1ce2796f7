// How crowded the particles lie, and what a back end makes of it: why it is fast or slow.
#pragma once

#include <cstdint>

namespace pencilbox {

/// Of the present state. Pairs are directed, a particle itself is excluded.
struct NeighborStats {
  double particles_per_cell = 0.0;       ///< mean, of all cells
  std::int64_t largest_cell = 0;         ///< most particles in one cell
  double candidates_per_particle = 0.0;  ///< those that were tested
  std::int64_t most_candidates = 0;      ///< of one particle
  double partners_per_particle = 0.0;    ///< those within the cutoff
  std::int64_t most_partners = 0;        ///< of one particle

  /// NaN where nothing was tested.
  double share_in_range() const { return partners_per_particle / candidates_per_particle; }
};

}  // namespace pencilbox
