// What integrators that kick and drift share: which halves of a step a kernel does, and what it
// moves.
#pragma once

#include "core/arrival.hpp"
#include "core/kick_and_drift.hpp"
#include "core/particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// `both`: the second half of one step, then the first of the next.
enum class HalfSteps { first, second, both };

/// Few particles in small blocks, so that more multiprocessors take part.
inline int move_threads(Index particles) { return particles < 65536 ? 64 : 256; }

template <class Precision>
KickAndDrift<Precision> kick_and_drift_of(Particles<Precision>& particles,
                                          const Arrival<Precision>& arrival, double timestep) {
  auto& state = particles.state;
  const Vec3Buffer<typename Precision::State>& position = state.position;
  return {position.view(),
          state.velocity.view(),
          state.type.data(),
          particles.inverse_mass.data(),
          timestep,
          particles.types > 1,
          arrival};
}

}  // namespace pencilbox::PENCILBOX_DEVICE
