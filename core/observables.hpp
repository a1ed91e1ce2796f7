// Sums over the particles on their device: energies, virial, momentum, forces. In double, in a
// fixed order.
#pragma once

#include "core/observation.hpp"
#include "core/own_rows.hpp"
#include "core/particles.hpp"
#include "core/reduction.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Kinetic energy, potential energy (no tail), virial and momentum of the whole system; waits for
/// the stream. The other members of Observation are the caller's.
template <class Precision>
Observation sum_observables(const Particles<Precision>& particles, Reduction& reduction,
                            Stream& stream);

/// The same of a rank's own particles.
template <class Precision>
Observation sum_own_observables(const Particles<Precision>& particles, const OwnRows& own,
                                Reduction& reduction, Stream& stream);

/// Of the forces on all particles, or on a rank's own [epsilon^2/sigma^2]; waits for the stream.
template <class Precision>
double sum_squared_forces(const Particles<Precision>& particles, Reduction& reduction,
                          Stream& stream);
template <class Precision>
double sum_own_squared_forces(const Particles<Precision>& particles, const OwnRows& own,
                              Reduction& reduction, Stream& stream);

/// What the pressure is made of, without the tail; waits for the stream.
struct PressureSums {
  double kinetic_energy = 0.0;
  double virial = 0.0;
};
template <class Precision>
PressureSums sum_pressure(const Particles<Precision>& particles, Reduction& reduction,
                          Stream& stream);

}  // namespace pencilbox::PENCILBOX_DEVICE
