// What a thermostat of the whole system looks at in every step: the kinetic energy, on the device.
#pragma once

#include <cstdint>

#include "core/exact_sum.hpp"
#include "integrators/half_steps.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

struct InverseMasses {
  const std::int32_t* type;
  const double* of_types;
  bool several_types;

  PENCILBOX_DEVICE_FUNCTION double operator[](Index i) const {
    return of_types[several_types ? type[i] : 0];
  }
};

template <class Precision>
InverseMasses inverse_masses(const Particles<Precision>& particles) {
  return {particles.state.type.data(), particles.inverse_mass.data(), particles.types > 1};
}

template <class State>
PENCILBOX_DEVICE_FUNCTION double twice_kinetic_energy(const Vec3<State>& velocity,
                                                      double inverse_mass) {
  const Vec3<double> exact = velocity.template to<double>();
  return dot(exact, exact) / inverse_mass;
}

/// Of particle i [epsilon].
template <class Precision>
struct TwiceKineticEnergy {
  Vec3View<const typename Precision::State> velocity;
  InverseMasses inverse_mass;

  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const {
    return twice_kinetic_energy(velocity[i], inverse_mass[i]);
  }
};

/// The same once it has the half kick that ends a time step.
template <class Precision>
struct TwiceKineticEnergyAfterKick {
  KickAndDrift<Precision> move;
  InverseMasses inverse_mass;
  Vec3View<const typename Precision::Accumulator> force;

  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const {
    const auto kicked = move.half_kick(i, force[i]);
    return twice_kinetic_energy(kicked(move.velocity[i]), inverse_mass[i]);
  }
};

/// Of a system whose momentum is conserved, and zero.
PENCILBOX_DEVICE_FUNCTION inline double degrees_of_freedom(std::int64_t particles) {
  return particles > 1 ? 3.0 * (static_cast<double>(particles) - 1.0) : 0.0;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
