// What ranks send each other in a step, as kernels write and read it: particles that go over into
// another's cells, and copies of those in cells that another sees. A letter has room that is fixed
// between two looks of the host, and says itself how much of it is used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/device/device.hpp"
#include "core/start_state.hpp"
#include "core/vec3.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// A particle on its way to the rank that owns the cell where it is now. (Aligned as a GPU stores
/// most at a time.)
template <class Precision>
struct alignas(16) EmigrantRow {
  using State = typename Precision::State;

  Vec3<State> position;  ///< relative to the centre of `cell` [sigma]
  Vec3<State> velocity;
  Vec3<typename Precision::Pair> kick;  ///< where a list is made: see LookAhead
  Vec3<std::int32_t> image;
  Index cell;  ///< in the grid of the rank that gets it
  ParticleId id;
  std::int32_t type;
};

/// Another rank's particle, as a source.
template <class Precision>
struct GhostRow {
  Vec3<typename Precision::State> position;  ///< relative to the centre of `cell` [sigma]
  Index cell;                                ///< in the grid of who sees it
  ParticleId id;
  std::int32_t type;
};

/// Most rows of a letter are ghosts, which lie in chunks, coordinate by coordinate: a letter may be
/// in another GPU, and what neighbouring threads write next to each other goes there at once.
inline constexpr Index rows_of_chunk = 32;
template <class T>
using Chunk = std::array<T, rows_of_chunk>;

template <class State>
struct PositionChunk {
  Chunk<State> x, y, z;

  PENCILBOX_DEVICE_FUNCTION void store(unsigned k, const Vec3<State>& position) {
    x[k] = position.x;
    y[k] = position.y;
    z[k] = position.z;
  }
  PENCILBOX_DEVICE_FUNCTION Vec3<State> operator[](unsigned k) const { return {x[k], y[k], z[k]}; }
};

template <class Precision>
struct GhostChunk {
  PositionChunk<typename Precision::State> position;
  Chunk<ParticleId> id;
  Chunk<Index> cell;
  Chunk<std::int32_t> type;

  PENCILBOX_DEVICE_FUNCTION void store(unsigned k, const GhostRow<Precision>& row) {
    position.store(k, row.position);
    id[k] = row.id;
    cell[k] = row.cell;
    type[k] = row.type;
  }
  PENCILBOX_DEVICE_FUNCTION GhostRow<Precision> operator[](unsigned k) const {
    return {position[k], cell[k], id[k], type[k]};
  }
};

/// Rows of a letter: what it has, or has room for.
struct LetterSize {
  Index emigrants = 0;
  Index ghosts = 0;

  bool operator==(const LetterSize&) const = default;
  PENCILBOX_DEVICE_FUNCTION Index rows() const { return emigrants + ghosts; }
};

/// A letter in memory: how many rows it has, then emigrants, then ghosts.
template <class Precision>
struct LetterRows {
  using Emigrant = EmigrantRow<Precision>;
  using Ghost = GhostRow<Precision>;
  using State = typename Precision::State;

  LetterSize* size = nullptr;  ///< null: there is no such letter
  Emigrant* emigrants = nullptr;
  LetterSize room{};

  LetterRows() = default;
  LetterRows(std::byte* begin, const LetterSize& room_for)
      : size(reinterpret_cast<LetterSize*>(begin)),
        emigrants(reinterpret_cast<Emigrant*>(begin + head_bytes)),
        room(room_for),
        chunks_(begin + ghosts_at(room_for)) {}

  PENCILBOX_DEVICE_FUNCTION void store_ghost(Index k, const Ghost& row) const {
    chunk_of<GhostChunk<Precision>>(k).store(in_chunk(k), row);
  }
  PENCILBOX_DEVICE_FUNCTION Ghost ghost(Index k) const {
    return chunk_of<GhostChunk<Precision>>(k)[in_chunk(k)];
  }

  // In place of ghosts that are there already: where they are now, in the same order.
  PENCILBOX_DEVICE_FUNCTION void store_position(Index k, const Vec3<State>& position) const {
    chunk_of<PositionChunk<State>>(k).store(in_chunk(k), position);
  }
  PENCILBOX_DEVICE_FUNCTION Vec3<State> position(Index k) const {
    return chunk_of<PositionChunk<State>>(k)[in_chunk(k)];
  }

  static std::size_t bytes(const LetterSize& room) { return bytes_used(room, room.ghosts); }
  /// Of a letter with so many ghosts.
  static std::size_t bytes_used(const LetterSize& room, Index ghosts) {
    return ghosts_at(room) + bytes_of_chunks<GhostChunk<Precision>>(ghosts);
  }
  /// Of one with so many positions.
  static std::size_t bytes_of_positions(const LetterSize& room, Index positions) {
    return ghosts_at(room) + bytes_of_chunks<PositionChunk<State>>(positions);
  }

 private:
  static constexpr std::size_t head_bytes = 16;
  static constexpr std::size_t line_bytes = 128;  ///< that a GPU writes at once, at most
  static std::size_t ghosts_at(const LetterSize& room) {
    const auto emigrants = static_cast<std::size_t>(room.emigrants);
    const std::size_t end = head_bytes + emigrants * sizeof(Emigrant);
    return (end + line_bytes - 1) / line_bytes * line_bytes;
  }
  template <class OfRows>
  static std::size_t bytes_of_chunks(Index rows) {
    return static_cast<std::size_t>(divide_up(rows, rows_of_chunk)) * sizeof(OfRows);
  }

  PENCILBOX_DEVICE_FUNCTION static unsigned in_chunk(Index k) {
    return static_cast<unsigned>(k) % rows_of_chunk;
  }
  template <class OfRows>
  PENCILBOX_DEVICE_FUNCTION OfRows& chunk_of(Index k) const {
    return reinterpret_cast<OfRows*>(chunks_)[k / rows_of_chunk];
  }

  std::byte* chunks_ = nullptr;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
