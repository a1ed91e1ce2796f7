// The arrays of the particles as kernels that move rows of them see them.
#pragma once

#include <cstdint>

#include "core/particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Pointers of a ParticleState.
template <class State>
struct StateView {
  Vec3View<State> position, velocity;
  Index* cell;
  ParticleId* id;
  std::int32_t* type;
  Vec3View<std::int32_t> image;
};

template <class Precision>
StateView<typename Precision::State> view_of(ParticleState<Precision>& s) {
  return {s.position.view(), s.velocity.view(), s.cell.data(),
          s.id.data(),       s.type.data(),     s.image.view()};
}

}  // namespace pencilbox::PENCILBOX_DEVICE
