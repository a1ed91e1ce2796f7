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
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;

  Vec3View<const State> position;
  Vec3View<State> velocity;
  Vec3View<const Accumulator> force;
  const std::int32_t* type;
  const double* inverse_mass;
  double timestep;
  bool several_types;
  Arrival<Precision> arrival;

  /// Everything is read before anything is written: what a compiler may not exchange, a small
  /// system would wait for one after the other.
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const double per_mass = inverse_mass[several_types ? type[i] : 0];
    const auto half_kick = static_cast<State>(0.5 * timestep * per_mass);
    const Vec3<State> half_change = half_kick * force[i].template to<State>();
    Vec3<State> v = velocity[i] + half_change;
    // Two half kicks, not one whole: the bits must not depend on whether somebody looked between.
    if constexpr (part == Part::both) v += half_change;
    if constexpr (part != Part::second_half) {
      arrival(i, position[i] + static_cast<State>(timestep) * v);
    }
    velocity.store(i, v);
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

 private:
  /// Few particles in small blocks, so that more multiprocessors take part.
  static int threads_for(Index particles) { return particles < 65536 ? 64 : 256; }

  template <Part part>
  void run(Particles<Precision>& particles, const Arrival<Precision>& arrival, Stream& stream) {
    auto& state = particles.state;
    const Vec3Buffer<typename Precision::State>& position = state.position;
    const Vec3Buffer<typename Precision::Accumulator>& force = particles.sums.force;
    for_each(stream, particles.count,
             VerletKernel<Precision, part>{position.view(), state.velocity.view(), force.view(),
                                           state.type.data(), particles.inverse_mass.data(),
                                           timestep_, particles.types > 1, arrival},
             threads_for(particles.count));
  }

  double timestep_;
};

}  // namespace

IntegratorEntry velocity_verlet() {
  return make_integrator_entry<VelocityVerlet>("velocity-verlet");
}

}  // namespace pencilbox::PENCILBOX_DEVICE
