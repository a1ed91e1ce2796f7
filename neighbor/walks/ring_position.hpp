// Positions for walks along rows of cells in which a source's cell does not have to be known: along
// x a whole number, of which a difference is the same from both sides, whatever cells the two are
// in. It counts around a ring of eight cells, so it is as fine in a large box as in a small one,
// and who walks farther than half of the ring has to know by how many cells. So x has to be
// periodic: beyond an open face a particle may be anywhere.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/grid_view.hpp"

namespace pencilbox {

template <class Pair>
struct alignas(4 * sizeof(Pair)) RingPosition {
  static constexpr bool is_wide = sizeof(Pair) == 8;
  using Whole = std::conditional_t<is_wide, std::uint64_t, std::uint32_t>;
  using Signed = std::make_signed_t<Whole>;
  static constexpr Whole cell = Whole{1} << (8 * sizeof(Whole) - 3);  ///< units of a cell
  /// Of an array: that many more than there are particles stand somewhere, for whoever reads
  /// several at a time.
  static constexpr Index behind_the_last = 3;

  Whole x = 0;
  Pair y{}, z{};  ///< relative to the centre of its cell [sigma]
  Whole type = 0;

  /// Of a length, where cells are so wide along x [1/sigma].
  static double units(double side) { return static_cast<double>(cell) / side; }

  /// `column`: of its cell; `offset`: from the cell's centre [sigma]; `seen`: the same, as pairs
  /// see it; `units`: of a length [1/sigma].
  template <class State>
  PENCILBOX_DEVICE_FUNCTION static RingPosition of(Index column, const Vec3<State>& offset,
                                                   const Vec3<Pair>& seen, double units,
                                                   std::int32_t type) {
    const double from_centre = std::rint(static_cast<double>(offset.x) * units);
    return {static_cast<Whole>(column) * cell + cell / 2 +
                static_cast<Whole>(static_cast<Signed>(from_centre)),
            seen.y, seen.z, static_cast<Whole>(type)};
  }

  /// What one that lies `cells` farther along x has in place of x.
  PENCILBOX_DEVICE_FUNCTION Whole farther(Index cells) const {
    return x + static_cast<Whole>(static_cast<Signed>(cells)) * cell;
  }

  /// How far `other` lies to the left of `at`. `unit`: of a whole number [sigma]
  PENCILBOX_DEVICE_FUNCTION static Pair apart(Whole at, Whole other, Pair unit) {
    return static_cast<Pair>(static_cast<Signed>(at - other)) * unit;
  }

  static Pair unit(double side) { return static_cast<Pair>(side / static_cast<double>(cell)); }
};

}  // namespace pencilbox
