// What becomes of a particle that has just been moved. The integrator's kernel hands each new
// position to it in place of storing it, so that drift and binning, or drift and the test whether a
// list still holds, are one pass over the particles.
//
// Binning: Few particles per cell, section 3, with one change: a particle keeps coordinates
// relative to its cell, so moving to the next cell subtracts a side, and a periodic wrap is integer
// arithmetic.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/cell_parts.hpp"
#include "core/device/read_ahead.hpp"
#include "core/grid_view.hpp"
#include "core/look_ahead.hpp"
#include "core/pair_coordinates.hpp"
#include "core/particles.hpp"
#include "core/step_control.hpp"
#include "core/strays.hpp"
#include "core/unseen_cells.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// One coordinate on its way to the cell it is in now. One that fails stays in the cell where it
/// was last seen: that is what the host can tell of it.
template <class State>
struct CellStep {
  Index cell;
  State offset;
  State by{0};               ///< cells
  std::int32_t crossed = 0;  ///< periodic faces
  bool failed = false;

  PENCILBOX_DEVICE_FUNCTION static bool is_inside(State offset, State side) {
    const State half = State(0.5) * side;
    return offset >= -half && offset < half;
  }

  PENCILBOX_DEVICE_FUNCTION CellStep(Index old_cell, State old_offset, State side, Index cells,
                                     bool periodic)
      : cell(old_cell), offset(old_offset) {
    if (is_inside(old_offset, side)) return;
    const State moved = std::floor(old_offset / side + State(0.5));
    if (!(moved > State(-1e9) && moved < State(1e9))) {
      fail();
      return;
    }
    const auto whole = static_cast<Index>(moved);
    const Index target = old_cell + whole;
    if (periodic) {
      if (whole > cells || whole < -cells) {
        fail();
        return;
      }
      crossed = target >= 0 ? target / cells : -((-target - 1) / cells) - 1;
      cell = target - crossed * cells;
      by = moved;
    } else {
      cell = target < 0 ? 0 : (target >= cells ? cells - 1 : target);
      by = static_cast<State>(cell - old_cell);
    }
    offset = with_it(old_offset, side);
  }

  /// Another coordinate from the old cell, from the new one.
  PENCILBOX_DEVICE_FUNCTION State with_it(State other, State side) const {
    return failed ? State(0) : times_plus(-by, side, other);
  }

 private:
  PENCILBOX_DEVICE_FUNCTION void fail() {
    failed = true;
    offset = State(0);
  }
};

/// A particle on its way to the cell it is in now.
template <class State>
struct WayToCell {
  CellStep<State> x, y, z;

  PENCILBOX_DEVICE_FUNCTION WayToCell(const GridView<State>& grid, const CellCoordinates& old,
                                      const Vec3<State>& offset)
      : x(old.x, offset.x, grid.side.x, grid.cells.x, grid.periodic.x),
        y(old.y, offset.y, grid.side.y, grid.cells.y, grid.periodic.y),
        z(old.z, offset.z, grid.side.z, grid.cells.z, grid.periodic.z) {}

  PENCILBOX_DEVICE_FUNCTION CellCoordinates cell() const { return {x.cell, y.cell, z.cell}; }
  PENCILBOX_DEVICE_FUNCTION bool failed() const { return x.failed || y.failed || z.failed; }
  PENCILBOX_DEVICE_FUNCTION Vec3<std::int32_t> crossed() const {
    return {x.crossed, y.crossed, z.crossed};
  }
  /// Another place as seen from the old cell, from the new one.
  PENCILBOX_DEVICE_FUNCTION Vec3<State> with_it(const Vec3<State>& other,
                                                const Vec3<State>& side) const {
    return {x.with_it(other.x, side.x), y.with_it(other.y, side.y), z.with_it(other.z, side.z)};
  }
};

/// The first particle that failed, whichever thread is the first to say so.
PENCILBOX_DEVICE_FUNCTION inline void note_failure(std::uint64_t* failure, const StepNumber& step,
                                                   ParticleId id) {
  atomic_min(failure, static_cast<std::uint64_t>(static_cast<std::uint32_t>(step())) << 32U |
                          static_cast<std::uint64_t>(id));
}

/// In place of a ticket.
constexpr Index waits_for_ticket = -2;

/// Into the cell where it is now: counted in its part of it, with a ticket that says which of the
/// part it is. Who comes from a cell that is seen, or would go to one, waits without a ticket
/// for whoever knows by whom.
template <class State>
struct IntoCells {
  GridView<State> grid;
  Vec3View<State> position;
  Vec3View<std::int32_t> image;
  Index* cell;
  const ParticleId* id;
  CellParts parts;
  Index* counts;           ///< [parts of all cells]
  Index* ticket;           ///< [N]
  std::uint64_t* failure;  ///< step and id of the first that failed
  UnseenCells unseen{};

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i, const Vec3<State>& offset,
                                            const StepNumber& step) const {
    position.store(i, offset);
    assign_cell(i, offset, Vec3<State>{}, Vec3<State>{}, WhereItIs{}, step);
  }

  /// Of one that lies at this offset already: the cell where it will be, as a LookAhead tells.
  template <class Ahead>
  PENCILBOX_DEVICE_FUNCTION void assign_cell(Index i, const Vec3<State>& offset,
                                             const Vec3<State>& velocity, const Vec3<State>& kick,
                                             const Ahead& ahead, const StepNumber& step) const {
    const Index home = cell[i];
    if (!unseen.has(grid, home)) return wait(i);
    const Vec3<State> then = ahead(offset, velocity, kick);
    const Vec3<State> tells = ahead.tells_cell(offset, then);
    if (is_inside(tells)) return take_ticket(i, home, then);  // most are: nothing to divide
    const CellCoordinates old = grid.coordinates(home);
    const WayToCell<State> way(grid, old, tells);
    if (!unseen.has(way.cell())) {
      unseen.note_way_from(old, step());
      return wait(i);
    }
    const Index now = grid.linear(way.cell());
    const Vec3<State> place = way.with_it(offset, grid.side);
    position.store(i, place);
    cell[i] = now;
    if (way.x.crossed != 0) image.x[i] += way.x.crossed;
    if (way.y.crossed != 0) image.y[i] += way.y.crossed;
    if (way.z.crossed != 0) image.z[i] += way.z.crossed;
    if (way.failed()) note_failure(failure, step, id[i]);
    take_ticket(i, now, ahead(place, velocity, kick));
  }

  /// In the part of the cell where it will be `then`.
  PENCILBOX_DEVICE_FUNCTION void take_ticket(Index i, Index its_cell,
                                             const Vec3<State>& then) const {
    pencilbox::PENCILBOX_DEVICE::take_ticket(counts + parts.number(grid.side, its_cell, then),
                                             ticket + i);
  }
  PENCILBOX_DEVICE_FUNCTION void wait(Index i) const { ticket[i] = waits_for_ticket; }

  PENCILBOX_DEVICE_FUNCTION bool is_inside(const Vec3<State>& offset) const {
    return CellStep<State>::is_inside(offset.x, grid.side.x) &&
           CellStep<State>::is_inside(offset.y, grid.side.y) &&
           CellStep<State>::is_inside(offset.z, grid.side.z);
  }

 private:
  /// As a LookAhead that does not.
  struct WhereItIs {
    PENCILBOX_DEVICE_FUNCTION Vec3<State> operator()(const Vec3<State>& now, const Vec3<State>&,
                                                     const Vec3<State>&) const {
      return {now.x, now.y, now.z};  // see LookAhead
    }
    PENCILBOX_DEVICE_FUNCTION const Vec3<State>& tells_cell(const Vec3<State>& now,
                                                            const Vec3<State>&) const {
      return now;
    }
  };
};

/// Stays in its cell, however far from the centre, until something has moved by more than a list
/// can bear. What is no number has, too. Who may have left somebody's row is noted as a stray.
template <class Precision>
struct UnderWatch {
  using State = typename Precision::State;
  using Pair = typename Precision::Pair;
  Vec3View<State> position;
  const PackedPosition<Pair>* reference;     ///< [N] places that the list was made of
  Vec3View<Pair> kick;                       ///< [N] of the last force: see LookAhead
  PackedPosition<Pair>* packed;              ///< [N] the mirror that pair kernels read
  PairCoordinates<State, Pair> coordinates;  ///< there
  State most_squared;                        ///< of a displacement [sigma^2]
  State farthest_squared;                    ///< of a stray's
  StraysView strays;
  StepControl* control;

  /// What the watch reads of a particle: its place in the list, and its type.
  PENCILBOX_DEVICE_FUNCTION PackedPosition<Pair> read(Index i) const {
    return read_ahead(reference + i);
  }

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i, const Vec3<State>& offset,
                                            std::int32_t unit) const {
    (*this)(i, offset, read(i), unit);
  }
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i, const Vec3<State>& offset,
                                            const PackedPosition<Pair>& its_reference,
                                            std::int32_t unit) const {
    position.store(i, offset);
    show(i, offset, its_reference, unit);
  }

  /// The first unit for which who moves particles shall say by what kicks.
  PENCILBOX_DEVICE_FUNCTION std::int32_t first_wanting_kicks() const {
    return age_of_kicks(control->age_before) - control->age;
  }
  PENCILBOX_DEVICE_FUNCTION bool wants_kicks(std::int32_t unit) const {
    return unit >= first_wanting_kicks();
  }
  PENCILBOX_DEVICE_FUNCTION void note_kick(Index i, const Vec3<State>& its_kick) const {
    kick.store(i, its_kick.template to<Pair>());
  }

  /// The same with another mirror.
  PENCILBOX_DEVICE_FUNCTION UnderWatch in(PackedPosition<Pair>* mirror) const {
    UnderWatch watch = *this;
    watch.packed = mirror;
    return watch;
  }

  /// In the mirror, and whether it has moved too far.
  PENCILBOX_DEVICE_FUNCTION void show(Index i, const Vec3<State>& offset,
                                      const PackedPosition<Pair>& its_reference,
                                      std::int32_t unit) const {
    const Vec3<State> moved = offset - its_reference.position.template to<State>();
    packed[i] = {coordinates(offset), its_reference.type};
    const State squared = dot(moved, moved);
    if (squared <= most_squared) return;
    if (squared <= farthest_squared && strays.note(i, unit)) return;
    atomic_min(&control->limit, unit);
    atomic_max(&control->due, std::int32_t{1});
  }
};

template <class Precision>
struct Arrival {
  enum class Then { into_cells, under_watch };

  Then then = Then::into_cells;
  IntoCells<typename Precision::State> into_cells{};
  UnderWatch<Precision> under_watch{};
  StepNumber step{};      ///< that the particle arrives at
  std::int32_t unit = 0;  ///< of the cycle, that evaluates what arrives

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i,
                                            const Vec3<typename Precision::State>& offset) const {
    if (then == Then::into_cells) {
      into_cells(i, offset, step);
    } else {
      under_watch(i, offset, unit);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void note_kick(Index i,
                                           const Vec3<typename Precision::State>& kick) const {
    if (then == Then::under_watch && under_watch.wants_kicks(unit)) under_watch.note_kick(i, kick);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
