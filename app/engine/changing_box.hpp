// A box that a barostat changes: what of it is the same for one rank and for several.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/engine/candidates.hpp"
#include "core/observables.hpp"
#include "integrators/cell_rescaling.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// That of the stage; nothing where the box stays. Throws InputError where it cannot be.
std::optional<CellRescaling> barostat_of(const StageSettings& stage, const Problem& problem);

/// What it carries, among what the integrator does.
void put_into(NamedNumbers& state, const std::optional<CellRescaling>& barostat);
/// Takes that out again. Throws InputError where a state has none of this barostat.
void take_from(NamedNumbers& state, std::optional<CellRescaling>& barostat);

/// Waits for the stream.
template <class Precision>
CellRescaling::Sums pressure_sums(const Particles<Precision>& particles, const Problem& problem,
                                  const std::vector<std::int64_t>& type_counts,
                                  Reduction& reduction, Stream& stream);

/// The same cells over another box.
CellGrid stretched(const CellGrid& grid, const Box& box);

/// In another box, on the grid of the bare cutoff, as `bare` is.
Problem in_box(const Box& box, const Problem& bare);

/// Whether a candidate may go on with these cells: they hold all partners, are as wide as they are
/// worth, and could not be more. `bare`: on the grid of the bare cutoff.
bool suits(const Candidate& candidate, const CellGrid& grid, const Problem& bare);

/// Throws PhysicsError where the box has become too small, or its cells too coarse.
void require_candidate_runs(const Candidate& candidate, const Problem& problem, std::int64_t step);

}  // namespace pencilbox::PENCILBOX_DEVICE
