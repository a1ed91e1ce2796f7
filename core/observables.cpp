#include "core/observables.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class State>
struct KineticEnergy {
  Vec3View<const State> velocity;
  const std::int32_t* type;
  const double* mass;

  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const {
    const Vec3<double> v = velocity[i].template to<double>();
    return 0.5 * mass[type[i]] * dot(v, v);
  }
};

/// Kinetic energy, potential energy, virial, momentum.
template <class State, class Accumulator>
struct WholeSystem {
  KineticEnergy<State> kinetic;
  const Accumulator* energy;
  const Accumulator* virial;

  PENCILBOX_DEVICE_FUNCTION Numbers<6> operator()(Index i) const {
    const double mass = kinetic.mass[kinetic.type[i]];
    const Vec3<double> v = kinetic.velocity[i].template to<double>();
    return {{kinetic(i), static_cast<double>(energy[i]), static_cast<double>(virial[i]), mass * v.x,
             mass * v.y, mass * v.z}};
  }
};

template <class Accumulator>
struct SquaredForce {
  Vec3View<const Accumulator> force;

  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const {
    const Vec3<double> f = force[i].template to<double>();
    return dot(f, f);
  }
};

template <class State, class Accumulator>
struct KineticEnergyAndVirial {
  KineticEnergy<State> kinetic;
  const Accumulator* virial;

  PENCILBOX_DEVICE_FUNCTION Numbers<2> operator()(Index i) const {
    return {{kinetic(i), static_cast<double>(virial[i])}};
  }
};

template <class Precision>
KineticEnergy<typename Precision::State> kinetic_energy(const Particles<Precision>& particles) {
  return {particles.state.velocity.view(), particles.state.type.data(), particles.mass.data()};
}

template <class Precision>
WholeSystem<typename Precision::State, typename Precision::Accumulator> whole_system(
    const Particles<Precision>& particles) {
  return {kinetic_energy(particles), particles.sums.energy.data(), particles.sums.virial.data()};
}

template <class Precision>
SquaredForce<typename Precision::Accumulator> squared_force(const Particles<Precision>& particles) {
  return {particles.sums.force.view()};
}

Observation observation(const std::array<double, 6>& sums) {
  Observation result;
  result.kinetic_energy = sums[0];
  result.potential_energy = sums[1];
  result.virial = sums[2];
  result.momentum = {sums[3], sums[4], sums[5]};
  return result;
}

}  // namespace

template <class Precision>
Observation sum_observables(const Particles<Precision>& particles, Reduction& reduction,
                            Stream& stream) {
  Observation result =
      observation(reduction.sums<6>(whole_system(particles), particles.count, stream));
  result.particles = particles.count;
  return result;
}

template <class Precision>
Observation sum_own_observables(const Particles<Precision>& particles, const OwnRows& own,
                                Reduction& reduction, Stream& stream) {
  const auto term = whole_system(particles);
  return observation(reduction.sums<6>(OfOwnRows<decltype(whole_system(particles))>{own, term},
                                       particles.count, stream));
}

template <class Precision>
double sum_squared_forces(const Particles<Precision>& particles, Reduction& reduction,
                          Stream& stream) {
  return reduction.sum(squared_force(particles), particles.count, stream);
}

template <class Precision>
double sum_own_squared_forces(const Particles<Precision>& particles, const OwnRows& own,
                              Reduction& reduction, Stream& stream) {
  const auto term = squared_force(particles);
  return reduction.sum(OfOwnRows<decltype(squared_force(particles))>{own, term}, particles.count,
                       stream);
}

template <class Precision>
PressureSums sum_pressure(const Particles<Precision>& particles, Reduction& reduction,
                          Stream& stream) {
  using Term = KineticEnergyAndVirial<typename Precision::State, typename Precision::Accumulator>;
  const auto [kinetic, virial] = reduction.sums<2>(
      Term{kinetic_energy(particles), particles.sums.virial.data()}, particles.count, stream);
  return {kinetic, virial};
}

template PressureSums sum_pressure(const Particles<SinglePrecision>&, Reduction&, Stream&);
template PressureSums sum_pressure(const Particles<MixedPrecision>&, Reduction&, Stream&);
template PressureSums sum_pressure(const Particles<DoublePrecision>&, Reduction&, Stream&);
template Observation sum_observables(const Particles<SinglePrecision>&, Reduction&, Stream&);
template Observation sum_own_observables(const Particles<SinglePrecision>&, const OwnRows&,
                                         Reduction&, Stream&);
template Observation sum_observables(const Particles<MixedPrecision>&, Reduction&, Stream&);
template Observation sum_own_observables(const Particles<MixedPrecision>&, const OwnRows&,
                                         Reduction&, Stream&);
template Observation sum_observables(const Particles<DoublePrecision>&, Reduction&, Stream&);
template Observation sum_own_observables(const Particles<DoublePrecision>&, const OwnRows&,
                                         Reduction&, Stream&);
template double sum_squared_forces(const Particles<SinglePrecision>&, Reduction&, Stream&);
template double sum_own_squared_forces(const Particles<SinglePrecision>&, const OwnRows&,
                                       Reduction&, Stream&);
template double sum_squared_forces(const Particles<MixedPrecision>&, Reduction&, Stream&);
template double sum_own_squared_forces(const Particles<MixedPrecision>&, const OwnRows&, Reduction&,
                                       Stream&);
template double sum_squared_forces(const Particles<DoublePrecision>&, Reduction&, Stream&);
template double sum_own_squared_forces(const Particles<DoublePrecision>&, const OwnRows&,
                                       Reduction&, Stream&);

}  // namespace pencilbox::PENCILBOX_DEVICE
