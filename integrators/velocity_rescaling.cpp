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

#include "core/rng.hpp"
#include "integrators/batch_steps.hpp"
#include "integrators/exchanged_energy.hpp"
#include "integrators/half_steps.hpp"
#include "integrators/integrator.hpp"
#include "integrators/kinetic_energy.hpp"
#include "integrators/ramp.hpp"
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

/// On the device.
struct Rescaling {
  double twice_kinetic_energy;  ///< after the second half kick [epsilon]
  double factor;                ///< alpha
};

/// Draws alpha.
struct DrawFactor {
  static constexpr const char* name = "velocity-rescaling: factor";
  Rescaling* rescaling;
  double degrees_of_freedom;
  Ramp temperature;
  double lost;  ///< 1 - exp(-dt/relaxation_time)
  std::uint64_t seed;
  RunStep step;  ///< that has been reached

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    double& factor = rescaling->factor;
    factor = 1.0;
    if (degrees_of_freedom < 1.0 || !(rescaling->twice_kinetic_energy > 0.0)) return;
    const std::int64_t now = step();
    NumbersOfStep numbers{seed, now};
    const double first = gaussian_pair(numbers.bits()).first;
    const double others = numbers.sum_of_squares(degrees_of_freedom - 1.0);
    const double kept = 1.0 - lost;
    const double share = lost * temperature(now) / rescaling->twice_kinetic_energy;
    const double squared =
        kept + share * (first * first + others) + 2.0 * first * std::sqrt(kept * share);
    const double forward = std::sqrt(kept) + first * std::sqrt(share);
    factor = (forward < 0.0 ? -1.0 : 1.0) * std::sqrt(squared > 0.0 ? squared : 0.0);
  }
};

template <class Precision, HalfSteps halves>
struct VelocityRescalingKernel {
  static constexpr const char* name = "velocity-rescaling";
  using State = typename Precision::State;

  KickAndDrift<Precision> move;
  InverseMasses inverse_mass;
  Vec3View<const typename Precision::Accumulator> force;
  const Rescaling* rescaling;
  ExchangedEnergyView exchanged;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const auto kicked = move.half_kick(i, force[i]);
    Vec3<State> v = kicked(move.velocity[i]);
    if constexpr (halves != HalfSteps::first) v = rescaled(i, v);
    if constexpr (halves == HalfSteps::both) v = kicked(v);
    if constexpr (halves != HalfSteps::second) move.drift(i, v);
    move.velocity.store(i, v);
  }

  PENCILBOX_DEVICE_FUNCTION Vec3<State> rescaled(Index i, const Vec3<State>& before) const {
    const Vec3<State> after =
        (rescaling->factor * before.template to<double>()).template to<State>();
    const double per_mass = inverse_mass[i];
    exchanged.add(
        i, 0.5 * (twice_kinetic_energy(after, per_mass) - twice_kinetic_energy(before, per_mass)));
    return after;
  }
};

template <class Precision>
class VelocityRescaling final : public Integrator<Precision> {
 public:
  explicit VelocityRescaling(const IntegratorSettings& settings)
      : timestep_(settings.timestep),
        temperature_(ramp_of(settings, "temperature")),
        lost_(-std::expm1(-settings.timestep / settings.parameters.at("relaxation_time"))),
        seed_(static_cast<std::uint64_t>(settings.parameters.at("seed"))),
        rescaling_(1) {
    reduction_.reserve();
  }

  void begin_batch(const Particles<Precision>&, std::int64_t step, Stream& stream) override {
    steps_.begin(step, stream);
  }
  void first_half(const MovingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::first>(step.particles, step.arrival, stream);
  }
  void second_half(const EndingStep<Precision>& step, Stream& stream) override {
    draw(step.particles, step.step, stream);
    run<HalfSteps::second>(step.particles, {}, stream);
  }
  void second_then_first_half(const MovingStep<Precision>& step, Stream& stream) override {
    draw(step.particles, {step.step.control, step.step.offset - 1}, stream);
    run<HalfSteps::both>(step.particles, step.arrival, stream);
  }

  double conserved_energy(const Observation& sums, Stream& stream) override {
    return sums.total_energy() - exchanged_.total(stream);
  }

  NamedNumbers state(Stream& stream) override { return exchanged_.state(stream); }
  void restore(const NamedNumbers& state, Stream&) override {
    exchanged_.restore(state, "velocity-rescaling");
  }

 private:
  /// The factor of the velocities once they have their second half kick.
  void draw(Particles<Precision>& particles, const StepNumber& step, Stream& stream) {
    const Vec3Buffer<typename Precision::Accumulator>& force = particles.sums.force;
    reduction_.sum_into(
        &rescaling_.data()->twice_kinetic_energy,
        TwiceKineticEnergyAfterKick<Precision>{kick_and_drift_of(particles, {}, timestep_),
                                               inverse_masses(particles), force.view()},
        particles.count, stream);
    for_each(stream, 1,
             DrawFactor{rescaling_.data(), degrees_of_freedom(particles.count), temperature_, lost_,
                        seed_, steps_[step]});
  }

  template <HalfSteps halves>
  void run(Particles<Precision>& particles, const Arrival<Precision>& arrival, Stream& stream) {
    const Vec3Buffer<typename Precision::Accumulator>& force = particles.sums.force;
    for_each(stream, particles.count,
             VelocityRescalingKernel<Precision, halves>{
                 kick_and_drift_of(particles, arrival, timestep_), inverse_masses(particles),
                 force.view(), rescaling_.data(), exchanged_.view(particles.count, stream)},
             move_threads(particles.count));
  }

  double timestep_;
  Ramp temperature_;
  double lost_;
  std::uint64_t seed_;
  Reduction reduction_;
  Buffer<Rescaling> rescaling_;
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
