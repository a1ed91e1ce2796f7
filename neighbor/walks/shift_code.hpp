// The 27 cells around a particle by number, with the shift by which each is met.
#pragma once

#include <cstdint>

#include "core/device/macros.hpp"
#include "core/grid_view.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox {

/// By which of 27 shifts a neighbouring cell is met: 9 (dz + 1) + 3 (dy + 1) + dx + 1.
struct ShiftCode {
  static constexpr Index count = 27;
  static constexpr Index none = 13;

  PENCILBOX_DEVICE_FUNCTION static Index of(Index dx, Index dy, Index dz) {
    return none + dx + 3 * dy + 9 * dz;
  }
  template <class Real>
  PENCILBOX_DEVICE_FUNCTION static CellShift<Real> shift(const GridView<Real>& grid, Index code) {
    return grid.shift(code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1);
  }
  /// Those in the cell that lies so from `home`; none beyond an open face.
  template <class Real>
  PENCILBOX_DEVICE_FUNCTION static IndexRange particles(const GridView<Real>& grid,
                                                        const Index* offset,
                                                        const CellCoordinates& home, Index code) {
    const CellCoordinates c{grid.wrap_x(home.x + code % 3 - 1),
                            grid.wrap_y(home.y + code / 3 % 3 - 1),
                            grid.wrap_z(home.z + code / 9 - 1)};
    if (c.x < 0 || c.y < 0 || c.z < 0) return {};
    const Index cell = grid.linear(c);
    return {offset[cell], offset[cell + 1]};
  }
};

/// One of many, and by which of the 27 shifts it is met, in one word.
struct ShiftedIndex {
  static constexpr int bits_of_index = 27;
  static constexpr Index most = (Index{1} << bits_of_index) - 1;  ///< the largest index

  std::uint32_t word = 0;

  PENCILBOX_DEVICE_FUNCTION static ShiftedIndex of(Index index, Index code) {
    return {static_cast<std::uint32_t>(index) | static_cast<std::uint32_t>(code) << bits_of_index};
  }
  /// The same shift, an index that is higher by so many.
  PENCILBOX_DEVICE_FUNCTION ShiftedIndex operator+(Index further) const {
    return {word + static_cast<std::uint32_t>(further)};
  }
  PENCILBOX_DEVICE_FUNCTION Index index() const {
    return static_cast<Index>(word & ((1U << bits_of_index) - 1U));
  }
  PENCILBOX_DEVICE_FUNCTION Index code() const { return static_cast<Index>(word >> bits_of_index); }
};

/// A shift as a pair adds it, in one word of memory.
template <class Pair>
struct alignas(16) RoundedShift {
  Vec3<Pair> rounded;
};

}  // namespace pencilbox
