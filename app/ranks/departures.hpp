// Where a rank's own particles go when they have been moved: into one of its cells, or over to
// another rank; and who gets a copy because it sees the cell where they are now. To the bit as an
// arrival on one rank (core/arrival.hpp): a step goes through the global grid.
#pragma once

#include "app/ranks/decomposition.hpp"
#include "app/ranks/mailbox.hpp"
#include "core/arrival.hpp"
#include "core/device/flags.hpp"
#include "core/own_rows.hpp"
#include "integrators/particle_move.hpp"
#include "neighbor/cells/binning.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

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
  const std::int32_t* type;
  Vec3View<const State> velocity;
  bool several_types;
  Vec3View<const typename Precision::Pair> kick{};  ///< where a list is made, as the next
  LookAhead<Precision> ahead{};

  PENCILBOX_DEVICE_FUNCTION CellCoordinates home(Index i) const {
    return into_cells.grid.coordinates(into_cells.cell[i]);
  }

  /// Its row is free.
  PENCILBOX_DEVICE_FUNCTION void leave_out(Index i) const { into_cells.ticket[i] = nobody; }

  /// One of its own, from `home` to this offset from that cell's centre; and copies of it.
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i, const CellCoordinates& home,
                                            const Vec3<State>& offset,
                                            const Vec3<State>& its_velocity,
                                            const StepNumber& step) const {
    const bool is_inside = into_cells.is_inside(offset);
    if (is_inside && unseen.has(home)) return stay(i, into_cells.cell[i], offset, offset);
    CellCoordinates now;
    Emigrant row = moved(i, home, offset, offset, its_velocity, step, now);
    who_sees.for_each(now, [&](int who, Index cell, bool is_owner) {
      if (!is_owner) {
        send_copy(who, cell, row);
      } else if (who != rank) {
        leave_out(i);
        emigrate(who, cell, row);
      } else {
        come_into(i, cell, row);
        stay(i, cell, row.position, row.position);
      }
    });
  }

  /// The same of one who has a row of its own in any case, counted or not, and is shown to nobody:
  /// into the cell where it will be.
  PENCILBOX_DEVICE_FUNCTION void settle(Index i, const CellCoordinates& home,
                                        const StepNumber& step) const {
    into_cells.ticket[i] = somebody;
    const Vec3<State> offset = into_cells.position[i], its_velocity = velocity[i];
    const Vec3<State> then = will_be(i, offset);
    if (into_cells.is_inside(then)) return;
    CellCoordinates now;
    Emigrant row = moved(i, home, offset, then, its_velocity, step, now);
    row.kick = kick[i];
    who_sees.for_each(now, [&](int who, Index cell, bool is_owner) {
      if (!is_owner) return;
      if (who == rank) return come_into(i, cell, row);
      leave_out(i);
      emigrate(who, cell, row);
    });
  }

  /// One of its own in the cell where it is, or will be: a copy for each that sees that. `note`:
  /// called with whom a copy goes to, and which of the copies in the letter it is.
  template <class Note>
  PENCILBOX_DEVICE_FUNCTION void show(Index i, Note&& note) const {
    const Vec3<State> position = into_cells.position[i];
    const Vec3<State> then = will_be(i, position);
    const CellCoordinates place = home(i);
    stay(i, into_cells.cell[i], position, then);
    if (unseen.has(place)) return;
    Emigrant row{};
    row.position = then;
    row.id = into_cells.id[i];
    row.type = several_types ? type[i] : 0;
    const CellCoordinates now{place.x + first.x, place.y + first.y, place.z + first.z};
    who_sees.for_each(now, [&](int who, Index cell, bool is_owner) {
      if (!is_owner) note(who, send_copy(who, cell, row));
    });
  }

 private:
  static constexpr Index somebody = 0;

  PENCILBOX_DEVICE_FUNCTION Vec3<State> will_be(Index i, const Vec3<State>& position) const {
    return ahead(position, velocity[i], kick[i].template to<State>());
  }

  /// As on one rank, into the cell where it is `then`; `now`: that cell in the global grid.
  PENCILBOX_DEVICE_FUNCTION Emigrant moved(Index i, const CellCoordinates& home,
                                           const Vec3<State>& offset, const Vec3<State>& then,
                                           const Vec3<State>& its_velocity, const StepNumber& step,
                                           CellCoordinates& now) const {
    const CellCoordinates old{home.x + first.x, home.y + first.y, home.z + first.z};
    const CellStep<State> x(old.x, then.x, global.side.x, global.cells.x, global.periodic.x);
    const CellStep<State> y(old.y, then.y, global.side.y, global.cells.y, global.periodic.y);
    const CellStep<State> z(old.z, then.z, global.side.z, global.cells.z, global.periodic.z);
    if (x.failed || y.failed || z.failed) note_failure(into_cells.failure, step, into_cells.id[i]);
    now = {x.cell, y.cell, z.cell};
    Emigrant row{};
    row.position = {x.with_it(offset.x, global.side.x), y.with_it(offset.y, global.side.y),
                    z.with_it(offset.z, global.side.z)};
    row.velocity = its_velocity;
    row.image = into_cells.image[i];
    row.image += {x.crossed, y.crossed, z.crossed};
    row.id = into_cells.id[i];
    row.type = several_types ? type[i] : 0;
    return row;
  }

  PENCILBOX_DEVICE_FUNCTION void come_into(Index i, Index cell, const Emigrant& row) const {
    into_cells.cell[i] = cell;
    into_cells.image.store(i, row.image);
    into_cells.position.store(i, row.position);
  }

  PENCILBOX_DEVICE_FUNCTION void stay(Index i, Index cell, const Vec3<State>& offset,
                                      const Vec3<State>& then) const {
    into_cells.position.store(i, offset);
    const Index part = into_cells.parts.number(into_cells.grid.side, cell, then);
    into_cells.ticket[i] = atomic_add(into_cells.counts + part, Index{1});
  }

  /// What has no room is counted all the same, and told later.
  PENCILBOX_DEVICE_FUNCTION void emigrate(int to, Index cell, Emigrant& row) const {
    const LetterRows<Precision>& letter = outgoing.letters[to];
    const Index k = count_up(&outgoing.written[to].emigrants);
    row.cell = cell;
    if (k < letter.room.emigrants) letter.emigrants[k] = row;
  }

  PENCILBOX_DEVICE_FUNCTION Index send_copy(int to, Index cell, const Emigrant& row) const {
    const LetterRows<Precision>& letter = outgoing.letters[to];
    const Index k = count_up(&outgoing.written[to].ghosts);
    if (k < letter.room.ghosts) letter.ghosts[k] = {row.position, cell, row.id, row.type};
    return k;
  }
};

/// In place of an integrator's move: shown as they are.
template <class Precision>
struct StandStill {
  Vec3View<const typename Precision::State> position, velocity;

  template <HalfSteps>
  PENCILBOX_DEVICE_FUNCTION MovedParticle<Precision> after(
      Index i, const Vec3<typename Precision::Accumulator>&) const {
    return {position[i], velocity[i]};
  }
};

/// Of each particle of its own. What is in a row of others', or behind the last particle, is left
/// out.
template <class Precision, class Move, HalfSteps halves>
struct MoveOwn {
  static constexpr const char* name = "ranks: move";

  Move move;  ///< its arrival is not asked
  Vec3View<const typename Precision::Accumulator> force;
  Vec3View<typename Precision::State> velocity;
  Departures<Precision> depart;
  const Index* particles;  ///< that there are, ghosts included
  Index* most;             ///< of them, so far
  StepNumber step;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (i == 0 && *particles > *most) *most = *particles;
    const CellCoordinates home = depart.home(i);
    if (i >= *particles || !depart.own.has(home)) return depart.leave_out(i);
    const MovedParticle<Precision> now = move.template after<halves>(i, force[i]);
    velocity.store(i, now.velocity);
    depart(i, home, now.position, now.velocity, step);
  }
};

/// The half that ends a step, of each particle of its own.
template <class Precision, class Move>
struct EndOwn {
  static constexpr const char* name = "ranks: end of a step";

  Move move;
  Vec3View<const typename Precision::Accumulator> force;
  Vec3View<typename Precision::State> velocity;
  OwnRows own;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (!own(i)) return;
    velocity.store(i, move.template after<HalfSteps::second>(i, force[i]).velocity);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
