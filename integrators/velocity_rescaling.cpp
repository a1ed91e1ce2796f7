// Stochastic velocity rescaling: constant temperature by one factor for all velocities, drawn so
// that the kinetic energy has its canonical distribution. Momentum stays, and so does what
// particles do among themselves, nearly: unlike friction it slows no diffusion. Bussi, Donadio and
// Parrinello, J. Chem. Phys. 126, 014101 (2007), equation A7; the second half of a velocity-Verlet
// step ends with it:
//
//   first half    v += f/m dt/2 ; x += v dt
//   second half   v += f/m dt/2 ; v *= alpha
//
// The kinetic energy that it adds is counted: what is left of the total energy without it is
// conserved (their section II C).
#include <algorithm>
#include <cmath>

#include "integrators/shared_integrator.hpp"
#include "integrators/thermostat_parameters.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Numbers of one step, drawn one after the other.
struct NumbersOfStep {
  std::uint64_t seed;
  std::int64_t step;
  std::uint32_t drawn = 0;

  PENCILBOX_DEVICE_FUNCTION PhiloxCounter bits() {
    return random_bits(seed, RandomStream::velocity_rescaling, drawn++,
                       static_cast<std::uint64_t>(step));
  }

  /// Gamma distribution, mean and variance `shape`, at least 1: Marsaglia and Tsang, ACM Trans.
  /// Math. Softw. 26, 363 (2000). Some one in twenty draws is thrown away.
  PENCILBOX_DEVICE_FUNCTION double gamma(double shape) {
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    while (true) {
      const double x = gaussian_pair(bits()).first;
      const double u = uniform_pair(bits()).first;
      const double root = 1.0 + c * x;
      const double v = root * root * root;
      if (v > 0.0 && std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

  /// The sum of `count` squares of numbers of mean 0 and variance 1: a whole number of them.
  PENCILBOX_DEVICE_FUNCTION double sum_of_squares(double count) {
    if (count < 0.5) return 0.0;
    if (count < 1.5) {
      const double x = gaussian_pair(bits()).first;
      return x * x;
    }
    return 2.0 * gamma(0.5 * count);
  }
};

/// Draws alpha.
struct DrawFactor {
  static constexpr const char* name = "velocity-rescaling: factor";
  double* factor;
  SumsOfRanks twice_kinetic_energy;  ///< after the second half kick [epsilon]
  Ramp temperature;
  double lost;  ///< 1 - exp(-dt/relaxation_time)
  std::uint64_t seed;
  RunStep step;  ///< that has been reached

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    const double degrees = degrees_of_freedom(twice_kinetic_energy.particles);
    const double now_there = twice_kinetic_energy[0];
    *factor = 1.0;
    if (degrees < 1.0 || now_there == 0.0) return;
    const std::int64_t now = step();
    NumbersOfStep numbers{seed, now};
    const double first = gaussian_pair(numbers.bits()).first;
    const double others = numbers.sum_of_squares(degrees - 1.0);
    const double kept = 1.0 - lost;
    const double share = lost * temperature(now) / now_there;
    const double squared =
        kept + share * (first * first + others) + 2.0 * first * std::sqrt(kept * share);
    const double forward = std::sqrt(kept) + first * std::sqrt(share);
    *factor = (forward < 0.0 ? -1.0 : 1.0) * std::sqrt(squared > 0.0 ? squared : 0.0);
  }
};

template <class Precision>
class VelocityRescaling final : public Integrator<Precision>, public SharedIntegrator<Precision> {
 public:
  explicit VelocityRescaling(const IntegratorSettings& settings)
      : timestep_(settings.timestep),
        temperature_(ramp_of(settings, "temperature")),
        lost_(-std::expm1(-settings.timestep / settings.parameters.at("relaxation_time"))),
        seed_(static_cast<std::uint64_t>(settings.parameters.at("seed"))),
        factor_(1),
        twice_kinetic_energy_(1) {
    sum_.reserve();
  }

  void begin_batch(const Particles<Precision>&, std::int64_t step, Stream& stream) override {
    steps_.begin(step, stream);
  }
  void first_half(const MovingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::first>(step.particles, step.arrival, stream);
  }
  void second_half(const EndingStep<Precision>& step, Stream& stream) override {
    draw(sum_all(step.particles, stream), step.step, stream);
    run<HalfSteps::second>(step.particles, {}, stream);
  }
  void second_then_first_half(const MovingStep<Precision>& step, Stream& stream) override {
    draw(sum_all(step.particles, stream), step_before(step.step), stream);
    run<HalfSteps::both>(step.particles, step.arrival, stream);
  }

  double conserved_energy(const Observation& sums, Stream& stream) override {
    return sums.total_energy() - exchanged_.total(stream);
  }

  NamedNumbers state(Stream& stream) override { return exchanged_.state(stream); }
  void restore(const NamedNumbers& state, Stream&) override {
    exchanged_.restore(state, "velocity-rescaling");
  }

  SharedIntegrator<Precision>* shared() override { return this; }
  void count_from(std::int64_t step, Stream& stream) override { steps_.begin(step, stream); }
  bool sums_in_steps() const override { return true; }
  void sum_own(Velocities, Particles<Precision>& particles, const OwnRows& own, ExactParts* result,
               Stream& stream) override {
    sum_.into(result, OfOwnRows<Term>{own, kicked(particles)}, particles.count, stream);
  }
  ParticleMove<Precision> move(HalfSteps halves, const MovingStep<Precision>& step,
                               const SumsOfRanks& sums, Stream& stream) override {
    if (halves == HalfSteps::second) draw(sums, step.step, stream);
    if (halves == HalfSteps::both) draw(sums, step_before(step.step), stream);
    return move_of(step.particles, step.arrival, stream);
  }
  ExchangedEnergy* exchanged() override { return &exchanged_; }

 private:
  using Term = TwiceKineticEnergyAfterKick<Precision>;

  static StepNumber step_before(const StepNumber& step) { return {step.control, step.offset - 1}; }

  Term kicked(Particles<Precision>& particles) const {
    const Vec3Buffer<typename Precision::Accumulator>& force = particles.sums.force;
    return {kick_and_drift_of(particles, {}, timestep_), inverse_masses(particles), force.view()};
  }

  SumsOfRanks sum_all(Particles<Precision>& particles, Stream& stream) {
    sum_.into(twice_kinetic_energy_.data(), kicked(particles), particles.count, stream);
    return {twice_kinetic_energy_.data(), 1, 1, particles.count};
  }

  /// The factor of the velocities once they have their second half kick.
  void draw(const SumsOfRanks& sums, const StepNumber& step, Stream& stream) {
    for_each(stream, 1, DrawFactor{factor_.data(), sums, temperature_, lost_, seed_, steps_[step]});
  }

  RescalingMove<Precision> move_of(Particles<Precision>& particles,
                                   const Arrival<Precision>& arrival, Stream& stream) {
    return {kick_and_drift_of(particles, arrival, timestep_), inverse_masses(particles),
            factor_.data(), exchanged_.view(particles.count, stream)};
  }

  template <HalfSteps halves>
  void run(Particles<Precision>& particles, const Arrival<Precision>& arrival, Stream& stream) {
    move_particles<halves>(move_of(particles, arrival, stream), particles, stream);
  }

  double timestep_;
  Ramp temperature_;
  double lost_;
  std::uint64_t seed_;
  ExactSum sum_;
  Buffer<double> factor_;                    ///< alpha
  Buffer<ExactParts> twice_kinetic_energy_;  ///< where there is one rank
  ExchangedEnergy exchanged_;
  BatchSteps steps_;
};

}  // namespace

IntegratorEntry velocity_rescaling() {
  return make_integrator_entry<VelocityRescaling>(
      {.name = "velocity-rescaling",
       .summary = "constant temperature by one random factor for all velocities",
       .source = "Bussi, Donadio and Parrinello, J. Chem. Phys. 126, 014101 (2007)",
       .parameters = {bath_temperature(), ramp_end_of(bath_temperature()), relaxation_time(),
                      noise_seed()}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE
