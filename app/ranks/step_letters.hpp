// What ranks send each other in a step, as kernels write and read it: particles that go over into
// another's cells, and copies of those in cells that another sees. A letter has room that is fixed
// between two looks of the host, and says itself how much of it is used.
#pragma once

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
struct alignas(16) GhostRow {
  Vec3<typename Precision::State> position;  ///< relative to the centre of `cell` [sigma]
  Index cell;                                ///< in the grid of who sees it
  ParticleId id;
  std::int32_t type;
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

  LetterSize* size = nullptr;  ///< null: there is no such letter
  Emigrant* emigrants = nullptr;
  Ghost* ghosts = nullptr;
  LetterSize room{};

  LetterRows() = default;
  LetterRows(std::byte* begin, const LetterSize& room_for)
      : size(reinterpret_cast<LetterSize*>(begin)),
        emigrants(reinterpret_cast<Emigrant*>(begin + head_bytes)),
        ghosts(reinterpret_cast<Ghost*>(begin + ghosts_at(room_for))),
        room(room_for) {}

  /// In place of ghosts that are there already: where they are now, in the same order.
  PENCILBOX_DEVICE_FUNCTION Vec3<typename Precision::State>* positions() const {
    return reinterpret_cast<Vec3<typename Precision::State>*>(ghosts);
  }

  static std::size_t bytes(const LetterSize& room) { return bytes_used(room, room.ghosts); }
  /// Of a letter with so many ghosts.
  static std::size_t bytes_used(const LetterSize& room, Index ghosts) {
    return ghosts_at(room) + static_cast<std::size_t>(ghosts) * sizeof(Ghost);
  }
  /// Of one with so many positions.
  static std::size_t bytes_of_positions(const LetterSize& room, Index positions) {
    using Position = Vec3<typename Precision::State>;
    return ghosts_at(room) + static_cast<std::size_t>(positions) * sizeof(Position);
  }

 private:
  static constexpr std::size_t head_bytes = 16;
  static std::size_t ghosts_at(const LetterSize& room) {
    return head_bytes + static_cast<std::size_t>(room.emigrants) * sizeof(Emigrant);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
