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
  /// Of a whole step.
  PENCILBOX_DEVICE_FUNCTION Vec3<State> twice() const { return (per_force + per_force) * force; }
};

/// What a kick and a drift change.
template <class Precision>
struct MovingParticle {
  using State = typename Precision::State;

  Vec3<State> position, velocity;
  State half_step_per_mass;  ///< dt/2m

  PENCILBOX_DEVICE_FUNCTION void kick_and_drift(const Vec3<typename Precision::Accumulator>& force,
                                                State timestep) {
    const HalfKick<State> kicked = half_kick(force);
    velocity = kicked(kicked(velocity));
    position = times_plus(timestep, velocity, position);
  }
  PENCILBOX_DEVICE_FUNCTION HalfKick<State> half_kick(
      const Vec3<typename Precision::Accumulator>& force) const {
    return {half_step_per_mass, force.template to<State>()};
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

  /// Everything that moving a particle reads.
  struct Read {
    MovingParticle<Precision> moving;
    PackedPosition<typename Precision::Pair> reference;  ///< where it will be under watch
    bool kick_is_wanted = false;
  };
  PENCILBOX_DEVICE_FUNCTION Read read(Index i) const {
    if (!is_watched()) return {particle(i), {}};
    return {particle(i), arrival.under_watch.read(i),
            arrival.under_watch.wants_kicks(arrival.unit)};
  }

  /// Everything is read before anything is written: what a compiler may not exchange, a small
  /// system would wait for one after the other. Two half kicks, not one whole: the bits must not
  /// depend on whether somebody looked between.
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i, const Vec3<Accumulator>& force) const {
    (*this)(i, force, read(i));
  }
  /// The same by who has read already.
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i, const Vec3<Accumulator>& force,
                                            const Read& read) const {
    MovingParticle<Precision> moving = read.moving;
    moving.kick_and_drift(force, static_cast<State>(timestep));
    if (is_watched()) {
      if (read.kick_is_wanted) {
        arrival.under_watch.note_kick(i, moving.half_kick(force).twice());
      }
      arrival.under_watch(i, moving.position, read.reference, arrival.unit);
    } else {
      arrival.into_cells(i, moving.position, arrival.step);
    }
    velocity.store(i, moving.velocity);
  }

  PENCILBOX_DEVICE_FUNCTION bool is_watched() const {
    return arrival.then == Arrival<Precision>::Then::under_watch;
  }

  PENCILBOX_DEVICE_FUNCTION MovingParticle<Precision> particle(Index i) const {
    return {position[i], velocity[i], half_step_per_mass(i)};
  }
  /// What moving particle i reads, for who sums its forces meanwhile.
  PENCILBOX_DEVICE_FUNCTION void fetch_ahead(Index i) const {
    position.fetch_ahead(i);
    velocity.fetch_ahead(i);
    if (is_watched()) pencilbox::fetch_ahead(arrival.under_watch.reference + i);
  }
  /// One that was moved apart from where it lies, and has been shown where it is.
  PENCILBOX_DEVICE_FUNCTION void store(Index i, const MovingParticle<Precision>& moved) const {
    arrival.under_watch.position.store(i, moved.position);
    velocity.store(i, moved.velocity);
  }

  /// Of particle i.
  PENCILBOX_DEVICE_FUNCTION HalfKick<State> half_kick(Index i,
                                                      const Vec3<Accumulator>& force) const {
    return {half_step_per_mass(i), force.template to<State>()};
  }

  PENCILBOX_DEVICE_FUNCTION State half_step_per_mass(Index i) const {
    return static_cast<State>(0.5 * timestep * inverse_mass[several_types ? type[i] : 0]);
  }

  PENCILBOX_DEVICE_FUNCTION void drift(Index i, const Vec3<State>& v) const {
    arrival(i, times_plus(static_cast<State>(timestep), v, position[i]));
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
