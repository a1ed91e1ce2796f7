// Particles outside the cells (open directions) that the arithmetic of a run cannot follow. Outside
// they are right as long as their offsets are fine enough; an offset grows without bound.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/start_state.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox {

struct Unresolved {
  std::size_t row = 0;                 ///< of the particle
  std::optional<std::size_t> partner;  ///< beside which it is too coarse; without: it is alone
  double offset = 0.0;                 ///< from the centre of its cell, largest component [sigma]
};

/// The first particle that moves too coarsely where it is, or whose separation from another one is
/// too coarse. Alone, a particle needs no more than the precision of the state. Others count as
/// partners up to two cutoffs away: they may come nearer before anybody looks again.
std::optional<Unresolved> first_unresolved(const CellGrid& grid, double cutoff,
                                           const std::vector<GridPlace>& places,
                                           const Resolution& resolution);

/// "particle 3 at (1e+15, 2, 2) is ...", and the cure.
std::string in_words(const Unresolved& found, const CellGrid& grid,
                     const std::vector<GridPlace>& places, const std::vector<ParticleId>& id,
                     Precision precision);

/// The places of positions.
std::vector<GridPlace> places_of(const CellGrid& grid, const std::vector<Double3>& positions);

/// "(1, 2, 3)"
std::string text_of(const Double3& position);

}  // namespace pencilbox
