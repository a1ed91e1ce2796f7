// Positions for walks along rows of cells in which a source's cell does not have to be known: along
// x a whole number, of which a difference is the same from both sides, whatever cells the two are
// in. It counts around a ring of eight cells, so it is as fine in a large box as in a small one, and
// who walks farther than half of the ring has to know by how many cells.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "neighbor/binned_particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Pair>
struct alignas(4 * sizeof(Pair)) RingPosition {
  static constexpr bool is_wide = sizeof(Pair) == 8;
  using Whole = std::conditional_t<is_wide, std::uint64_t, std::uint32_t>;
  using Signed = std::make_signed_t<Whole>;
  static constexpr Whole cell = Whole{1} << (8 * sizeof(Whole) - 3);  ///< units of a cell

  Whole x = 0;
  Pair y{}, z{};  ///< relative to the centre of its cell [sigma]
  Whole type = 0;

  /// What one that lies `cells` farther along x has in place of x.
  PENCILBOX_DEVICE_FUNCTION Whole farther(Index cells) const {
    return x + static_cast<Whole>(static_cast<Signed>(cells)) * cell;
  }

  /// How far `other` lies to the left of `at`. `unit`: of a whole number [sigma]
  PENCILBOX_DEVICE_FUNCTION static Pair apart(Whole at, Whole other, Pair unit) {
    return static_cast<Pair>(static_cast<Signed>(at - other)) * unit;
  }

  PENCILBOX_DEVICE_FUNCTION static Pair unit(double side) {
    return static_cast<Pair>(side / static_cast<double>(cell));
  }
};

/// Of all particles as they lie now; behind them `padding` that stand somewhere.
template <class Precision>
struct PlaceOnRing {
  static constexpr const char* name = "place on a ring";
  using Position = RingPosition<typename Precision::Pair>;
  BinnedParticles<Precision> particles;
  Position* ring;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (i >= particles.count) {
      ring[i] = {};
      return;
    }
    using Whole = typename Position::Whole;
    using Signed = typename Position::Signed;
    const Index column = particles.grid.coordinates(particles.cell[i]).x;
    const double offset = static_cast<double>(particles.state_position.x[i]);
    const double units = static_cast<double>(Position::cell) / particles.grid.exact_side.x;
    const auto from_centre = static_cast<Whole>(static_cast<Signed>(std::rint(offset * units)));
    ring[i] = {static_cast<Whole>(column) * Position::cell + Position::cell / 2 + from_centre,
               particles.position.y[i], particles.position.z[i],
               static_cast<Whole>(particles.type[i])};
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
