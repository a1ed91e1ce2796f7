// The particles on their device, as structure of arrays. A position is a cell and coordinates
// relative to that cell's centre, so no precision loses digits in a big box, and a periodic
// image is an integer step between cells. Only `binning` permutes particles.
#pragma once

#include <type_traits>

#include "core/device/device.hpp"
#include "core/precision.hpp"
#include "core/start_state.hpp"
#include "core/vec3.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class T>
struct Vec3Buffer {
  Buffer<T> x, y, z;

  void resize(std::int64_t size) {
    x.resize(size);
    y.resize(size);
    z.resize(size);
  }
  void swap(Vec3Buffer& other) noexcept {
    x.swap(other.x);
    y.swap(other.y);
    z.swap(other.z);
  }
  void fill_bytes(int byte, Stream& stream) {
    x.fill_bytes(byte, stream);
    y.fill_bytes(byte, stream);
    z.fill_bytes(byte, stream);
  }
  Vec3View<T> view() { return {x.data(), y.data(), z.data()}; }
  Vec3View<const T> view() const { return {x.data(), y.data(), z.data()}; }
};

/// A position as kernels gather it: one word of 16 bytes (32 in double) for what three arrays would
/// fetch from three places. The type is as wide as a coordinate: a word that is written in part
/// costs a GPU's memory a read.
template <class Pair>
struct alignas(4 * sizeof(Pair)) PackedPosition {
  using Type = std::conditional_t<sizeof(Pair) == 8, std::int64_t, std::int32_t>;
  Vec3<Pair> position;  ///< relative to the centre of the particle's cell [sigma]
  Type type = 0;        ///< 0-based

  /// Where padding is: in nobody's range, not even of what has flown far along an axis or a
  /// diagonal, and its distance squared still a number.
  PENCILBOX_DEVICE_FUNCTION static Vec3<Pair> far_away() {
    return {Pair(1.7e17), Pair(-2.9e17), Pair(1.3e17)};
  }
  PENCILBOX_DEVICE_FUNCTION static PackedPosition padding() { return {far_away(), 0}; }
};

/// What moves with a particle when binning reorders.
template <class Precision>
struct ParticleState {
  using State = typename Precision::State;

  Vec3Buffer<State> position;      ///< [N] relative to the centre of `cell` [sigma]
  Vec3Buffer<State> velocity;      ///< [N] [sigma/tau]
  Buffer<Index> cell;              ///< [N] linear cell index
  Buffer<ParticleId> id;           ///< [N]
  Buffer<std::int32_t> type;       ///< [N] 0-based
  Vec3Buffer<std::int32_t> image;  ///< [N] periodic images crossed

  void resize(std::int64_t size) {
    position.resize(size);
    velocity.resize(size);
    cell.resize(size);
    id.resize(size);
    type.resize(size);
    image.resize(size);
  }
};

/// What one force evaluation writes, in the current order.
template <class Precision>
struct PairSums {
  using Accumulator = typename Precision::Accumulator;

  Vec3Buffer<Accumulator> force;  ///< [N]
  Buffer<Accumulator> energy;     ///< [N] half of each pair's energy
  Buffer<Accumulator> virial;     ///< [N] half of each pair's r . f
  Buffer<Index> candidates;       ///< [N] sources that were looked at; empty until somebody counts
  Buffer<Index> partners;         ///< [N] those of them in range; likewise

  void resize(std::int64_t size) {
    force.resize(size);
    energy.resize(size);
    virial.resize(size);
  }
  void resize_counts(std::int64_t size) {
    candidates.resize(size);
    partners.resize(size);
  }
};

template <class Precision>
struct Particles {
  Index count = 0;
  ParticleState<Precision> state;
  PairSums<Precision> sums;
  Index types = 1;
  Buffer<double> mass;          ///< [types]
  Buffer<double> inverse_mass;  ///< [types]
};

}  // namespace pencilbox::PENCILBOX_DEVICE
