// How much of a chip a time step has used at least: counts of what had to be done, over what the
// chip can do. Lower bounds: whatever a back end does besides is not counted, so a low share means
// time lost, and a share near one that the chip is the limit.
#pragma once

#include "core/device/properties.hpp"
#include "core/interactions/potential.hpp"
#include "core/observation.hpp"
#include "core/precision.hpp"

namespace pencilbox {

/// Instructions of a thread for a candidate that is tested and rejected, and for one in range on
/// top of that: the least that compiled code of a Lennard-Jones pair in float is known to take (PTX
/// of sm_90: a pass that only tests takes 8 with the sign of the difference, the force another 11).
inline constexpr double instructions_of_candidate = 8.0;
inline constexpr double instructions_of_partner = 11.0;

/// Share of the device's instructions that the evaluation of forces needed at least. NaN where the
/// device does not tell its rate, and where the counts above do not hold: in double precision and
/// for other potentials than Lennard-Jones. `seconds`: of one evaluation.
double issue_share(const DeviceProperties& device, const BackendStats& stats,
                   std::int64_t particles, const Potential& potential, Precision precision,
                   double seconds);

/// Bytes of a particle of the only type that a step with a new order has to move at least, if each
/// kernel reads and writes each of the arrays that it works on once and finds sources and what
/// cells are described by in the cache: the move into cells, reordering and forces. (Where a list
/// is kept, steps between rebuilds move less.)
double least_bytes_per_step(Precision precision);

/// Share of the memory's bandwidth that a step needed at least; NaN where the device does not tell.
/// `seconds`: of one step.
double bandwidth_share(const DeviceProperties& device, std::int64_t particles, Precision precision,
                       double seconds);

}  // namespace pencilbox
