// From one grid to another, on the device: particles stay where they are and get other cells.
#pragma once

#include "core/particles.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Places and images of `particles` seen from `to`; they have to be ordered before anybody walks
/// cells. A periodic direction has the same sides in both grids.
template <class Precision>
void change_grid(Particles<Precision>& particles, const CellGrid& from, const CellGrid& to,
                 Stream& stream);

/// The box has become larger or smaller, and everything in it: to the same cells with other sides.
/// Offsets go with them, velocities against them, so that volumes of phase space stay.
template <class Precision>
void stretch(Particles<Precision>& particles, const CellGrid& from, const CellGrid& to,
             Stream& stream);

}  // namespace pencilbox::PENCILBOX_DEVICE
