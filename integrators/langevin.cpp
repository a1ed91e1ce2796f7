// Langevin dynamics: constant temperature by friction and noise on each particle.
// Leimkuhler and Matthews, Appl. Math. Res. Express 2013, 34 (2013), the splitting BAOAB:
//
//   first half    B  v += f/m dt/2
//                 A  x += v dt/2
//                 O  v = c v + sqrt((1 - c^2) T/m) R,  c = exp(-friction dt), R of variance 1
//                 A  x += v dt/2
//   second half   B  v += f/m dt/2
//
// The kinetic energy that O adds is counted: what is left of the total energy without it is
// conserved (Bussi and Parrinello, Phys. Rev. E 75, 056707 (2007), section II).
#include <algorithm>
#include <cmath>

#include "core/rng.hpp"
#include "integrators/batch_steps.hpp"
#include "integrators/exchanged_energy.hpp"
#include "integrators/half_steps.hpp"
#include "integrators/integrator.hpp"
#include "integrators/ramp.hpp"
#include "integrators/thermostat_parameters.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// O: what friction and noise make of a velocity.
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

template <class Precision, HalfSteps halves>
struct LangevinKernel {
  static constexpr const char* name = "langevin";
  using State = typename Precision::State;

  KickAndDrift<Precision> move;
  Vec3View<const typename Precision::Accumulator> force;
  const ParticleId* id;
  FrictionAndNoise bath;
  ExchangedEnergyView exchanged;
  RunStep step;  ///< that the particles arrive at

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const auto kicked = move.half_kick(i, force[i]);
    Vec3<State> v = kicked(move.velocity[i]);
    if constexpr (halves == HalfSteps::both) v = kicked(v);
    if constexpr (halves != HalfSteps::second) v = drift(i, v);
    move.velocity.store(i, v);
  }

  /// A, O, A; the velocity after O.
  PENCILBOX_DEVICE_FUNCTION Vec3<State> drift(Index i, const Vec3<State>& v) const {
    const double inverse_mass = move.inverse_mass[move.several_types ? move.type[i] : 0];
    const Vec3<double> before = v.template to<double>();
    const Vec3<State> after = bath(before, id[i], step(), inverse_mass).template to<State>();
    const Vec3<double> rounded = after.template to<double>();
    exchanged.add(i, 0.5 * (dot(rounded, rounded) - dot(before, before)) / inverse_mass);
    move.arrival(i,
                 times_plus(static_cast<State>(0.5 * move.timestep), v + after, move.position[i]));
    return after;
  }
};

template <class Precision>
class Langevin final : public Integrator<Precision> {
 public:
  explicit Langevin(const IntegratorSettings& settings)
      : timestep_(settings.timestep), bath_(bath_of(settings)) {}

  void begin_batch(const Particles<Precision>&, std::int64_t step, Stream& stream) override {
    steps_.begin(step, stream);
  }
  void first_half(const MovingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::first>(step.particles, step.arrival, step.step, stream);
  }
  void second_half(const EndingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::second>(step.particles, {}, step.step, stream);
  }
  void second_then_first_half(const MovingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::both>(step.particles, step.arrival, step.step, stream);
  }

  double conserved_energy(const Observation& sums, Stream& stream) override {
    return sums.total_energy() - exchanged_.total(stream);
  }
  bool conserves_momentum() const override { return false; }

  NamedNumbers state(Stream& stream) override { return exchanged_.state(stream); }
  void restore(const NamedNumbers& state, Stream&) override {
    exchanged_.restore(state, "langevin");
  }

 private:
  static FrictionAndNoise bath_of(const IntegratorSettings& settings) {
    const IntegratorParameters& given = settings.parameters;
    const double kept = std::exp(-given.at("friction") * settings.timestep);
    const double drawn = -std::expm1(-2.0 * given.at("friction") * settings.timestep);
    const Ramp temperature = ramp_of(settings, "temperature");
    return {kept, std::sqrt(drawn * temperature.from), drawn, temperature,
            static_cast<std::uint64_t>(given.at("seed"))};
  }

  template <HalfSteps halves>
  void run(Particles<Precision>& particles, const Arrival<Precision>& arrival,
           const StepNumber& step, Stream& stream) {
    const Vec3Buffer<typename Precision::Accumulator>& force = particles.sums.force;
    for_each(
        stream, particles.count,
        LangevinKernel<Precision, halves>{kick_and_drift_of(particles, arrival, timestep_),
                                          force.view(), particles.state.id.data(), bath_,
                                          exchanged_.view(particles.count, stream), steps_[step]});
  }

  double timestep_;
  FrictionAndNoise bath_;
  ExchangedEnergy exchanged_;
  BatchSteps steps_;
};

}  // namespace

IntegratorEntry langevin() {
  return make_integrator_entry<Langevin>(
      {.name = "langevin",
       .summary = "constant temperature by friction and noise on each particle (BAOAB)",
       .source = "Leimkuhler and Matthews, Appl. Math. Res. Express 2013, 34",
       .parameters = {bath_temperature(),
                      ramp_end_of(bath_temperature()),
                      {.name = "friction",
                       .description = "Rate at which a velocity is forgotten",
                       .unit = "1/tau",
                       .minimum = 1e-12,
                       .maximum = 1e6},
                      noise_seed()}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE
