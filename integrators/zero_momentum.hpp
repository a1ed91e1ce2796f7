// Takes the motion of the centre of mass out of all velocities, on the device: exact sums over the
// particles, whoever holds them. What kinetic energy that takes is counted, so that a conserved
// energy can leave it out.
#pragma once

#include <type_traits>

#include "core/error.hpp"
#include "core/exact_state.hpp"
#include "core/exact_sum.hpp"
#include "core/own_rows.hpp"
#include "integrators/kinetic_energy.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Its name among what a checkpoint holds of an integrator.
inline constexpr const char* energy_taken_by_zero_momentum = "energy_taken_by_zero_momentum";

/// On the device.
struct TotalMotion {
  double velocity[3];   ///< of the centre of mass [sigma/tau]
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

/// Of sums of momentum and mass.
struct NoteMotion {
  static constexpr const char* name = "zero momentum: motion";
  TotalMotion* motion;
  SumsOfRanks sums;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    const Vec3<double> p{sums[0], sums[1], sums[2]};
    const double mass = sums[3];
    motion->velocity[0] = p.x / mass;
    motion->velocity[1] = p.y / mass;
    motion->velocity[2] = p.z / mass;
    motion->taken_energy += 0.5 * (p.x * p.x + p.y * p.y + p.z * p.z) / mass;
  }
};

template <class Precision>
struct TakeMotion {
  static constexpr const char* name = "zero momentum";
  using State = typename Precision::State;
  Vec3View<State> velocity;
  const TotalMotion* motion;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Vec3<double> drift{motion->velocity[0], motion->velocity[1], motion->velocity[2]};
    const Vec3<State> before = velocity[i];
    velocity.store(i, (before.template to<double>() - drift).template to<State>());
  }
};

template <class Precision>
class ZeroMomentum {
 public:
  static constexpr Index sums = 4;  ///< momentum and mass

  /// Between batches.
  void operator()(Particles<Precision>& particles, Stream& stream) {
    totals_.resize(sums);
    sum(
        particles, [](const auto& term) { return term; }, totals_.data(), stream);
    take(particles, {totals_.data(), 1, sums, particles.count}, stream);
  }

  // The same on several ranks.

  /// A rank's part of the sums.
  void sum_own(const Particles<Precision>& particles, const OwnRows& own, ExactParts* result,
               Stream& stream) {
    sum(
        particles,
        [&](const auto& term) {
          return OfOwnRows<std::decay_t<decltype(term)>>{own, term};
        },
        result, stream);
  }
  /// What all have together.
  void take(Particles<Precision>& particles, const SumsOfRanks& all, Stream& stream) {
    if (motion_.size() == 0) set_taken_energy(0.0, stream);
    for_each(stream, 1, NoteMotion{motion_.data(), all});
    for_each(stream, particles.count,
             TakeMotion<Precision>{particles.state.velocity.view(), motion_.data()});
  }

  /// Among what a checkpoint holds of an integrator.
  void put_into(NamedNumbers& state, Stream& stream) const {
    state[energy_taken_by_zero_momentum] = {taken_energy(stream)};
  }
  /// And out of it again. `is_wanted`: by the run that goes on. Throws InputError where it differs.
  void take_from(NamedNumbers& state, bool is_wanted, Stream& stream) {
    const auto taken = state.find(energy_taken_by_zero_momentum);
    if (taken == state.end()) return;
    if (!is_wanted || taken->second.size() != 1) {
      throw InputError("integrator: the state is of a run with another zero_momentum");
    }
    set_taken_energy(taken->second.front(), stream);
    state.erase(taken);
  }

  /// Since the beginning of the stage [epsilon]; waits for the stream.
  double taken_energy(Stream& stream) const {
    return motion_.size() == 0 ? 0.0 : motion_.download(stream).front().taken_energy;
  }
  void set_taken_energy(double energy, Stream& stream) {
    const TotalMotion motion{{}, energy};
    motion_.upload({&motion, 1}, stream);
  }

 private:
  template <class Which>
  void sum(const Particles<Precision>& particles, const Which& which, ExactParts* result,
           Stream& stream) {
    const Vec3Buffer<typename Precision::State>& velocity = particles.state.velocity;
    const InverseMasses masses = inverse_masses(particles);
    for (int axis = 0; axis < 3; ++axis) {
      const MomentumOfParticle<Precision> term{velocity.view(), masses, axis};
      sum_.into(result + axis, which(term), particles.count, stream);
    }
    sum_.into(result + 3, which(MassOfParticle{masses}), particles.count, stream);
  }

  ExactSum sum_;
  Buffer<ExactParts> totals_;
  Buffer<TotalMotion> motion_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
