// Rows of letters that came, on their way among a rank's own particles: each into a row of its own,
// behind those that there is room for, from where binning orders them.
#pragma once

#include "app/ranks/mailbox.hpp"
#include "core/arrival.hpp"
#include "neighbor/cells/count_in_parts.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// In two exchanges, where a list is made: then those who have come over have rows first, and are
/// counted when they are shown.
enum class Coming { all, emigrants, ghosts };

template <class Precision>
struct TakeIn {
  static constexpr const char* name = "ranks: take in";
  using State = typename Precision::State;

  Arrived<Precision> arrived;
  Index first_row;
  IntoCells<State> into_cells;
  Vec3View<State> velocity;
  Vec3View<typename Precision::Pair> kick;  ///< null where no list is made
  ParticleId* id;
  std::int32_t* type;
  bool several_types;
  Coming coming = Coming::all;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot) const {
    Index kind = 0;
    while (kind + 1 < arrived.count && arrived.kinds[kind + 1].first_slot <= slot) ++kind;
    const ArrivedRows<Precision>& rows = arrived.kinds[kind];
    const Index k = slot - rows.first_slot;
    const Index i = first_row + slot;
    const LetterSize size = *rows.letter.size;
    if (coming == Coming::ghosts && !rows.are_ghosts) return;  // they are there
    const bool is_there = coming != Coming::emigrants || !rows.are_ghosts;
    if (!is_there || k >= (rows.are_ghosts ? size.ghosts : size.emigrants)) {
      into_cells.ticket[i] = nobody;
    } else if (rows.are_ghosts) {
      const GhostRow<Precision> row = rows.letter.ghost(k);
      take(i, row, Vec3<State>{}, {}, Vec3<std::int32_t>{});  // nobody moves it
    } else {
      const EmigrantRow<Precision> row = rows.letter.emigrants[k];
      take(i, row, row.velocity, row.kick, row.image);
    }
  }

 private:
  template <class Row>
  PENCILBOX_DEVICE_FUNCTION void take(Index i, const Row& row, const Vec3<State>& its_velocity,
                                      const Vec3<typename Precision::Pair>& its_kick,
                                      const Vec3<std::int32_t>& image) const {
    into_cells.position.store(i, row.position);
    into_cells.image.store(i, image);
    into_cells.cell[i] = row.cell;
    velocity.store(i, its_velocity);
    if (kick.x != nullptr) kick.store(i, its_kick);
    id[i] = row.id;
    if (several_types) type[i] = row.type;
    if (coming == Coming::emigrants) return into_cells.wait(i);
    into_cells.take_ticket(i, row.cell, row.position);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
