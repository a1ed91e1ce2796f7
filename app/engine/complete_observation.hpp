// From sums over particles to what a thermo row says of the system.
#pragma once

#include <cstdint>
#include <vector>

#include "core/box.hpp"
#include "core/interactions/potential.hpp"
#include "core/observation.hpp"

namespace pencilbox {

/// Adds the tail where the potential has one, and fills temperature, volume and pressure.
void complete(Observation& sums, const Potential& potential,
              const std::vector<std::int64_t>& type_counts, const Box& box,
              bool conserves_momentum);

}  // namespace pencilbox
