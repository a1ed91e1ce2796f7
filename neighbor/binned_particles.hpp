// What a back end sees of the particles: sorted by cell, cells contiguous, coordinates relative to
// the cell. Plain pointers, valid as long as the order is.
#pragma once

#include "core/own_rows.hpp"
#include "core/particles.hpp"
#include "neighbor/cells/cell_grid.hpp"
#include "neighbor/walks/index_range.hpp"
#include "neighbor/walks/ring_position.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Of a rank's own particles: those that other ranks see, who have to be moved before letters can
/// go and may have sources in letters that came; and those inside, who have to do with nobody else.
enum class PartOfTargets { all, border, interior };

template <class Precision>
struct BinnedParticles {
  using Pair = typename Precision::Pair;
  using State = typename Precision::State;

  Index count = 0;  ///< N
  /// That arrays have. Where letters between ranks were too short more than N are in cells, for
  /// once: what comes of it is done again, but must not be read from nowhere.
  Index rows = 0;
  GridView<Pair> grid;            ///< in the arithmetic of a pair
  const Index* offset = nullptr;  ///< [cells + 1] first particle of a cell
  /// Likewise of each part, [parts of all cells + 1], where cells are sorted by parts; else null.
  const Index* part_offset = nullptr;
  const Index* cell = nullptr;           ///< [N] linear cell of a particle
  Vec3View<const Pair> position;         ///< [N] relative to the cell's centre [sigma]
  Vec3View<const State> state_position;  ///< [N] the same in the precision of the state
  /// [N + 1] the same with the type, as lists gather it, the last far away: for padding. Null
  /// where nothing asked for it. In mixed precision `position` is null where this or `on_ring` is
  /// not.
  const PackedPosition<Pair>* packed = nullptr;
  /// Spacing that those and sides of cells are multiples of, or 0: see core/pair_coordinates.hpp
  /// [sigma].
  double lattice = 0.0;
  /// [rows + behind_the_last] where cells are sorted in slices and x is periodic; else null.
  const RingPosition<Pair>* on_ring = nullptr;
  const std::int32_t* type = nullptr;  ///< [N] 0-based
  /// Where whoever keeps rows of partners notes how long the longest had to be.
  std::int32_t* longest_row = nullptr;
  /// Nobody reads the sums of particles in other cells, which are sources alone: of several ranks,
  /// of which each has rows behind the last particle, too. Who moves targets moves no others.
  bool all_are_targets = true;
  CellBox targets{};
  /// Of their cells, those whose neighbours are all the rank's own.
  CellBox interior{};
  /// Whom an evaluation is for: of back ends that say so (Backend::takes_parts()) and others of
  /// which each looks at each target by itself. Rebuilds are for all.
  PartOfTargets part = PartOfTargets::all;
  Index most_in_border = 0;  ///< targets, at most
  bool stay_near = false;    ///< none is ever more than about a cell outside the grid

  bool on_lattice() const { return lattice > 0.0; }
  /// From whichever of the two there is.
  PENCILBOX_DEVICE_FUNCTION Vec3<Pair> pair_position(Index i) const {
    return packed != nullptr ? packed[i].position : position[i];
  }

  PENCILBOX_DEVICE_FUNCTION IndexRange particles_of(Index of_cell) const {
    return {offset[of_cell], offset[of_cell + 1]};
  }

  PENCILBOX_DEVICE_FUNCTION bool has_targets_in(Index of_cell) const {
    if (all_are_targets) return true;
    const CellCoordinates place = grid.coordinates(of_cell);
    return targets.has(place) &&
           (part == PartOfTargets::all || interior.has(place) == (part == PartOfTargets::interior));
  }
  /// Whether it is a cell of the rank's own that others see.
  PENCILBOX_DEVICE_FUNCTION bool is_in_border(Index of_cell) const {
    return !all_are_targets && !interior.has(grid.coordinates(of_cell));
  }
  /// Of rows that may be nobody's.
  PENCILBOX_DEVICE_FUNCTION bool is_target(Index i) const {
    return all_are_targets || (i < offset[cells()] && has_targets_in(cell[i]));
  }

  PENCILBOX_DEVICE_FUNCTION Index cells() const { return grid.cells.count(); }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
