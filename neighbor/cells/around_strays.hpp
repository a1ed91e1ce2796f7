// A stray, and the cells around it that can hold a partner of it that a list does not know
// (core/strays.hpp, missed_pairs.hpp).
//
// A cell need not be looked through where no place in it can be that of a partner. Let D be how far
// the stray at place p has gone, d = |D|, and q the place of a partner that has gone no farther (or
// it is a stray, too, and looks for itself). They are not listed, |q - p| > l, and they are a pair,
// |q - p - D| < c + d, so
//
//   2 (q - p) . D > l^2 + d^2 - (c + d)^2:
//
// q is in front of the stray. Nor is a pair looked up whose now is far below what it must have
// been: |q - p| is at most 2 d more than that.
#pragma once

#include <cmath>
#include <limits>

#include "core/grid_view.hpp"
#include "core/particles.hpp"
#include "core/step_control.hpp"
#include "core/strays.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// As seen from the centre of the cell where it is now, or, where that is none, the last.
template <class State>
struct Stray {
  CellCoordinates cell;
  Vec3<State> position, place, gone;
  State far{};  ///< |gone|
};

/// One of the cells around a stray: none of its particles where it can hold no partner.
template <class State>
struct NeighborOfStray {
  IndexRange particles;
  Vec3<State> centre;
};

template <class Precision>
struct AroundStrays {
  using State = typename Precision::State;
  using Pair = typename Precision::Pair;
  using Neighbor = NeighborOfStray<State>;

  StraysView strays;
  std::int32_t unit;
  GridView<State> grid;
  const Index* offset;  ///< [cells + 1]
  const Index* cell;
  const PackedPosition<Pair>* packed;  ///< where everybody is in this unit
  const PackedPosition<Pair>* place;   ///< that the list was made of
  State cutoff, listed;
  StepControl* control;

  PENCILBOX_DEVICE_FUNCTION Stray<State> stray(Index k) const {
    const Index i = strays(k, unit);
    const CellCoordinates home = grid.coordinates(cell[i]);
    const Vec3<State> position = packed[i].position.template to<State>();
    const Index x = cells_gone(position.x, grid.side.x, home.x, grid.cells.x, grid.periodic.x);
    const Index y = cells_gone(position.y, grid.side.y, home.y, grid.cells.y, grid.periodic.y);
    const Index z = cells_gone(position.z, grid.side.z, home.z, grid.cells.z, grid.periodic.z);
    const Vec3<State> by = grid.shift(x, y, z).rounded;
    const Vec3<State> its_place = place_of(i), gone = position - its_place;
    return {{grid.wrap_x(home.x + x), grid.wrap_y(home.y + y), grid.wrap_z(home.z + z)},
            position - by,
            its_place - by,
            gone,
            std::sqrt(dot(gone, gone))};
  }

  /// Where a step along one direction leads to.
  struct Step {
    Index cell = -1;  ///< negative: nowhere
    State centre{};
    State gap{};       ///< from the stray to the cell
    State in_front{};  ///< the most of (q - p) D, of any q in the cell
  };
  PENCILBOX_DEVICE_FUNCTION Step along_x(const Stray<State>& of, Index step) const {
    return along(of.cell.x, step, grid.cells.x, grid.side.x, grid.periodic.x, of.position.x,
                 of.place.x, of.gone.x);
  }
  PENCILBOX_DEVICE_FUNCTION Step along_y(const Stray<State>& of, Index step) const {
    return along(of.cell.y, step, grid.cells.y, grid.side.y, grid.periodic.y, of.position.y,
                 of.place.y, of.gone.y);
  }
  PENCILBOX_DEVICE_FUNCTION Step along_z(const Stray<State>& of, Index step) const {
    return along(of.cell.z, step, grid.cells.z, grid.side.z, grid.periodic.z, of.position.z,
                 of.place.z, of.gone.z);
  }

  PENCILBOX_DEVICE_FUNCTION Neighbor neighbor(const Stray<State>& of, const Step& x, const Step& y,
                                              const Step& z) const {
    if (x.cell < 0 || y.cell < 0 || z.cell < 0) return {};
    const Vec3<State> gap{x.gap, y.gap, z.gap};
    const State reach = cutoff + of.far;
    if (dot(gap, gap) > reach * reach) return {};
    const State least = listed * listed + of.far * of.far - reach * reach;
    if (State(2) * (x.in_front + y.in_front + z.in_front) < least) return {};
    const Index linear = grid.linear({x.cell, y.cell, z.cell});
    return {{offset[linear], offset[linear + 1]}, {x.centre, y.centre, z.centre}};
  }

  /// Whether it is in range and may be missed. `centre`: of the particle's cell.
  PENCILBOX_DEVICE_FUNCTION bool may_be_missed(const Stray<State>& of, Index particle,
                                               const Vec3<State>& centre) const {
    constexpr State rounded = State(1) - State(1e-5);
    const Vec3<State> now = packed[particle].position.template to<State>();
    const Vec3<State> from_stray = now + centre - of.position;
    const State squared = dot(from_stray, from_stray);
    const State least = rounded * listed - State(2) * of.far;
    return squared <= cutoff * cutoff && !(least > State(0) && squared < least * least);
  }
  PENCILBOX_DEVICE_FUNCTION bool is_not_listed(const Stray<State>& of, Index particle,
                                               const Vec3<State>& centre) const {
    const Vec3<State> from_stray = place_of(particle) + centre - of.place;
    return dot(from_stray, from_stray) > listed * listed;
  }

  PENCILBOX_DEVICE_FUNCTION void make_list_due() const {
    atomic_min(&control->limit, unit);
    atomic_max(&control->due, std::int32_t{1});
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Vec3<State> place_of(Index particle) const {
    return place[particle].position.template to<State>();
  }

  PENCILBOX_DEVICE_FUNCTION static Index cells_gone(State offset, State side, Index cell,
                                                    Index cells, bool periodic) {
    const auto gone = static_cast<Index>(std::floor(offset / side + State(0.5)));
    if (periodic) return gone;
    return gone < -cell ? -cell : (gone > cells - 1 - cell ? cells - 1 - cell : gone);
  }

  /// Beyond an open face the cell there holds anything.
  PENCILBOX_DEVICE_FUNCTION static Step along(Index from, Index step, Index cells, State side,
                                              bool periodic, State position, State its_place,
                                              State gone) {
    const Index cell = GridView<State>::wrap(from + step, cells, periodic);
    const State centre = static_cast<State>(step) * side;
    State low = centre - State(0.5) * side, high = centre + State(0.5) * side;
    if (!periodic && cell == 0) low = -std::numeric_limits<State>::infinity();
    if (!periodic && cell == cells - 1) high = std::numeric_limits<State>::infinity();
    const State gap =
        position < low ? low - position : (position > high ? position - high : State(0));
    const State in_front =  // and nothing of infinity
        gone == State(0) ? State(0) : ((gone > State(0) ? high : low) - its_place) * gone;
    return {cell, centre, gap, in_front};
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
