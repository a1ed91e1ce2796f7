// Velocity Verlet (Swope et al. 1982; Allen and Tildesley, section 3.2.1): constant energy.
//
//   first half    v += f/m dt/2 ; x += v dt
//   second half   v += f/m dt/2
#include <utility>

#include "core/moving_together.hpp"
#include "integrators/shared_integrator.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
class VelocityVerlet final : public Integrator<Precision>, public SharedIntegrator<Precision> {
 public:
  explicit VelocityVerlet(const IntegratorSettings& settings) : timestep_(settings.timestep) {}

  void first_half(const MovingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::first>(step.particles, step.arrival, stream);
  }
  void second_half(const EndingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::second>(step.particles, {}, stream);
  }
  void second_then_first_half(const MovingStep<Precision>& step, Stream& stream) override {
    if constexpr (emulates_blocks) {
      move_together(step, stream);
    } else {
      run<HalfSteps::both>(step.particles, step.arrival, stream);
    }
  }
  std::optional<KickAndDrift<Precision>> kick_and_drift(
      const MovingStep<Precision>& step) const override {
    return kick_and_drift_of(step.particles, step.arrival, timestep_);
  }

  SharedIntegrator<Precision>* shared() override { return this; }
  void count_from(std::int64_t, Stream&) override {}
  ParticleMove<Precision> move(HalfSteps, const MovingStep<Precision>& step, const SumsOfRanks&,
                               Stream&) override {
    return VerletMove<Precision>{kick_and_drift_of(step.particles, step.arrival, timestep_)};
  }

 private:
  template <HalfSteps halves>
  void run(Particles<Precision>& particles, const Arrival<Precision>& arrival, Stream& stream) {
    move_particles<halves>(VerletMove<Precision>{kick_and_drift_of(particles, arrival, timestep_)},
                           particles, stream);
  }

  /// A CPU has vectors.
  void move_together(const MovingStep<Precision>& step, Stream& stream) {
    constexpr Index at_a_time = 512;
    const auto basic = kick_and_drift_of(step.particles, step.arrival, timestep_);
    const auto force = std::as_const(step.particles.sums.force).view();
    for_each_stretch(stream, step.particles.count, at_a_time, [=](Index begin, Index end) {
      const MovingTogether<Precision> together(basic);
      together(begin, end, {force.x + begin, force.y + begin, force.z + begin});
    });
  }

  double timestep_;
};

}  // namespace

IntegratorEntry velocity_verlet() {
  return make_integrator_entry<VelocityVerlet>(
      {.name = "velocity-verlet",
       .summary = "constant energy",
       .source = "Swope et al. 1982; Allen and Tildesley, section 3.2.1"});
}

}  // namespace pencilbox::PENCILBOX_DEVICE
