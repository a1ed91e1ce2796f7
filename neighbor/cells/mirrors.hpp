// Copies of positions as pair kernels gather them, and of the places that a watch compares with.
#pragma once

#include <cstdint>

#include "neighbor/binned_particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
struct PackPositions {
  static constexpr const char* name = "binning: pack positions";
  using Pair = typename Precision::Pair;
  using State = typename Precision::State;
  Vec3View<const State> position;
  const std::int32_t* type;
  PackedPosition<Pair>* packed;
  PairCoordinates<State, Pair> coordinates;
  bool several_types;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    packed[i] = {coordinates(position[i]),
                 static_cast<typename PackedPosition<Pair>::Type>(several_types ? type[i] : 0)};
  }
};

/// On another lattice, as a list would be made of them that is resumed.
template <class Precision>
struct RoundReferences {
  static constexpr const char* name = "binning: round references";
  using Pair = typename Precision::Pair;
  PackedPosition<Pair>* reference;
  PairCoordinates<typename Precision::State, Pair> coordinates;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    Vec3<Pair>& place = reference[i].position;
    place = coordinates(place.template to<typename Precision::State>());
  }
};

/// From where a list's places are gathered to arrays of coordinates.
template <class Precision>
struct SpreadReferences {
  static constexpr const char* name = "binning: spread references";
  using State = typename Precision::State;
  const PackedPosition<typename Precision::Pair>* reference;
  Vec3View<State> to;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    to.store(i, reference[i].position.template to<State>());
  }
};

template <class Pair>
struct CopyMirror {
  static constexpr const char* name = "binning: turn the mirror";
  const PackedPosition<Pair>* from;
  PackedPosition<Pair>* to;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const { to[i] = from[i]; }
};

template <class Pair>
struct PadMirror {
  static constexpr const char* name = "binning: pad the mirror";
  PackedPosition<Pair>* behind_the_last;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    *behind_the_last = PackedPosition<Pair>::padding();
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
