// The first step to an order: how many particles are in each part of a cell, and where among them
// each one comes: a ticket by chance, or a key by which they are sorted.
#pragma once

#include <cstdint>

#include "core/arrival.hpp"
#include "core/cell_parts.hpp"
#include "core/look_ahead.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// The ticket of who is left out of an order that lasts one step: nobody's particles, whose rows
/// others may take.
inline constexpr Index nobody = -1;

/// What arrivals count.
struct Counters {
  Index* counts;  ///< [parts]
  Index parts;

  /// Back to zero for the next arrivals: `threads` of them do it, this is number i.
  PENCILBOX_DEVICE_FUNCTION void clear(Index i, Index threads) const {
    for (std::int64_t c = i; c < parts; c += threads) counts[c] = 0;
  }
};

struct ClearCounts {
  static constexpr const char* name = "binning: clear counts";
  Index* counts;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index part) const { counts[part] = 0; }
};

/// None, where an order lasts one step only.
template <class State, class Pair>
PENCILBOX_DEVICE_FUNCTION Vec3<State> known_kick(const Vec3View<const Pair>& kick, Index i) {
  return kick.x == nullptr ? Vec3<State>{} : kick[i].template to<State>();
}

template <class Precision>
struct ArriveWhereTheyAre {
  static constexpr const char* name = "binning: assign cells";
  using State = typename Precision::State;
  IntoCells<State> into_cells;
  Vec3View<const State> velocity;
  Vec3View<const typename Precision::Pair> kick;
  LookAhead<Precision> ahead;
  StepNumber step;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    into_cells.assign_cell(i, into_cells.position[i], velocity[i], known_kick<State>(kick, i),
                           ahead, step);
  }
};

/// The part of its cell that a particle is in, or will be.
template <class Precision>
struct PartOf {
  using State = typename Precision::State;
  CellParts parts;
  Vec3<State> side;
  const Index* cell;
  Vec3View<const State> position, velocity;
  Vec3View<const typename Precision::Pair> kick;
  LookAhead<Precision> ahead;

  PENCILBOX_DEVICE_FUNCTION Index operator()(Index i) const {
    return parts.number(side, cell[i], ahead(position[i], velocity[i], known_kick<State>(kick, i)));
  }
};

template <class Precision>
struct CountInParts {
  static constexpr const char* name = "binning: count";
  PartOf<Precision> part_of;
  Index* counts;
  Index* ticket;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    take_ticket(counts + part_of(i), ticket + i);
  }
};

template <class Precision>
struct MakeKeys {
  static constexpr const char* name = "binning: make keys";
  PartOf<Precision> part_of;
  const ParticleId* id;
  const Index* ticket;
  std::uint64_t* keys;
  Index* order;
  Index parts;
  int id_bits;

  /// Nobody's come last.
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Index part = ticket[i] == nobody ? parts : part_of(i);
    keys[i] = static_cast<std::uint64_t>(part) << id_bits | static_cast<std::uint64_t>(id[i]);
    order[i] = i;
  }
};

/// From the first particle of each part to that of each cell.
struct OffsetsOfCells {
  static constexpr const char* name = "binning: offsets of cells";
  const Index* part_offset;  ///< null: parts are whole cells
  Index* offset;             ///< [cells + 1]
  Index cells, parts_of_a_cell;

  PENCILBOX_DEVICE_FUNCTION Index first_of(Index cell) const {
    return part_offset[cell * parts_of_a_cell];
  }
  PENCILBOX_DEVICE_FUNCTION void operator()(Index cell) const { offset[cell] = first_of(cell); }
  /// `threads` of them do all, this is number i.
  PENCILBOX_DEVICE_FUNCTION void find(Index i, Index threads) const {
    if (part_offset == nullptr) return;
    for (std::int64_t cell = i; cell <= cells; cell += threads) {
      (*this)(static_cast<Index>(cell));
    }
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
