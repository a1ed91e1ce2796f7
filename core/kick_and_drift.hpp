// The second half of one velocity-Verlet step and the first of the next: all that happens to a
// particle between two force evaluations, where nobody looks in between. It needs the particle's
// own force alone, so whoever sums forces can do it at once, and the force need not be stored.
//
//   v += f/m dt/2 ; v += f/m dt/2 ; x += v dt
//
// Allen and Tildesley, Computer Simulation of Liquids, section 3.2.1.
#pragma once

#include "core/arrival.hpp"
#include "core/particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// What a force makes of a velocity in half a step; rounded the same in every kernel.
template <class State>
struct HalfKick {
  State per_force;  ///< dt/2m
  Vec3<State> force;

  PENCILBOX_DEVICE_FUNCTION Vec3<State> operator()(const Vec3<State>& velocity) const {
    return times_plus(per_force, force, velocity);
  }
};

template <class Precision>
struct KickAndDrift {
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;

  Vec3View<const State> position;
  Vec3View<State> velocity;
  const std::int32_t* type;
  const double* inverse_mass;  ///< [types]
  double timestep;             ///< [tau]
  bool several_types;
  Arrival<Precision> arrival;  ///< of the new positions

  /// Everything is read before anything is written: what a compiler may not exchange, a small
  /// system would wait for one after the other. Two half kicks, not one whole: the bits must not
  /// depend on whether somebody looked between.
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i, const Vec3<Accumulator>& force) const {
    const HalfKick<State> kicked = half_kick(i, force);
    const Vec3<State> v = kicked(kicked(velocity[i]));
    drift(i, v);
    velocity.store(i, v);
  }

  /// Moves to the positions that this unit of a cycle evaluates, seen in `mirror`.
  PENCILBOX_DEVICE_FUNCTION void turn_to(std::int32_t unit,
                                         PackedPosition<typename Precision::Pair>* mirror) {
    arrival.unit = unit;
    arrival.under_watch.packed = mirror;
  }

  /// Of particle i.
  PENCILBOX_DEVICE_FUNCTION HalfKick<State> half_kick(Index i,
                                                      const Vec3<Accumulator>& force) const {
    const double per_mass = inverse_mass[several_types ? type[i] : 0];
    return {static_cast<State>(0.5 * timestep * per_mass), force.template to<State>()};
  }

  PENCILBOX_DEVICE_FUNCTION void drift(Index i, const Vec3<State>& v) const {
    arrival(i, times_plus(static_cast<State>(timestep), v, position[i]));
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
