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

#include "integrators/shared_integrator.hpp"
#include "integrators/thermostat_parameters.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
class Langevin final : public Integrator<Precision>, public SharedIntegrator<Precision> {
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

  SharedIntegrator<Precision>* shared() override { return this; }
  void count_from(std::int64_t step, Stream& stream) override { steps_.begin(step, stream); }
  ParticleMove<Precision> move(HalfSteps, const MovingStep<Precision>& step, const SumsOfRanks&,
                               Stream& stream) override {
    return move_of(step.particles, step.arrival, step.step, stream);
  }
  ExchangedEnergy* exchanged() override { return &exchanged_; }

 private:
  static FrictionAndNoise bath_of(const IntegratorSettings& settings) {
    const IntegratorParameters& given = settings.parameters;
    const double kept = std::exp(-given.at("friction") * settings.timestep);
    const double drawn = -std::expm1(-2.0 * given.at("friction") * settings.timestep);
    const Ramp temperature = ramp_of(settings, "temperature");
    return {kept, std::sqrt(drawn * temperature.from), drawn, temperature,
            static_cast<std::uint64_t>(given.at("seed"))};
  }

  LangevinMove<Precision> move_of(Particles<Precision>& particles,
                                  const Arrival<Precision>& arrival, const StepNumber& step,
                                  Stream& stream) {
    return {kick_and_drift_of(particles, arrival, timestep_), particles.state.id.data(), bath_,
            exchanged_.view(particles.count, stream), steps_[step]};
  }

  template <HalfSteps halves>
  void run(Particles<Precision>& particles, const Arrival<Precision>& arrival,
           const StepNumber& step, Stream& stream) {
    move_particles<halves>(move_of(particles, arrival, step, stream), particles, stream);
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
