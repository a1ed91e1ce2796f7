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

template <class State>
struct Momentum {
  const State* component;
  const std::int32_t* type;
  const double* mass;

  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const {
    return mass[type[i]] * static_cast<double>(component[i]);
  }
};

template <class Value>
struct ValueOf {
  const Value* values;
  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const {
    return static_cast<double>(values[i]);
  }
};

}  // namespace

template <class Precision>
Observation sum_observables(const Particles<Precision>& particles, Reduction& reduction,
                            Stream& stream) {
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;
  const Index count = particles.count;
  const auto& state = particles.state;
  const std::int32_t* type = state.type.data();
  const double* mass = particles.mass.data();
  const auto momentum = [&](const Buffer<State>& component) {
    return reduction.sum(Momentum<State>{component.data(), type, mass}, count, stream);
  };
  Observation result;
  result.particles = count;
  result.kinetic_energy =
      reduction.sum(KineticEnergy<State>{state.velocity.view(), type, mass}, count, stream);
  result.potential_energy =
      reduction.sum(ValueOf<Accumulator>{particles.sums.energy.data()}, count, stream);
  result.virial = reduction.sum(ValueOf<Accumulator>{particles.sums.virial.data()}, count, stream);
  result.momentum = {momentum(state.velocity.x), momentum(state.velocity.y),
                     momentum(state.velocity.z)};
  return result;
}

template <class Precision>
PressureSums sum_pressure(const Particles<Precision>& particles, Reduction& reduction,
                          Stream& stream) {
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;
  const auto& state = particles.state;
  const KineticEnergy<State> kinetic{state.velocity.view(), state.type.data(),
                                     particles.mass.data()};
  return {
      reduction.sum(kinetic, particles.count, stream),
      reduction.sum(ValueOf<Accumulator>{particles.sums.virial.data()}, particles.count, stream)};
}

template PressureSums sum_pressure(const Particles<SinglePrecision>&, Reduction&, Stream&);
template PressureSums sum_pressure(const Particles<MixedPrecision>&, Reduction&, Stream&);
template PressureSums sum_pressure(const Particles<DoublePrecision>&, Reduction&, Stream&);
template Observation sum_observables(const Particles<SinglePrecision>&, Reduction&, Stream&);
template Observation sum_observables(const Particles<MixedPrecision>&, Reduction&, Stream&);
template Observation sum_observables(const Particles<DoublePrecision>&, Reduction&, Stream&);

}  // namespace pencilbox::PENCILBOX_DEVICE
