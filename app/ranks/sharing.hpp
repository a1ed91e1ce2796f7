// Which rank gets which cells, so that all have as much to do: cuts across the whole box in each
// direction, so that neighbours stay neighbours, where sums of work over all that lies between them
// say so.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/ranks/decomposition.hpp"
#include "core/exact_state.hpp"

namespace pencilbox {

/// Of each cell.
std::vector<std::int64_t> particles_in_cells(const CellGrid& grid, const StartState& start);
std::vector<std::int64_t> particles_in_cells(const CellGrid& grid, const ExactState& state);

struct Sharing {
  RankCuts cuts;
  double busiest = 1.0;  ///< the work of the rank that has most, over the mean of all
};

/// What `wish` asks for, among so many ranks: evenly where the busiest has a tenth more than
/// the mean at most, or where it is to be so. Throws RanksRefusal where cells are too few.
Sharing share_cells(const CellGrid& grid, const std::vector<std::int64_t>& particles,
                    const RankWish& wish, int ranks);

}  // namespace pencilbox
