// What each integrator does to one particle in the halves of a step: the arithmetic alone. Where
// the particle then goes, into a cell, under watch or over to another rank, is the kernel's.
#pragma once

#include <variant>

#include "core/rng.hpp"
#include "integrators/batch_steps.hpp"
#include "integrators/exchanged_energy.hpp"
#include "integrators/half_steps.hpp"
#include "integrators/kinetic_energy.hpp"
#include "integrators/ramp.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
struct MovedParticle {
  Vec3<typename Precision::State> position, velocity;  ///< a second half leaves the position
};

template <class Precision>
PENCILBOX_DEVICE_FUNCTION Vec3<typename Precision::State> drifted(
    const KickAndDrift<Precision>& basic, Index i, const Vec3<typename Precision::State>& v) {
  return times_plus(static_cast<typename Precision::State>(basic.timestep), v, basic.position[i]);
}

/// Velocity Verlet: see velocity_verlet.cpp.
template <class Precision>
struct VerletMove {
  static constexpr const char* name = "velocity-verlet";
  using State = typename Precision::State;

  KickAndDrift<Precision> basic;

  template <HalfSteps halves>
  PENCILBOX_DEVICE_FUNCTION MovedParticle<Precision> after(
      Index i, const Vec3<typename Precision::Accumulator>& force) const {
    MovingParticle<Precision> now = basic.particle(i);
    if constexpr (halves == HalfSteps::both) {
      now.kick_and_drift(force, static_cast<State>(basic.timestep));
    } else {
      now.velocity = basic.half_kick(i, force)(now.velocity);
      if constexpr (halves == HalfSteps::first) now.position = drifted(basic, i, now.velocity);
    }
    return {now.position, now.velocity};
  }
};

/// O of BAOAB, in langevin.cpp: what friction and noise make of a velocity.
struct FrictionAndNoise {
  double kept;   ///< c
  double noise;  ///< sqrt((1 - c^2) T), of a temperature that stays
  double drawn;  ///< 1 - c^2
  Ramp temperature;
  std::uint64_t seed;

  /// Two draws of a particle and a step give three numbers of mean 0 and variance 1.
  PENCILBOX_DEVICE_FUNCTION Vec3<double> operator()(const Vec3<double>& velocity, ParticleId id,
                                                    std::int64_t step, double inverse_mass) const {
    const auto name = static_cast<std::uint32_t>(id);
    const std::uint64_t draw = 2 * static_cast<std::uint64_t>(step);
    const RandomPair xy = gaussian_pair(random_bits(seed, RandomStream::langevin, name, draw));
    const RandomPair z = gaussian_pair(random_bits(seed, RandomStream::langevin, name, draw + 1));
    const double width = noise_at(step) * std::sqrt(inverse_mass);
    return times_plus(kept, velocity, width * Vec3<double>{xy.first, xy.second, z.first});
  }

  PENCILBOX_DEVICE_FUNCTION double noise_at(std::int64_t step) const {
    return temperature.stays() ? noise : std::sqrt(drawn * temperature(step));
  }
};

template <class Precision>
struct LangevinMove {
  static constexpr const char* name = "langevin";
  using State = typename Precision::State;

  KickAndDrift<Precision> basic;
  const ParticleId* id;
  FrictionAndNoise bath;
  ExchangedEnergyView exchanged;
  RunStep step;  ///< that the particles arrive at

  template <HalfSteps halves>
  PENCILBOX_DEVICE_FUNCTION MovedParticle<Precision> after(
      Index i, const Vec3<typename Precision::Accumulator>& force) const {
    const auto kicked = basic.half_kick(i, force);
    Vec3<State> v = kicked(basic.velocity[i]);
    if constexpr (halves == HalfSteps::both) v = kicked(v);
    if constexpr (halves != HalfSteps::second) {
      return with_noise(i, v);
    } else {
      return {{}, v};
    }
  }

 private:
  /// A, O, A; the velocity after O.
  PENCILBOX_DEVICE_FUNCTION MovedParticle<Precision> with_noise(Index i,
                                                                const Vec3<State>& v) const {
    const double inverse_mass = basic.inverse_mass[basic.several_types ? basic.type[i] : 0];
    const Vec3<double> before = v.template to<double>();
    const Vec3<State> after = bath(before, id[i], step(), inverse_mass).template to<State>();
    const Vec3<double> rounded = after.template to<double>();
    exchanged.add(i, 0.5 * (dot(rounded, rounded) - dot(before, before)) / inverse_mass);
    return {times_plus(static_cast<State>(0.5 * basic.timestep), v + after, basic.position[i]),
            after};
  }
};

/// One factor for all velocities, which have had their second half kick: see
/// velocity_rescaling.cpp.
template <class Precision>
struct RescalingMove {
  static constexpr const char* name = "velocity-rescaling";
  using State = typename Precision::State;

  KickAndDrift<Precision> basic;
  InverseMasses inverse_mass;
  const double* factor;
  ExchangedEnergyView exchanged;

  template <HalfSteps halves>
  PENCILBOX_DEVICE_FUNCTION MovedParticle<Precision> after(
      Index i, const Vec3<typename Precision::Accumulator>& force) const {
    const auto kicked = basic.half_kick(i, force);
    Vec3<State> v = kicked(basic.velocity[i]);
    if constexpr (halves != HalfSteps::first) v = rescaled(i, v);
    if constexpr (halves == HalfSteps::both) v = kicked(v);
    if constexpr (halves != HalfSteps::second) {
      return {drifted(basic, i, v), v};
    } else {
      return {{}, v};
    }
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Vec3<State> rescaled(Index i, const Vec3<State>& before) const {
    const Vec3<State> after = (*factor * before.template to<double>()).template to<State>();
    const double per_mass = inverse_mass[i];
    exchanged.add(
        i, 0.5 * (twice_kinetic_energy(after, per_mass) - twice_kinetic_energy(before, per_mass)));
    return after;
  }
};

/// A chain's factors around the kicks: see nose_hoover.cpp.
template <class Precision>
struct ChainMove {
  static constexpr const char* name = "nose-hoover";
  using State = typename Precision::State;

  KickAndDrift<Precision> basic;
  const double* factors;  ///< [2] that of the first of the halves, and of the second

  template <HalfSteps halves>
  PENCILBOX_DEVICE_FUNCTION MovedParticle<Precision> after(
      Index i, const Vec3<typename Precision::Accumulator>& force) const {
    const auto kicked = basic.half_kick(i, force);
    Vec3<State> v = basic.velocity[i];
    if constexpr (halves != HalfSteps::first) v = scaled(kicked(v), 0);
    if constexpr (halves != HalfSteps::second) {
      v = kicked(scaled(v, halves == HalfSteps::both ? 1 : 0));
      return {drifted(basic, i, v), v};
    } else {
      return {{}, v};
    }
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Vec3<State> scaled(const Vec3<State>& v, int half) const {
    return (factors[half] * v.template to<double>()).template to<State>();
  }
};

template <class Precision>
using ParticleMove = std::variant<VerletMove<Precision>, LangevinMove<Precision>,
                                  RescalingMove<Precision>, ChainMove<Precision>>;

/// Of all particles of one rank.
template <class Precision, class Move, HalfSteps halves>
struct MoveParticles {
  static constexpr const char* name = Move::name;

  Move move;
  Vec3View<const typename Precision::Accumulator> force;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const MovedParticle<Precision> now = move.template after<halves>(i, force[i]);
    if constexpr (halves != HalfSteps::second) {
      move.basic.arrival.note_kick(i, move.basic.half_kick(i, force[i]).twice());
      move.basic.arrival(i, now.position);
    }
    move.basic.velocity.store(i, now.velocity);
  }
};

template <HalfSteps halves, class Precision, class Move>
void move_particles(const Move& move, const Particles<Precision>& particles, Stream& stream) {
  const Vec3Buffer<typename Precision::Accumulator>& force = particles.sums.force;
  for_each(stream, particles.count, MoveParticles<Precision, Move, halves>{move, force.view()},
           move_threads(particles.count));
}

}  // namespace pencilbox::PENCILBOX_DEVICE
