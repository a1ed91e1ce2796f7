// Whether a list misses a pair. Two particles that are not in it were farther apart than cutoff
// plus skin when it was made, at the places that it was made of. So to be a pair now they have gone
// more than the skin together, and one of them more than half of it: a stray, as few are
// (core/strays.hpp). Around each stray all cells are looked through that can hold a partner of it.
//
// A cell need not be looked through where no place in it can be that of a partner. Let D be how far
// the stray at place p has gone, d = |D|, and q the place of a partner that has gone no farther (or
// it is a stray, too, and looks for itself). They are not listed, |q - p| > l, and they are a pair,
// |q - p - D| < c + d, so
//
//   2 (q - p) . D > l^2 + d^2 - (c + d)^2:
//
// q is in front of the stray.
#pragma once

#include <limits>

#include "core/grid_view.hpp"
#include "core/particles.hpp"
#include "core/step_control.hpp"
#include "core/strays.hpp"
#include "neighbor/walks/end_to_end.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
struct FindMissedPairs {
  static constexpr const char* name = "binning: find missed pairs";
  using State = typename Precision::State;
  using Pair = typename Precision::Pair;
  static constexpr int max_threads = 128;
  static constexpr Index cells_around = 27;
  static constexpr Index at_once = 3;  ///< of a lane's candidates

  StraysView strays;
  std::int32_t unit;
  GridView<State> grid;
  const Index* offset;  ///< [cells + 1]
  const Index* cell;
  const PackedPosition<Pair>* packed;  ///< where everybody is in this unit
  Vec3View<const State> place;         ///< that the list was made of
  State cutoff, listed;
  StepControl* control;

  /// A team a stray, with a lane a cell, and then all lanes for the particles of what is left.
  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Index number = strays.number(unit);
    const auto teams = static_cast<Index>(block.blocks()) * Team::count(block);
    Index k = static_cast<Index>(block.index()) * Team::count(block) + Team::number(block);
    for (; block.ballot(k < number) != 0; k += teams) {
      const Stray stray = k < number ? stray_of(strays(k, unit)) : Stray{};
      Neighbor neighbor{};
      if (k < number && Team::lane(block) < cells_around) {
        neighbor = neighbor_of(stray, Team::lane(block));
      }
      look_through(block, stray, neighbor);
    }
    // What came of those of the unit before is known.
    if (block.index() == 0 && block.thread() == 0) strays.forget(unit + 1);
  }

 private:
  /// As seen from the centre of the cell where it is now, or, where that is none, the last.
  struct Stray {
    CellCoordinates cell;
    Vec3<State> position, place, gone;
    State far{};  ///< |gone|
  };

  /// What a neighbouring cell can hold, along one direction: beyond an open face anything.
  struct Slab {
    Index cell = -1;
    State centre, low, high;

    PENCILBOX_DEVICE_FUNCTION Slab(Index from, Index step, Index cells, State side, bool periodic)
        : cell(GridView<State>::wrap(from + step, cells, periodic)),
          centre(static_cast<State>(step) * side),
          low(centre - State(0.5) * side),
          high(centre + State(0.5) * side) {
      if (periodic) return;
      if (cell == 0) low = -std::numeric_limits<State>::infinity();
      if (cell == cells - 1) high = std::numeric_limits<State>::infinity();
    }
    PENCILBOX_DEVICE_FUNCTION State gap(State from) const {
      return from < low ? low - from : (from > high ? from - high : State(0));
    }
    /// The most of (q - from) * along, of any q in it.
    PENCILBOX_DEVICE_FUNCTION State most_in_front(State from, State along) const {
      if (along == State(0)) return State(0);  // and not of infinity
      return ((along > State(0) ? high : low) - from) * along;
    }
  };

  PENCILBOX_DEVICE_FUNCTION static Index cells_gone(State offset, State side, Index cell,
                                                    Index cells, bool periodic) {
    const auto gone = static_cast<Index>(std::floor(offset / side + State(0.5)));
    if (periodic) return gone;
    return gone < -cell ? -cell : (gone > cells - 1 - cell ? cells - 1 - cell : gone);
  }

  PENCILBOX_DEVICE_FUNCTION Stray stray_of(Index i) const {
    const CellCoordinates home = grid.coordinates(cell[i]);
    const Vec3<State> position = packed[i].position.template to<State>();
    const Index x = cells_gone(position.x, grid.side.x, home.x, grid.cells.x, grid.periodic.x);
    const Index y = cells_gone(position.y, grid.side.y, home.y, grid.cells.y, grid.periodic.y);
    const Index z = cells_gone(position.z, grid.side.z, home.z, grid.cells.z, grid.periodic.z);
    const Vec3<State> by = grid.shift(x, y, z).rounded;
    const Vec3<State> its_place = place[i], gone = position - its_place;
    return {{grid.wrap_x(home.x + x), grid.wrap_y(home.y + y), grid.wrap_z(home.z + z)},
            position - by,
            its_place - by,
            gone,
            std::sqrt(dot(gone, gone))};
  }

  /// One of the cells around a stray: none of its particles where it can hold no partner.
  struct Neighbor {
    IndexRange particles;
    Vec3<State> centre;
  };

  PENCILBOX_DEVICE_FUNCTION Neighbor neighbor_of(const Stray& stray, Index which) const {
    const Index z = which / 9 - 1, y = which / 3 % 3 - 1, x = which % 3 - 1;
    const Slab along_x(stray.cell.x, x, grid.cells.x, grid.side.x, grid.periodic.x);
    const Slab along_y(stray.cell.y, y, grid.cells.y, grid.side.y, grid.periodic.y);
    const Slab along_z(stray.cell.z, z, grid.cells.z, grid.side.z, grid.periodic.z);
    if (along_x.cell < 0 || along_y.cell < 0 || along_z.cell < 0) return {};
    if (!can_hold_partners(stray, along_x, along_y, along_z)) return {};
    const Index linear = grid.linear({along_x.cell, along_y.cell, along_z.cell});
    return {{offset[linear], offset[linear + 1]}, {along_x.centre, along_y.centre, along_z.centre}};
  }

  PENCILBOX_DEVICE_FUNCTION bool can_hold_partners(const Stray& stray, const Slab& x, const Slab& y,
                                                   const Slab& z) const {
    const Vec3<State> gap{x.gap(stray.position.x), y.gap(stray.position.y),
                          z.gap(stray.position.z)};
    const State reach = cutoff + stray.far;
    if (dot(gap, gap) > reach * reach) return false;
    const State in_front = x.most_in_front(stray.place.x, stray.gone.x) +
                           y.most_in_front(stray.place.y, stray.gone.y) +
                           z.most_in_front(stray.place.z, stray.gone.z);
    const State least = listed * listed + stray.far * stray.far - reach * reach;
    return State(2) * in_front >= least;
  }

  struct Candidate {
    Index particle = 0;
    Vec3<State> centre;  ///< of its cell
    bool is_one = false;
  };

  /// All lanes of the warp must call it.
  PENCILBOX_DEVICE_FUNCTION void look_through(const Block& block, const Stray& stray,
                                              const Neighbor& of_lane) const {
    const EndToEnd neighbors(block, of_lane.particles);
    Index number = Team::lane(block);
    for (; block.ballot(number < neighbors.total()) != 0; number += at_once * Team::lanes) {
      Candidate candidates[at_once];
      for (Index k = 0; k < at_once; ++k) {
        candidates[k] = candidate(neighbors, of_lane.centre, number + k * Team::lanes);
      }
      if (is_any_missed(stray, candidates)) make_list_due();
    }
  }

  PENCILBOX_DEVICE_FUNCTION static Candidate candidate(const EndToEnd& neighbors,
                                                       const Vec3<State>& centre, Index number) {
    const Index lane = neighbors.lane_of(number);
    return {
        neighbors.index(number, lane),
        {neighbors.of(centre.x, lane), neighbors.of(centre.y, lane), neighbors.of(centre.z, lane)},
        number < neighbors.total()};
  }

  /// Reads wait for each other's: first all positions, then the places of those in range.
  PENCILBOX_DEVICE_FUNCTION bool is_any_missed(const Stray& stray,
                                               Candidate (&candidates)[at_once]) const {
    for (Candidate& one : candidates) {
      if (!one.is_one) continue;
      const Vec3<State> now = packed[one.particle].position.template to<State>();
      const Vec3<State> from_stray = now + one.centre - stray.position;
      one.is_one = dot(from_stray, from_stray) <= cutoff * cutoff;
    }
    bool is_missed = false;
    for (const Candidate& one : candidates) {
      if (!one.is_one) continue;
      const Vec3<State> from_stray = place[one.particle] + one.centre - stray.place;
      is_missed |= dot(from_stray, from_stray) > listed * listed;
    }
    return is_missed;
  }

  PENCILBOX_DEVICE_FUNCTION void make_list_due() const {
    atomic_min(&control->limit, unit);
    atomic_max(&control->due, std::int32_t{1});
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
