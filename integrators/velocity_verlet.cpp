// Velocity Verlet (Swope et al. 1982; Allen and Tildesley, section 3.2.1): constant energy.
//
//   first half    v += f/m dt/2 ; x += v dt
//   second half   v += f/m dt/2
#include "integrators/integrator.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

enum class Part { first_half, second_half, both };

template <class Precision, Part part>
struct VerletKernel {
  static constexpr const char* name = "velocity-verlet";

  KickAndDrift<Precision> move;
  Vec3View<const typename Precision::Accumulator> force;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if constexpr (part == Part::both) {
      move(i, force[i]);
    } else {
      const Vec3<typename Precision::State> v = move.velocity[i] + move.half_kick(i, force[i]);
      if constexpr (part == Part::first_half) move.drift(i, v);
      move.velocity.store(i, v);
    }
  }
};

template <class Precision>
class VelocityVerlet final : public Integrator<Precision> {
 public:
  explicit VelocityVerlet(const IntegratorSettings& settings) : timestep_(settings.timestep) {}

  void first_half(const MovingStep<Precision>& step, Stream& stream) override {
    run<Part::first_half>(step.particles, step.arrival, stream);
  }
  void second_half(const EndingStep<Precision>& step, Stream& stream) override {
    run<Part::second_half>(step.particles, {}, stream);
  }
  void second_then_first_half(const MovingStep<Precision>& step, Stream& stream) override {
    run<Part::both>(step.particles, step.arrival, stream);
  }
  std::optional<KickAndDrift<Precision>> kick_and_drift(
      const MovingStep<Precision>& step) const override {
    return move_of(step.particles, step.arrival);
  }

 private:
  /// Few particles in small blocks, so that more multiprocessors take part.
  static int threads_for(Index particles) { return particles < 65536 ? 64 : 256; }

  KickAndDrift<Precision> move_of(Particles<Precision>& particles,
                                  const Arrival<Precision>& arrival) const {
    auto& state = particles.state;
    const Vec3Buffer<typename Precision::State>& position = state.position;
    return {position.view(),
            state.velocity.view(),
            state.type.data(),
            particles.inverse_mass.data(),
            timestep_,
            particles.types > 1,
            arrival};
  }

  template <Part part>
  void run(Particles<Precision>& particles, const Arrival<Precision>& arrival, Stream& stream) {
    const Vec3Buffer<typename Precision::Accumulator>& force = particles.sums.force;
    for_each(stream, particles.count,
             VerletKernel<Precision, part>{move_of(particles, arrival), force.view()},
             threads_for(particles.count));
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
