// A radix sort of particles by where they are: for back ends that sort them, where the order must
// not be chance.
#pragma once

#include <bit>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Pairs (cell or group of cells, index of a particle). `Places` knows the first: key_of(particle).
template <class Places>
struct MakeCellPairs {
  static constexpr const char* name = "cell sort: pairs of cell and particle";
  Places places;
  std::uint32_t* keys;
  Index* order;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    keys[i] = static_cast<std::uint32_t>(places.key_of(i));
    order[i] = i;
  }
};

/// Particles in the order of their cells. The sort is stable: within a cell they stay in the
/// engine's order, so it depends on nothing but that. 4 bytes a particle, and what the sort takes:
/// another 8 a particle for its second pair of arrays, and its own workspace.
class CellSort {
 public:
  /// `cells`: keys are below that.
  CellSort(Index particles, Index cells)
      : bits_(std::bit_width(static_cast<std::uint32_t>(cells))), keys_(particles) {
    sort_.reserve(particles, bits_);
  }

  /// `places.particles` are those of the engine.
  template <class Places>
  void operator()(const Places& places, Buffer<Index>& order, Stream& stream) {
    for_each(stream, places.particles.count,
             MakeCellPairs<Places>{places, keys_.data(), order.data()});
    sort_(keys_, order, bits_, stream);
  }

  /// [N] the cell of a slot, once sorted.
  const std::uint32_t* cells() const { return keys_.data(); }

 private:
  int bits_;
  Buffer<std::uint32_t> keys_;
  SortPairs<std::uint32_t> sort_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
