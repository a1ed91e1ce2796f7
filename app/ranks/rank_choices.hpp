// What a run on ranks can be: with which back ends, on which cells, shared in which grid.
#pragma once

#include <vector>

#include "app/ranks/commission.hpp"
#include "app/ranks/decomposition.hpp"
#include "app/ranks/simulation_maker.hpp"
#include "core/exact_state.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Throws RanksRefusal with the reason if this cannot be.
void require_ranks(const SimulationSettings& setup, const Problem& problem, const RankGrid& ranks);

/// On the grid that the back end wants.
Problem as_it_runs(const SimulationSettings& setup, const Problem& bare);
/// On the cells of the state, where a barostat may have left it with these.
Problem as_it_goes_on(const SimulationSettings& setup, const ExactState& state);

/// Of what the deck leaves open: what can be on these ranks, lists alone where there are any. Bits
/// are chosen by no clock: a run that is to have the same ones has no choice. Throws RanksRefusal
/// where nothing can.
std::vector<BackendChoice> choices_on_ranks(const SimulationSettings& setup, const Problem& bare,
                                            const RankWish& wish, int ranks);

/// How they share the box, at first. Throws RanksRefusal where they cannot.
RankGrid grid_of_ranks(const SimulationSettings& setup, const Problem& bare, const RankWish& wish,
                       int ranks);

}  // namespace pencilbox::PENCILBOX_DEVICE
