// Takes the motion of the centre of mass out of all velocities, on the device: sums over particles
// in double and in one fixed order. What kinetic energy that takes is counted, so that a conserved
// energy can leave it out.
#pragma once

#include "core/reduction.hpp"
#include "integrators/kinetic_energy.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// On the device.
struct TotalMotion {
  double momentum[3];   ///< [m sigma/tau]
  double mass;          ///< [m]
  double taken_energy;  ///< so far [epsilon]
};

template <class Precision>
struct MomentumOfParticle {
  Vec3View<const typename Precision::State> velocity;
  InverseMasses inverse_mass;
  int axis;

  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const {
    const Vec3<double> exact = velocity[i].template to<double>();
    const double component = axis == 0 ? exact.x : (axis == 1 ? exact.y : exact.z);
    return component / inverse_mass[i];
  }
};

struct MassOfParticle {
  InverseMasses inverse_mass;

  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const { return 1.0 / inverse_mass[i]; }
};

struct NoteTakenEnergy {
  static constexpr const char* name = "zero momentum: energy";
  TotalMotion* motion;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    const double* p = motion->momentum;
    motion->taken_energy += 0.5 * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / motion->mass;
  }
};

template <class Precision>
struct TakeMotion {
  static constexpr const char* name = "zero momentum";
  using State = typename Precision::State;
  Vec3View<State> velocity;
  const TotalMotion* motion;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Vec3<double> drift{motion->momentum[0] / motion->mass, motion->momentum[1] / motion->mass,
                             motion->momentum[2] / motion->mass};
    const Vec3<State> before = velocity[i];
    velocity.store(i, (before.template to<double>() - drift).template to<State>());
  }
};

template <class Precision>
class ZeroMomentum {
 public:
  /// Between batches.
  void operator()(Particles<Precision>& particles, Stream& stream) {
    reserve(stream);
    TotalMotion* motion = motion_.data();
    const Vec3Buffer<typename Precision::State>& velocity = particles.state.velocity;
    const InverseMasses masses = inverse_masses(particles);
    for (int axis = 0; axis < 3; ++axis) {
      reduction_.sum_into(&motion->momentum[axis],
                          MomentumOfParticle<Precision>{velocity.view(), masses, axis},
                          particles.count, stream);
    }
    reduction_.sum_into(&motion->mass, MassOfParticle{masses}, particles.count, stream);
    for_each(stream, 1, NoteTakenEnergy{motion});
    for_each(stream, particles.count,
             TakeMotion<Precision>{particles.state.velocity.view(), motion});
  }

  /// Since the beginning of the stage [epsilon]; waits for the stream.
  double taken_energy(Stream& stream) const {
    return motion_.size() == 0 ? 0.0 : motion_.download(stream).front().taken_energy;
  }
  void set_taken_energy(double energy, Stream& stream) {
    const TotalMotion motion{{}, 0.0, energy};
    motion_.upload({&motion, 1}, stream);
  }

 private:
  void reserve(Stream& stream) {
    if (motion_.size() == 0) set_taken_energy(0.0, stream);
  }

  Reduction reduction_;
  Buffer<TotalMotion> motion_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
