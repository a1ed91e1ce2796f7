// Sources on their way through a block's shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/device.hpp"
#include "core/vec3.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// A source that is read at once: whole multiples of 16 bytes. Where all lanes read the same
/// source, or few, one load in place of three; where memory is short, StagedSources takes less.
template <class Pair>
struct alignas(16) StagedSource {
  Vec3<Pair> position;
  std::int32_t type;
};

/// Shared memory that one source of StagedSources takes.
template <class Pair>
constexpr std::size_t staged_bytes(bool with_types) {
  return 3 * sizeof(Pair) + (with_types ? sizeof(std::int32_t) : 0);
}

/// Sources in shared memory: positions relative to their cells, and types where they matter.
template <class Pair, bool has_types>
struct StagedSources {
  SharedArray<Pair> x, y, z;
  SharedArray<std::int32_t> type;

  static constexpr std::size_t bytes_per_source = staged_bytes<Pair>(has_types);

  /// Every thread of the block must call it.
  PENCILBOX_DEVICE_FUNCTION static StagedSources allocate(const Block& block, Index capacity) {
    const auto x = block.shared<Pair>(capacity);
    const auto y = block.shared<Pair>(capacity);
    const auto z = block.shared<Pair>(capacity);
    const auto type = block.shared<std::int32_t>(has_types ? capacity : Index{0});
    return {x, y, z, type};
  }

  PENCILBOX_DEVICE_FUNCTION void put(Index place, const Vec3<Pair>& position,
                                     std::int32_t its_type) const {
    x[place] = position.x;
    y[place] = position.y;
    z[place] = position.z;
    if constexpr (has_types) type[place] = its_type;
  }

  PENCILBOX_DEVICE_FUNCTION Vec3<Pair> position(Index place) const {
    return {x[place], y[place], z[place]};
  }

  PENCILBOX_DEVICE_FUNCTION std::int32_t type_of(Index place) const {
    if constexpr (has_types) {
      return type[place];
    } else {
      return 0;
    }
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
