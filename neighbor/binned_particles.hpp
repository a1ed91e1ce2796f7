// What a back end sees of the particles: sorted by cell, cells contiguous, coordinates relative to
// the cell. Plain pointers, valid until the next binning.
#pragma once

#include "core/particles.hpp"
#include "neighbor/cell_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Where the arithmetic of a pair is float, a cell-relative coordinate is split in two: `position`,
/// a multiple of the grid's float_quantum(), so that the difference of two positions and the shift
/// between their cells is exact, and the remainder, which is added for partners near the cutoff and
/// within it only. So a separation has no error but its own rounding: without this, the energies of
/// a liquid are as good, but its virial, of which large parts cancel, is five to twenty times
/// worse.
template <class Precision>
inline constexpr bool split_position = std::is_same_v<float, typename Precision::Pair>;

template <class Precision>
struct BinnedParticles {
  using Pair = typename Precision::Pair;
  using State = typename Precision::State;

  Index count = 0;                 ///< N
  GridView<Pair> grid;             ///< in the arithmetic of a pair
  const Index* offset = nullptr;   ///< [cells + 1] first particle of a cell
  const Index* cell = nullptr;     ///< [N] linear cell of a particle
  Vec3View<const Pair> position;   ///< [N] relative to the cell's centre [sigma]
  Vec3View<const Pair> remainder;  ///< [N] what `position` lost to rounding; see split_position
  Vec3View<const State> state_position;  ///< [N] the same in the precision of the state
  const std::int32_t* type = nullptr;    ///< [N] 0-based

  Index cells() const { return grid.cells.x * grid.cells.y * grid.cells.z; }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
