// Velocity Verlet (Swope et al. 1982; Allen and Tildesley, section 3.2.1): constant energy.
//
//   first half    v += f/m dt/2 ; x += v dt
//   second half   v += f/m dt/2
#include "integrators/half_steps.hpp"
#include "integrators/integrator.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision, HalfSteps halves>
struct VerletKernel {
  static constexpr const char* name = "velocity-verlet";

  KickAndDrift<Precision> move;
  Vec3View<const typename Precision::Accumulator> force;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if constexpr (halves == HalfSteps::both) {
      move(i, force[i]);
    } else {
      const Vec3<typename Precision::State> v = move.half_kick(i, force[i])(move.velocity[i]);
      if constexpr (halves == HalfSteps::first) move.drift(i, v);
      move.velocity.store(i, v);
    }
  }
};

template <class Precision>
class VelocityVerlet final : public Integrator<Precision> {
 public:
  explicit VelocityVerlet(const IntegratorSettings& settings) : timestep_(settings.timestep) {}

  void first_half(const MovingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::first>(step.particles, step.arrival, stream);
  }
  void second_half(const EndingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::second>(step.particles, {}, stream);
  }
  void second_then_first_half(const MovingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::both>(step.particles, step.arrival, stream);
  }
  std::optional<KickAndDrift<Precision>> kick_and_drift(
      const MovingStep<Precision>& step) const override {
    return kick_and_drift_of(step.particles, step.arrival, timestep_);
  }

 private:
  template <HalfSteps halves>
  void run(Particles<Precision>& particles, const Arrival<Precision>& arrival, Stream& stream) {
    const Vec3Buffer<typename Precision::Accumulator>& force = particles.sums.force;
    for_each(stream, particles.count,
             VerletKernel<Precision, halves>{kick_and_drift_of(particles, arrival, timestep_),
                                             force.view()},
             move_threads(particles.count));
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
