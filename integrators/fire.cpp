// FIRE 2.0, a minimisation of the potential energy: Guenole, Noehring, Vaid, Houlle, Xie, Prakash
// and Bitzek, Comput. Mater. Sci. 175, 109584 (2020), their algorithm and parameters; first Bitzek
// et al., Phys. Rev. Lett. 97, 170201 (2006). All masses are 1. In each step, with the forces F of
// the present positions, the velocities v of the step before and the power P = F.v over all
// particles:
//
//   P > 0       after 20 such steps dt grows by 1.1 and alpha shrinks by 0.99
//   else        dt halves, alpha is 1/4 again ; x -= v dt/2 ; v = 0
//   v += F dt ; v = (1 - alpha) v + alpha F |v|/|F| ; x += v dt
//
// dt is between 1/50 of the deck's time step and 4 of them: 10, as in the paper, of the 0.005 that
// is usual for a Lennard-Jones liquid are so long that stiff pairs go uphill again and again. A
// particle moves by no more than a given distance in a step: one that would is slowed down alone,
// so that all overlaps of a random start are undone at once. When no force is above the tolerance
// any more, everything rests, and further steps change nothing.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "integrators/batch_steps.hpp"
#include "integrators/half_steps.hpp"
#include "integrators/integrator.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Over all particles.
struct FireSums {
  double power = 0.0;             ///< F.v [epsilon/tau]
  double force_squared = 0.0;     ///< F.F
  double velocity_squared = 0.0;  ///< v.v
  double largest_squared = 0.0;   ///< of the force on one particle

  PENCILBOX_DEVICE_FUNCTION void add(const FireSums& other) {
    power += other.power;
    force_squared += other.force_squared;
    velocity_squared += other.velocity_squared;
    if (other.largest_squared > largest_squared) largest_squared = other.largest_squared;
  }
};

template <class Precision>
struct SumsOfParticles {
  static constexpr const char* name = "fire: sums";
  Vec3View<const typename Precision::State> velocity;
  Vec3View<const typename Precision::Accumulator> force;
  FireSums* sums;
  Index count, width;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    FireSums sum;
    for (std::int64_t i = thread; i < count; i += width) {
      const Vec3<double> v = velocity[static_cast<Index>(i)].template to<double>();
      const Vec3<double> f = force[static_cast<Index>(i)].template to<double>();
      const double squared = dot(f, f);
      sum.add({dot(f, v), squared, dot(v, v), squared});
    }
    sums[thread] = sum;
  }
};

struct SumsOfSums {
  static constexpr const char* name = "fire: sums of sums";
  const FireSums* parts;
  FireSums* sums;
  Index count, width;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    FireSums sum;
    for (std::int64_t i = thread; i < count; i += width) sum.add(parts[i]);
    sums[thread] = sum;
  }
};

/// On the device.
struct FireState {
  FireSums sums;             ///< of the positions that were reached last
  double timestep;           ///< dt [tau]
  double mixing;             ///< alpha
  std::int64_t downhill;     ///< steps since P was last not above 0; before the first: beginning
  std::int64_t rests_since;  ///< the step whose forces were within the tolerance; before: not_yet
  // Of the present step:
  double kept;    ///< v = kept v + pushed F
  double pushed;  ///< [tau]
  double back;    ///< x -= back v, of the velocity before [tau]
};

constexpr std::int64_t not_yet = -1;
constexpr std::int64_t beginning = -1;  // velocities are not of this minimisation
constexpr double first_mixing = 0.25;

/// What the sums make of time step and mixing.
struct FireControl {
  static constexpr const char* name = "fire: control";
  FireState* state;
  double least_timestep, most_timestep;
  double tolerance_squared;
  RunStep step;  ///< that the particles arrive at

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    FireSums sums = state->sums;
    state->kept = state->pushed = state->back = 0.0;
    if (state->rests_since == not_yet && sums.largest_squared <= tolerance_squared) {
      state->rests_since = step() - 1;
    }
    if (state->rests_since != not_yet) return;
    if (state->downhill == beginning) sums.power = sums.velocity_squared = 0.0;
    if (sums.power > 0.0) {
      go_on();
    } else {
      turn_back(sums);
    }
    mix(sums);
  }

 private:
  PENCILBOX_DEVICE_FUNCTION void go_on() const {
    constexpr std::int64_t delay = 20;
    constexpr double growth = 1.1, shrinkage = 0.99;
    if (++state->downhill <= delay) return;
    const double longer = state->timestep * growth;
    state->timestep = longer < most_timestep ? longer : most_timestep;
    state->mixing *= shrinkage;
  }

  PENCILBOX_DEVICE_FUNCTION void turn_back(FireSums& sums) const {
    constexpr double shortening = 0.5;
    if (sums.velocity_squared > 0.0) {
      const double shorter = state->timestep * shortening;
      state->timestep = shorter > least_timestep ? shorter : least_timestep;
      state->back = 0.5 * state->timestep;
    }
    state->downhill = 0;
    state->mixing = first_mixing;
    sums.power = sums.velocity_squared = 0.0;
  }

  /// |v + F dt|^2 = v.v + 2 dt P + dt^2 F.F. From rest |v|/|F| is dt, to the bit.
  PENCILBOX_DEVICE_FUNCTION void mix(const FireSums& sums) const {
    const double dt = state->timestep;
    const double speed_squared =
        sums.velocity_squared + 2.0 * dt * sums.power + dt * dt * sums.force_squared;
    const bool rests = !(sums.velocity_squared > 0.0);
    const double ratio = rests ? dt : std::sqrt(speed_squared / sums.force_squared);
    const double rest = 1.0 - state->mixing;
    state->kept = rests ? 0.0 : rest;
    state->pushed = rest * dt + state->mixing * ratio;
  }
};

template <class Precision>
struct MoveDownhill {
  static constexpr const char* name = "fire";
  using State = typename Precision::State;

  KickAndDrift<Precision> move;
  Vec3View<const typename Precision::Accumulator> force;
  const FireState* state;
  double most;  ///< of a displacement [sigma]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Vec3<double> before = move.velocity[i].template to<double>();
    const Vec3<double> pushed = state->pushed * force[i].template to<double>();
    const double dt = state->timestep;
    const Vec3<double> after = limited(state->kept * before + pushed, dt > 0.0 ? most / dt : most);
    const Vec3<double> moved = limited(dt * after - state->back * before, most);
    const Vec3<State> position = move.position[i];
    move.velocity.store(i, after.template to<State>());
    move.arrival.note_kick(i, {});  // forces do not add up here
    move.arrival(i, position + moved.template to<State>());
  }

  PENCILBOX_DEVICE_FUNCTION static Vec3<double> limited(const Vec3<double>& vector, double length) {
    const double squared = dot(vector, vector);
    if (!(squared > length * length)) return vector;
    return (length / std::sqrt(squared)) * vector;
  }
};

template <class Precision>
class Fire final : public Integrator<Precision> {
 public:
  explicit Fire(const IntegratorSettings& settings)
      : timestep_(settings.timestep),
        tolerance_(settings.parameters.at("force_tolerance")),
        most_(settings.parameters.at("max_displacement")),
        state_(1),
        parts_(wide + narrow + 1) {}

  void begin_batch(const Particles<Precision>& particles, std::int64_t step,
                   Stream& stream) override {
    steps_.begin(step, stream);
    if (has_begun_) return;
    has_begun_ = true;
    put(as_it_begins(), stream);
    sum_into(&state_.data()->sums, particles, stream);
  }

  void first_half(const MovingStep<Precision>& step, Stream& stream) override {
    constexpr double least = 0.02, most = 4.0;  // of the deck's time step
    for_each(stream, 1,
             FireControl{state_.data(), least * timestep_, most * timestep_,
                         tolerance_ * tolerance_, steps_[step.step]});
    const Vec3Buffer<typename Precision::Accumulator>& force = step.particles.sums.force;
    for_each(stream, step.particles.count,
             MoveDownhill<Precision>{kick_and_drift_of(step.particles, step.arrival, timestep_),
                                     force.view(), state_.data(), most_},
             move_threads(step.particles.count));
  }

  /// Sums of the new forces, in the order that they were evaluated in: what a resumed run begins
  /// with lies in another.
  void second_half(const EndingStep<Precision>& step, Stream& stream) override {
    sum_into(&state_.data()->sums, step.particles, stream);
  }

  std::optional<Minimisation> minimisation(const Particles<Precision>& particles,
                                           Stream& stream) override {
    FireSums* total = parts_.data() + wide + narrow;
    sum_into(total, particles, stream);
    FireSums sums;
    memory::copy(&sums, total, sizeof sums, stream);
    stream.synchronize();
    Minimisation now{tolerance_, std::sqrt(sums.largest_squared), {}};
    const std::int64_t rests_since = get(stream).rests_since;
    if (rests_since != not_yet) now.rests_since = rests_since;
    return now;
  }

  void end_stage(Particles<Precision>& particles, Stream& stream) override {
    particles.state.velocity.fill_bytes(0, stream);
  }

  /// Nothing is.
  double conserved_energy(const Observation&, Stream&) override {
    return std::numeric_limits<double>::quiet_NaN();
  }

  NamedNumbers state(Stream& stream) override {
    const FireState now = get(stream);
    return {{timestep_name, {now.timestep}},
            {mixing_name, {now.mixing}},
            {downhill_name, {static_cast<double>(now.downhill)}},
            {rests_name, {static_cast<double>(now.rests_since)}},
            {sums_name,
             {now.sums.power, now.sums.force_squared, now.sums.velocity_squared,
              now.sums.largest_squared}}};
  }
  void restore(const NamedNumbers& state, Stream& stream) override {
    const std::vector<double>& sums = take(state, sums_name, 4);
    const FireState now{{sums[0], sums[1], sums[2], sums[3]},
                        take(state, timestep_name, 1)[0],
                        take(state, mixing_name, 1)[0],
                        static_cast<std::int64_t>(take(state, downhill_name, 1)[0]),
                        static_cast<std::int64_t>(take(state, rests_name, 1)[0]),
                        0.0,
                        0.0,
                        0.0};
    has_begun_ = now.downhill != beginning || now.rests_since != not_yet;
    if (has_begun_) put(now, stream);
  }

 private:
  static constexpr const char* sums_name = "sums";
  static constexpr const char* timestep_name = "timestep";
  static constexpr const char* mixing_name = "mixing";
  static constexpr const char* downhill_name = "downhill";
  static constexpr const char* rests_name = "rests_since";
  static constexpr Index wide = 4096, narrow = 64;

  static const std::vector<double>& take(const NamedNumbers& state, const char* name,
                                         std::size_t count) {
    const auto found = state.find(name);
    if (state.size() != 5 || found == state.end() || found->second.size() != count) {
      throw InputError("integrator: the state is none of fire");
    }
    return found->second;
  }

  void sum_into(FireSums* total, const Particles<Precision>& particles, Stream& stream) {
    FireSums* parts = parts_.data();
    for_each(stream, wide,
             SumsOfParticles<Precision>{particles.state.velocity.view(),
                                        particles.sums.force.view(), parts, particles.count, wide});
    for_each(stream, narrow, SumsOfSums{parts, parts + wide, wide, narrow});
    for_each(stream, 1, SumsOfSums{parts + wide, total, narrow, 1});
  }

  FireState as_it_begins() const {
    return {{}, timestep_, first_mixing, beginning, not_yet, 0.0, 0.0, 0.0};
  }
  FireState get(Stream& stream) const {
    if (!has_begun_) return as_it_begins();
    return state_.download(stream).front();
  }
  void put(const FireState& now, Stream& stream) { state_.upload({&now, 1}, stream); }

  double timestep_;
  double tolerance_;
  double most_;
  bool has_begun_ = false;
  Buffer<FireState> state_;
  Buffer<FireSums> parts_;
  BatchSteps steps_;
};

}  // namespace

IntegratorEntry fire() {
  return make_integrator_entry<Fire>(
      {.name = "fire",
       .summary = "minimisation of the potential energy",
       .source = "Guenole et al., Comput. Mater. Sci. 175, 109584 (2020)",
       .parameters = {{.name = "force_tolerance",
                       .description = "Ends when no particle feels a larger force",
                       .unit = "epsilon/sigma",
                       .minimum = 1e-12,
                       .maximum = 1e12,
                       .default_value = "0.01"},
                      {.name = "max_displacement",
                       .description = "No particle moves farther in a step",
                       .unit = "sigma",
                       .minimum = 1e-6,
                       .maximum = 1.0,
                       .default_value = "0.1"}}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE
