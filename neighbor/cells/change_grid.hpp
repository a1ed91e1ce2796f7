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

}  // namespace pencilbox::PENCILBOX_DEVICE
