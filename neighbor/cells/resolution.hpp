// How finely a run must know the separation of two particles, and what follows from it for cells
// and for particles outside them. An offset from the centre of a cell is only as fine as it is
// large, so in float a cell that is too wide, or a particle that is too far from all cells, loses
// the pair without a sign of it.
#pragma once

#include <limits>

#include "core/interactions/potential.hpp"
#include "core/precision.hpp"

namespace pencilbox {

/// A separation may be off by this share of the smallest sigma. The force of a pair in contact is
/// then off by 14 times that share, 0.14 %, at the very worst, and by a tenth of it as a rule.
inline constexpr double largest_share_of_sigma = 1e-4;

/// By how much a separation can be off, over the distance of two particles from the centres of
/// their cells. Rounded are two offsets, their difference, and the shift between the cells: three
/// halves of a unit in the last place, and one to spare.
inline constexpr double float_rounding = 0x1p-22;
inline constexpr double double_rounding = 0x1p-51;

/// Without limits: for what has no length of its own (gravity, the benchmarks' potentials).
struct Resolution {
  double separation = std::numeric_limits<double>::infinity();  ///< may be off by [sigma]
  double pair_rounding = float_rounding;                        ///< of the arithmetic of a pair
  double state_rounding = float_rounding;                       ///< of the positions that move

  /// [sigma] Twice as fine as an offset needs: back ends may lay cells twice as wide.
  double widest_cell() const { return 0.5 * separation / pair_rounding; }

  /// [sigma] Below this, finer cells are not worth their memory.
  double fine_cell() const { return widest_cell() / 3.0; }

  /// [sigma] Largest offset of a particle with a partner, and of one that is alone.
  double farthest_with_partner() const { return separation / pair_rounding; }
  double farthest() const { return separation / state_rounding; }

  /// [sigma] Largest coordinate that a start may have, which is in double in every precision.
  double largest_coordinate() const { return separation / double_rounding; }

  /// What is reached earlier: to act before a limit is passed.
  Resolution finer(double factor) const {
    return {separation / factor, pair_rounding, state_rounding};
  }
};

Resolution resolution_of(const Potential& potential, Precision precision);

}  // namespace pencilbox
