// Where a rank's own particles go when they have been moved: into one of its cells, or over to
// another rank; and who gets a copy because it sees the cell where they are now. To the bit as an
// arrival on one rank (core/arrival.hpp): a step goes through the global grid.
#pragma once

#include "app/ranks/decomposition.hpp"
#include "app/ranks/mailbox.hpp"
#include "core/arrival.hpp"
#include "core/device/flags.hpp"
#include "core/kick_and_drift.hpp"
#include "neighbor/cells/binning.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Cells [begin, end) in each direction.
struct CellBox {
  CellCoordinates begin, end;

  PENCILBOX_DEVICE_FUNCTION bool has(const CellCoordinates& c) const {
    return c.x >= begin.x && c.x < end.x && c.y >= begin.y && c.y < end.y && c.z >= begin.z &&
           c.z < end.z;
  }
};

template <class Precision>
struct Departures {
  using State = typename Precision::State;
  using Emigrant = EmigrantRow<Precision>;

  GridView<State> global;
  CellCoordinates first;  ///< of the domain's grid, as the global one counts
  CellBox own, unseen;    ///< in the domain's grid; who is in an unseen cell stays and is no copy
  WhoSees who_sees;
  int rank;
  Outgoing<Precision> outgoing;
  IntoCells<State> into_cells;  ///< of the domain's grid
  Vec3View<const State> velocity;
  const std::int32_t* type;
  bool several_types;

  PENCILBOX_DEVICE_FUNCTION CellCoordinates home(Index i) const {
    return into_cells.grid.coordinates(into_cells.cell[i]);
  }

  /// Its row is free.
  PENCILBOX_DEVICE_FUNCTION void leave_out(Index i) const { into_cells.ticket[i] = nobody; }

  /// One of its own, from `home` to this offset from that cell's centre.
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i, const CellCoordinates& from,
                                            const Vec3<State>& offset,
                                            const Vec3<State>& its_velocity,
                                            const StepNumber& step) const {
    const bool is_inside = into_cells.is_inside(offset);
    if (is_inside && unseen.has(from)) return stay(i, into_cells.cell[i], offset);
    const CellCoordinates old{from.x + first.x, from.y + first.y, from.z + first.z};
    const CellStep<State> x(old.x, offset.x, global.side.x, global.cells.x, global.periodic.x);
    const CellStep<State> y(old.y, offset.y, global.side.y, global.cells.y, global.periodic.y);
    const CellStep<State> z(old.z, offset.z, global.side.z, global.cells.z, global.periodic.z);
    if (x.failed || y.failed || z.failed) note_failure(into_cells.failure, step, into_cells.id[i]);
    Emigrant row{};
    row.position = {x.offset, y.offset, z.offset};
    row.velocity = its_velocity;
    row.image = into_cells.image[i];
    row.image += {x.crossed, y.crossed, z.crossed};
    row.id = into_cells.id[i];
    row.type = several_types ? type[i] : 0;
    go(i, {x.cell, y.cell, z.cell}, row);
  }

 private:
  PENCILBOX_DEVICE_FUNCTION void stay(Index i, Index cell, const Vec3<State>& offset) const {
    into_cells.position.store(i, offset);
    into_cells.ticket[i] = atomic_add(into_cells.counts + cell, Index{1});
  }

  PENCILBOX_DEVICE_FUNCTION void go(Index i, const CellCoordinates& to, Emigrant& row) const {
    who_sees.for_each(to, [&](int who, Index cell, bool is_owner) {
      if (!is_owner) return send_copy(who, cell, row);
      if (who != rank) {
        leave_out(i);
        row.cell = cell;
        return emigrate(who, row);
      }
      into_cells.cell[i] = cell;
      into_cells.image.store(i, row.image);
      stay(i, cell, row.position);
    });
  }

  /// What has no room is counted all the same, and told later.
  PENCILBOX_DEVICE_FUNCTION void emigrate(int to, const Emigrant& row) const {
    const LetterRows<Precision>& letter = outgoing.letters[to];
    const Index k = count_up(&outgoing.written[to].emigrants);
    if (k < letter.room.emigrants) letter.emigrants[k] = row;
  }

  PENCILBOX_DEVICE_FUNCTION void send_copy(int to, Index cell, const Emigrant& row) const {
    const LetterRows<Precision>& letter = outgoing.letters[to];
    const Index k = count_up(&outgoing.written[to].ghosts);
    if (k < letter.room.ghosts) letter.ghosts[k] = {row.position, cell, row.id, row.type};
  }
};

/// Between two evaluations, or around one.
enum class Moving {
  not_at_all,  ///< its particles are shown as they are
  first_half,
  both_halves  ///< the second half of one step and the first of the next
};

/// What is in a row of others', or behind the last particle, is left out.
template <class Precision, Moving moving>
struct MoveOwn {
  static constexpr const char* name = "ranks: move";
  using State = typename Precision::State;

  KickAndDrift<Precision> move;  ///< its arrival is not asked
  Vec3View<const typename Precision::Accumulator> force;
  Departures<Precision> depart;
  const Index* particles;  ///< that there are, ghosts included
  Index* most;             ///< of them, so far
  StepNumber step;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (i == 0 && *particles > *most) *most = *particles;
    const CellCoordinates home = depart.home(i);
    if (i >= *particles || !depart.own.has(home)) return depart.leave_out(i);
    MovingParticle<Precision> now = move.particle(i);
    if constexpr (moving == Moving::first_half) {
      now.velocity = move.half_kick(i, force[i])(now.velocity);
      now.position = times_plus(static_cast<State>(move.timestep), now.velocity, now.position);
    } else if constexpr (moving == Moving::both_halves) {
      now.kick_and_drift(force[i], static_cast<State>(move.timestep));
    }
    if constexpr (moving != Moving::not_at_all) move.velocity.store(i, now.velocity);
    depart(i, home, now.position, now.velocity, step);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
