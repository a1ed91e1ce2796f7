// Geometry of the cells: which cell a position lies in, which cells are its neighbours, and by
// which image. Cells are at least as wide as the cutoff, so all partners of a particle are in the
// 27 cells around it; a periodic neighbour is the wrapped index with an unwrapped offset, and that
// offset times the cell's side is the whole image shift. So one or two cells in a direction are as
// right as many: the same cell is simply met under several offsets.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "core/box.hpp"
#include "core/grid_view.hpp"
#include "core/start_state.hpp"
#include "neighbor/cells/resolution.hpp"

namespace pencilbox {

/// The grid of a run.
struct CellGrid {
  Double3 lower{};  ///< lower corner of cell (0, 0, 0) [sigma]
  Double3 side{};   ///< of a cell [sigma]
  std::array<Index, 3> cells{};
  Bool3 periodic{};

  Index count() const { return cells[0] * cells[1] * cells[2]; }
  bool fully_periodic() const { return in_every_direction(periodic); }
  bool operator==(const CellGrid&) const = default;

  template <class Real>
  GridView<Real> view() const {
    const Vec3<double> exact{side[0], side[1], side[2]};
    return {{cells[0], cells[1], cells[2]},
            exact.to<Real>(),
            exact,
            {periodic[0], periodic[1], periodic[2]}};
  }

  /// By how much a separation between float coordinates can be off [sigma]: of this grid, or of one
  /// whose cells are up to twice as wide (back ends may lay such a grid of their own).
  double float_uncertainty() const { return 2e-6 * std::max({side[0], side[1], side[2]}); }
};

/// A place in the grid: cell coordinates, offset from the cell's centre, images crossed.
struct GridPlace {
  std::array<Index, 3> cell{};
  Double3 offset{};
  std::array<std::int32_t, 3> image{};
};

/// The grid over `box` with cells as small as `cutoff` allows, and as ranks can share them: of 200
/// and more along a side an even number, of 400 a multiple of four, and so on. Empty cells cost
/// time and memory, so cells grow where there would be more than 262,144 of them and more than
/// eight for each particle. Wider cells are as right, but a coordinate is only as fine as its cell
/// is wide: where that matters (`resolution`) there may be 4,194,304 cells, and
/// `separations_too_coarse` refuses what is coarser still. An infinite cutoff makes one cell.
///
/// Open directions are covered from the outermost particle to the outermost particle, if cells as
/// wide as the cutoff are few enough for it. Else up to one particle in 64 (and one in any case)
/// may be left outside: those lie in border cells, where they are right, but slow if they are many.
/// Cells do not grow for the sake of outliers beyond what `resolution` allows; whether those can be
/// followed where they are, first_unresolved() says.
CellGrid make_cell_grid(const Box& box, double cutoff, const std::vector<Double3>& positions,
                        const Resolution& resolution = {});

/// The same over a box that is periodic in all directions, where it depends on no position.
CellGrid make_periodic_grid(const Box& box, double cutoff, std::size_t particles,
                            const Resolution& resolution = {});

/// The grid over the same stretch whose cells are `factor` times as wide, or wider: of c cells in a
/// direction floor(c / factor) are left, at least one. Where c is floor(length / cutoff) that is
/// floor(length / (factor cutoff)).
CellGrid coarser_grid(const CellGrid& grid, Index factor);

/// The grid over the same stretch whose cells are at least `width` wide, and no smaller than they
/// are now.
CellGrid wider_grid(const CellGrid& grid, double width);

/// The place of a position in the grid: wrapped in periodic directions, in the nearest cell in open
/// ones (where the offset may then lie outside [-side/2, side/2]).
GridPlace place(const CellGrid& grid, const Double3& position);

/// A coordinate seen from the lower corner of the grid, and the images that wrapping it added.
struct InsideGrid {
  double coordinate = 0.0;  ///< [sigma]
  std::int32_t images = 0;
};

/// One direction of position_of(): the coordinate of an offset from the centre of a cell.
PENCILBOX_DEVICE_FUNCTION inline InsideGrid inside_grid(Index cell, double offset, double side,
                                                        Index cells, bool periodic) {
  const double length = side * static_cast<double>(cells);
  const double inside = (static_cast<double>(cell) + 0.5) * side + offset;
  if (periodic && inside >= length) return {inside - length, 1};
  if (periodic && inside < 0.0) {
    // By less than rounding can tell from the face: then the face it is.
    if (inside + length >= length) return {0.0, 0};
    return {inside + length, -1};
  }
  return {inside, 0};
}

/// The position of a place: place() backwards. A place that rounding left on a periodic face is
/// wrapped, and its image counted.
Double3 position_of(const CellGrid& grid, GridPlace& place);

/// Most particles in one cell, counted on the host.
Index largest_cell(const CellGrid& grid, const std::vector<Double3>& positions);
/// The same of particles whose cells are known.
Index largest_cell(const CellGrid& grid, std::int64_t particles,
                   const std::function<std::array<Index, 3>(std::size_t)>& cell_of);

}  // namespace pencilbox
