// An integrator on several ranks: each moves its own particles, and what depends on all of them is
// a sum, which is put together between the ranks before the halves that need it. The bits are those
// of one rank, whose halves are made of the same parts.
#pragma once

#include <cstdint>

#include "core/exact_sum.hpp"
#include "core/own_rows.hpp"
#include "integrators/exchanged_energy.hpp"
#include "integrators/integrator.hpp"
#include "integrators/particle_move.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Which kinetic energy is summed.
enum class Velocities {
  present,
  kicked  ///< by the half that ends a step
};

/// What varies is read on the device, as by any integrator; all ranks call the same.
template <class Precision>
class SharedIntegrator {
 public:
  virtual ~SharedIntegrator() = default;

  /// What StepNumbers are counted from, once.
  virtual void count_from(std::int64_t step, Stream& stream) = 0;

  /// Whether it wants to be told the kinetic energy of the present velocities before it moves
  /// anything.
  virtual bool lacks_kinetic_energy() const { return false; }
  /// Whether it goes on with what it has made of that, and wants to be told anew where others have
  /// changed the velocities.
  virtual bool keeps_kinetic_energy() const { return false; }
  virtual void take_kinetic_energy(const SumsOfRanks& /*sums*/, Stream& /*stream*/) {}
  /// Whether the halves that end a step want that of the kicked velocities.
  virtual bool sums_in_steps() const { return false; }
  /// A rank's part of either.
  virtual void sum_own(Velocities /*which*/, Particles<Precision>& /*particles*/,
                       const OwnRows& /*own*/, ExactParts* /*result*/, Stream& /*stream*/) {}

  /// What these halves do to each particle; `step` as the halves are given it. Enqueues what has to
  /// come before.
  virtual ParticleMove<Precision> move(HalfSteps halves, const MovingStep<Precision>& step,
                                       const SumsOfRanks& sums, Stream& stream) = 0;

  /// Steps from keep() on may be taken back, and done again.
  virtual void keep(Stream& stream) {
    if (ExchangedEnergy* const energy = exchanged()) energy->keep(stream);
  }
  virtual void take_back(Stream& stream) {
    if (ExchangedEnergy* const energy = exchanged()) energy->forget(stream);
  }

  /// That with the particles of this rank, where it counts it; all else is the same on all ranks.
  virtual ExchangedEnergy* exchanged() { return nullptr; }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
