// From what a simulation is to run to the problem that a back end is asked about. On the host.
#pragma once

#include <cstdint>
#include <vector>

#include "app/engine/simulation.hpp"
#include "core/list_bounds.hpp"
#include "neighbor/problem.hpp"

namespace pencilbox {

/// The problem of a start, on a grid of its own.
Problem make_problem(const SimulationSettings& setup, const StartState& start,
                     const DeviceProperties& device);

/// Throws PhysicsError with the name of a particle that the run's precision cannot hold where it
/// is: a number beyond a float's, a coordinate whose digits are lost, a place too far from all
/// cells.
void require_resolved(const StartState& start, const Problem& problem);

/// The problem of an exact state: on the grid that the state was taken on, or, where that was a
/// list's, on that of the bare cutoff.
Problem make_problem(const SimulationSettings& setup, const ExactState& state,
                     const DeviceProperties& device);

/// That the state was taken on.
CellGrid grid_of(const ExactState& state);

/// How long a list of this problem holds. `most_displacement`: half the skin, less what rounding
/// does to the separation of a pair when it is listed and when it is summed.
ListBounds list_bounds(const Problem& problem);

/// How far from its cell a particle may be while a list lasts [sigma]; 0 where none is kept.
double stray_of_list(const Problem& problem);

/// Of the lattice that coordinates of pairs are on; 0 where they are on none [sigma].
double spacing_of_coordinates(const Problem& problem);

/// What Particles and Binning will take for this problem.
std::int64_t bytes_on_device(const Problem& problem);

/// How many particles there are of each of `types` types.
std::vector<std::int64_t> count_types(std::size_t types, const std::vector<std::int32_t>& type);

}  // namespace pencilbox
