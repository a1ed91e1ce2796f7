// How wide cells have to be for a candidate, where those of the bare cutoff are not.
#pragma once

#include "app/engine/candidates.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// By the skin, and for vectors, clusters and what looks up the cells of a gas so that a cell is
/// worth their while. `problem` is on any grid. 0: no matter how wide [sigma].
double least_cell_width(const Candidate& candidate, const Problem& problem);

}  // namespace pencilbox::PENCILBOX_DEVICE
