// What integrators that kick and drift share: which halves of a step a kernel does, and what it
// moves.
#pragma once

#include "core/arrival.hpp"
#include "core/device/math.hpp"
#include "core/kick_and_drift.hpp"
#include "core/particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// `both`: the second half of one step, then the first of the next.
enum class HalfSteps { first, second, both };

/// Few particles in small blocks, so that more multiprocessors take part.
inline int move_threads(Index particles) { return particles < 65536 ? 64 : 256; }

/// factor * a + b, component by component, and rounded as times_plus() is. Where a half step is a
/// sum of two products, a compiler would contract it one way in one kernel and the other way in
/// another.
template <class Real>
PENCILBOX_DEVICE_FUNCTION Vec3<Real> times_plus(Real factor, const Vec3<Real>& a,
                                                const Vec3<Real>& b) {
  return {pencilbox::times_plus(factor, a.x, b.x), pencilbox::times_plus(factor, a.y, b.y),
          pencilbox::times_plus(factor, a.z, b.z)};
}

/// The half kick of a particle: what it adds to a velocity.
template <class Precision>
struct HalfKick {
  using State = typename Precision::State;

  State factor;  ///< dt/2m
  Vec3<State> force;

  PENCILBOX_DEVICE_FUNCTION HalfKick(const KickAndDrift<Precision>& move, Index i,
                                     const Vec3<typename Precision::Accumulator>& force_on_it)
      : factor(static_cast<State>(0.5 * move.timestep *
                                  move.inverse_mass[move.several_types ? move.type[i] : 0])),
        force(force_on_it.template to<State>()) {}

  PENCILBOX_DEVICE_FUNCTION Vec3<State> operator()(const Vec3<State>& velocity) const {
    return times_plus(factor, force, velocity);
  }
};

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
