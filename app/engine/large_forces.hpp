// Whether forces are as large as those of a liquid: sums in whole quanta leave smaller ones, as at
// the start from a lattice, with too few digits (docs/decisions/0047-whole-quanta-on-a-gpu.md).
// What of it is the same for one rank and for several.
#pragma once

#include <cstdint>

#include "app/engine/simulation.hpp"
#include "core/exact_state.hpp"
#include "neighbor/problem.hpp"

namespace pencilbox {

/// Where that is looked up, before the step that follows: at the start of a stage, soon after the
/// start of a run, and from time to time.
bool looks_at_forces_at(std::int64_t step, const StageSettings& stage);

/// From this step to the next of these in the same stage.
std::int64_t steps_to_look_at_forces(std::int64_t step);

/// `sum_of_squares`: of the forces on all particles [epsilon^2/sigma^2].
bool are_forces_large(const Problem& problem, double sum_of_squares);

/// What a checkpoint holds of it, among what the integrator carries.
void put_forces_into(NamedNumbers& carried, const Problem& problem);

/// Takes that out again. Where a checkpoint has nothing of the kind, the forces of the state tell.
void take_forces_from(NamedNumbers& carried, const ExactState& state, Problem& problem);

}  // namespace pencilbox
