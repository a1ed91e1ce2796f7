// What a back end is asked to run, before anything is allocated.
#pragma once

#include "core/box.hpp"
#include "core/device/properties.hpp"
#include "core/interactions/lennard_jones_model.hpp"
#include "core/precision.hpp"
#include "neighbor/cell_grid.hpp"

namespace pencilbox {

struct Problem {
  Box box;
  CellGrid grid;
  Index particles = 0;
  Index largest_cell = 0;  ///< most particles in one cell of the start
  LennardJonesModel potential;
  Precision precision = Precision::mixed;
  DeviceProperties device;
};

/// The reason, in words, why cells of this problem's grid do not hold all partners of a particle:
/// a periodic side below the cutoff. Empty if they do.
std::string side_below_cutoff(const Problem& problem);

}  // namespace pencilbox
