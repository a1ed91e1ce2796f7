// Where a rank's own particles go when they have been moved: into one of its cells, or over to
// another rank; and who gets a copy because it sees the cell where they are now. To the bit as an
// arrival on one rank (core/arrival.hpp): a step goes through the global grid.
#pragma once

#include <algorithm>

#include "app/ranks/decomposition.hpp"
#include "app/ranks/mailbox.hpp"
#include "core/arrival.hpp"
#include "core/cell_box.hpp"
#include "core/cell_shell.hpp"
#include "core/device/flags.hpp"
#include "core/own_rows.hpp"
#include "integrators/particle_move.hpp"
#include "neighbor/binned_particles.hpp"
#include "neighbor/cells/count_in_parts.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
struct Departures {
  using State = typename Precision::State;
  using Emigrant = EmigrantRow<Precision>;

  GridView<State> global;
  CellCoordinates first;  ///< of the domain's grid, as the global one counts
  CellBox own;            ///< in the domain's grid
  WhoSees who_sees;
  int rank;
  Outgoing<Precision> outgoing;
  IntoCells<State> into_cells;  ///< of the domain's grid; who is in an unseen one is no copy
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
    into_cells(i, offset, step);
    if (waits(i)) leave(i, home, offset, its_velocity, step);
  }

  /// Whether it is not through yet: among cells that others see.
  PENCILBOX_DEVICE_FUNCTION bool waits(Index i) const {
    return into_cells.ticket[i] == waits_for_ticket;
  }

  /// The same of one that waits.
  PENCILBOX_DEVICE_FUNCTION void leave(Index i, const CellCoordinates& home,
                                       const Vec3<State>& offset, const Vec3<State>& its_velocity,
                                       const StepNumber& step) const {
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
        into_cells.take_ticket(i, cell, row.position);
      }
    });
  }

  /// The same of one who lies there already, into the cell where it will be; it is shown to nobody
  /// yet. Only who is through, among unseen cells, has a ticket then.
  PENCILBOX_DEVICE_FUNCTION void settle(Index i, const CellCoordinates& home,
                                        const StepNumber& step) const {
    const Vec3<State> offset = into_cells.position[i], its_velocity = velocity[i];
    into_cells.assign_cell(i, offset, its_velocity, kick[i].template to<State>(), ahead, step);
    if (!waits(i)) return;
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
    into_cells.take_ticket(i, into_cells.cell[i], then);
    if (into_cells.unseen.has(place)) return;
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
  PENCILBOX_DEVICE_FUNCTION Vec3<State> will_be(Index i, const Vec3<State>& position) const {
    return ahead(position, velocity[i], kick[i].template to<State>());
  }

  /// As on one rank, into the cell where it is `then`; `now`: that cell in the global grid.
  PENCILBOX_DEVICE_FUNCTION Emigrant moved(Index i, const CellCoordinates& home,
                                           const Vec3<State>& offset, const Vec3<State>& then,
                                           const Vec3<State>& its_velocity, const StepNumber& step,
                                           CellCoordinates& now) const {
    const CellCoordinates old{home.x + first.x, home.y + first.y, home.z + first.z};
    const WayToCell<State> way(global, old, then);
    if (way.failed()) note_failure(into_cells.failure, step, into_cells.id[i]);
    now = way.cell();
    Emigrant row{};
    row.position = way.with_it(offset, global.side);
    row.velocity = its_velocity;
    row.image = into_cells.image[i];
    row.image += way.crossed();
    row.id = into_cells.id[i];
    row.type = several_types ? type[i] : 0;
    return row;
  }

  PENCILBOX_DEVICE_FUNCTION void come_into(Index i, Index cell, const Emigrant& row) const {
    into_cells.cell[i] = cell;
    into_cells.image.store(i, row.image);
    into_cells.position.store(i, row.position);
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
    if (k < letter.room.ghosts) letter.store_ghost(k, {row.position, cell, row.id, row.type});
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

/// The rows of a rank, of which those with a particle of its own are visited. What is in a row of
/// others', or behind the last particle, is left out.
template <class Precision>
struct OwnDepartures {
  Departures<Precision> depart;
  const Index* particles;  ///< that there are, ghosts included
  Index* most;             ///< of them, so far
  StepNumber step;

  /// Calls visit(its cell).
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i, const Visit& visit) const {
    if (i == 0) note_most();
    const CellCoordinates home = depart.home(i);
    if (i >= *particles || !depart.own.has(home)) return depart.leave_out(i);
    visit(home);
  }
  PENCILBOX_DEVICE_FUNCTION void note_most() const {
    if (*particles > *most) *most = *particles;
  }
};

template <class Precision, class Move, HalfSteps halves>
struct MoveOwn {
  static constexpr const char* name = "ranks: move";

  Move move;  ///< its arrival is not asked
  Vec3View<const typename Precision::Accumulator> force;
  Vec3View<typename Precision::State> velocity;
  OwnDepartures<Precision> own;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    own(i, [&](const CellCoordinates& home) {
      const MovedParticle<Precision> now = move.template after<halves>(i, force[i]);
      velocity.store(i, now.velocity);
      own.depart(i, home, now.position, now.velocity, own.step);
    });
  }
};

/// Of who has been moved with its forces, in an order by cells. Who waits is in a cell that others
/// see, or has come from a neighbor of these: no other cell is looked into, unless somebody has
/// leapt farther.
template <class Precision>
struct DepartWhoWaits {
  static constexpr const char* name = "ranks: depart";

  OwnDepartures<Precision> own;
  const Index* offset;  ///< [cells + 1] first row of a cell
  Index rows;           ///< that arrays have
  CellShell shell;      ///< around the deep cells
  Index a_cell;         ///< threads
  Index threads;

  /// A thread for each particle of a cell, where a GPU has so many; and some more, where the shell
  /// is small: for the rows behind the last particle.
  DepartWhoWaits(const OwnDepartures<Precision>& own_rows, const BinnedParticles<Precision>& binned)
      : own(own_rows),
        offset(binned.offset),
        rows(binned.count),
        shell(binned.grid.cells, own.depart.into_cells.unseen.deep),
        a_cell(emulates_blocks ? 1 : std::clamp(rows / binned.cells(), 1, 16)),
        threads(std::max(shell.count() * a_cell, 1024)) {}

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    if (thread == 0) own.note_most();
    if (thread < shell.count() * a_cell) {
      from(shell.cell(thread / a_cell), thread % a_cell, a_cell);
    }
    for (std::int64_t i = std::int64_t{*own.particles} + thread; i < rows; i += threads) {
      own.depart.leave_out(static_cast<Index>(i));
    }
    if (*own.depart.into_cells.unseen.leap >= own.step()) from_deep_cells(thread);
  }

 private:
  PENCILBOX_DEVICE_FUNCTION void from_deep_cells(Index thread) const {
    const CellCounts& cells = own.depart.into_cells.grid.cells;
    for (std::int64_t number = thread; number < cells.count(); number += threads) {
      const CellCoordinates cell = cells.coordinates(static_cast<Index>(number));
      if (own.depart.into_cells.unseen.deep.has(cell)) from(cell, 0, 1);
    }
  }

  /// Of the rows of a cell, the part that is one of so many threads'.
  PENCILBOX_DEVICE_FUNCTION void from(const CellCoordinates& home, Index part, Index parts) const {
    const Departures<Precision>& depart = own.depart;
    const bool is_own = depart.own.has(home);
    const Index cell = depart.into_cells.grid.linear(home);
    const Index end = smaller(offset[cell + 1], rows);
    for (Index i = offset[cell] + part; i < end; i += parts) {
      if (!is_own) {
        depart.leave_out(i);
      } else if (depart.waits(i)) {
        depart.leave(i, home, depart.into_cells.position[i], depart.velocity[i], own.step);
      }
    }
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
