// A Nose-Hoover chain: constant temperature by a friction that is itself a particle with a heat
// bath, and so on along the chain. Deterministic and reversible. Martyna, Klein and Tuckerman, J.
// Chem. Phys. 97, 2635 (1992), conserved quantity: equation 2.8; Martyna, Tuckerman, Tobias and
// Klein, Mol. Phys. 87, 1117 (1996), section 4.1, the splitting:
//
//   first half    chain for dt/2, which scales v ; v += f/m dt/2 ; x += v dt
//   second half   v += f/m dt/2 ; chain for dt/2, which scales v
//
// Masses of the chain: Q_1 = N_f T tau^2, Q_j = T tau^2, N_f the degrees of freedom. Where T is a
// ramp, they keep its middle, and both halves of a step have the T of the step that it reaches.
// What is conserved then has the sum of T N_f d(eta_1) + T d(eta_2) + ... along the way, in place
// of N_f T eta_1 + T eta_2 + ...
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "integrators/shared_integrator.hpp"
#include "integrators/thermostat_parameters.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr int most_links = 8;

/// On the device.
struct ChainState {
  double position[most_links];  ///< eta
  double velocity[most_links];  ///< [1/tau]
  double twice_kinetic_energy;  ///< of the particles, which the chain has scaled [epsilon]
  double factors[2];   ///< of the velocities: that of the last half, and of the half before
  double bath_energy;  ///< along a ramp: what the positions stand for [epsilon]
};

/// Moves the chain by half a step.
struct Chain {
  ChainState* state;
  int links;
  double degrees_of_freedom;
  double temperature;       ///< wanted
  double mass_temperature;  ///< of the masses: the same, unless there is a ramp
  double relaxation_time;
  double timestep;

  /// Returns the factor for all velocities.
  PENCILBOX_DEVICE_FUNCTION double half_step() const {
    if (degrees_of_freedom < 1.0) return 1.0;
    // Suzuki and Yoshida, fourth order.
    constexpr double outer = 1.3512071919596578;  // 1/(2 - 2^(1/3))
    constexpr double weights[3]{outer, 1.0 - 2.0 * outer, outer};
    double factor = 1.0;
    for (const double weight : weights) factor *= part(weight * timestep);
    return factor;
  }

  PENCILBOX_DEVICE_FUNCTION double mass(int j) const {
    return mass_temperature * relaxation_time * relaxation_time *
           (j == 0 ? degrees_of_freedom : 1.0);
  }

 private:
  /// Half of `whole`.
  PENCILBOX_DEVICE_FUNCTION double part(double whole) const {
    const double quarter = whole / 4.0;
    for (int j = links - 1; j >= 0; --j) kick(j, quarter);
    const double factor = std::exp(-0.5 * whole * state->velocity[0]);
    state->twice_kinetic_energy *= factor * factor;
    for (int j = 0; j < links; ++j) {
      double& position = state->position[j];
      const double velocity = state->velocity[j], half = 0.5 * whole;
      position = times_plus(half, velocity, position);
      const double energy_of_one = temperature * (j == 0 ? degrees_of_freedom : 1.0);
      state->bath_energy = times_plus(energy_of_one, half * velocity, state->bath_energy);
    }
    for (int j = 0; j < links; ++j) kick(j, quarter);
    return factor;
  }

  /// Link j, between two halves of the friction of the next.
  PENCILBOX_DEVICE_FUNCTION void kick(int j, double time) const {
    const double friction = j + 1 < links ? std::exp(-0.5 * time * state->velocity[j + 1]) : 1.0;
    state->velocity[j] = times_plus(time, push(j), state->velocity[j] * friction) * friction;
  }

  PENCILBOX_DEVICE_FUNCTION double push(int j) const {
    const double wanted = temperature * (j == 0 ? degrees_of_freedom : 1.0);
    if (j == 0) return (state->twice_kinetic_energy - wanted) / mass(j);
    const double velocity = state->velocity[j - 1];
    return times_plus(mass(j - 1) * velocity, velocity, -wanted) / mass(j);
  }
};

/// The chain's share of the halves, before the particles'. A half that ends a step begins with what
/// the kicked particles have.
template <HalfSteps halves>
struct MoveChain {
  static constexpr const char* name = "nose-hoover: chain";
  Chain chain;
  Ramp temperature;
  SumsOfRanks twice_kinetic_energy;
  RunStep step;  ///< that has been reached; of a first half alone: that the particles arrive at

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    const std::int64_t now = step();
    if constexpr (halves != HalfSteps::first) {
      chain.state->twice_kinetic_energy = twice_kinetic_energy[0];
    }
    chain.state->factors[0] = chain_at(now).half_step();
    if constexpr (halves == HalfSteps::both)
      chain.state->factors[1] = chain_at(now + 1).half_step();
  }

  PENCILBOX_DEVICE_FUNCTION Chain chain_at(std::int64_t now) const {
    Chain same = chain;
    same.temperature = temperature(now);
    return same;
  }
};

/// Tells the chain what the particles have, before it scales them.
struct NoteKineticEnergy {
  static constexpr const char* name = "nose-hoover: kinetic energy";
  ChainState* chain;
  SumsOfRanks twice_kinetic_energy;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    chain->twice_kinetic_energy = twice_kinetic_energy[0];
  }
};

template <class Precision>
class NoseHoover final : public Integrator<Precision>, public SharedIntegrator<Precision> {
 public:
  explicit NoseHoover(const IntegratorSettings& settings)
      : timestep_(settings.timestep),
        temperature_(ramp_of(settings, "temperature")),
        relaxation_time_(settings.parameters.at("relaxation_time")),
        links_(static_cast<int>(settings.parameters.at("chain_length"))),
        chain_(1),
        kept_chain_(1),
        twice_kinetic_energy_(1) {
    sum_.reserve();
  }

  /// Later the chain knows what it has made of the kinetic energy.
  void begin_batch(const Particles<Precision>& particles, std::int64_t step,
                   Stream& stream) override {
    steps_.begin(step, stream);
    if (!has_begun_) take_kinetic_energy(sum_present(particles, stream), stream);
  }

  void velocities_changed(const Particles<Precision>& particles, Stream& stream) override {
    if (has_begun_) take_kinetic_energy(sum_present(particles, stream), stream);
  }

  void first_half(const MovingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::first>(step, {}, stream);
  }
  void second_half(const EndingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::second>({step.particles, {}, step.step}, sum_kicked(step.particles, stream),
                           stream);
  }
  void second_then_first_half(const MovingStep<Precision>& step, Stream& stream) override {
    run<HalfSteps::both>(step, sum_kicked(step.particles, stream), stream);
  }

  double conserved_energy(const Observation& sums, Stream& stream) override {
    return sums.total_energy() + energy_of(get(stream), chain(sums.particles));
  }

  NamedNumbers state(Stream& stream) override {
    const ChainState now = get(stream);
    NamedNumbers numbers{{chain_position, {now.position, now.position + links_}},
                         {chain_velocity, {now.velocity, now.velocity + links_}},
                         {twice_kinetic_energy, {now.twice_kinetic_energy}}};
    if (!temperature_.stays()) numbers[bath_energy] = {now.bath_energy};
    return numbers;
  }
  void restore(const NamedNumbers& state, Stream& stream) override {
    ChainState now{};
    take(state, chain_position, now.position, links_);
    take(state, chain_velocity, now.velocity, links_);
    take(state, twice_kinetic_energy, &now.twice_kinetic_energy, 1);
    if (!temperature_.stays()) take(state, bath_energy, &now.bath_energy, 1);
    has_begun_ = knows_anything(now);
    if (has_begun_) put(now, stream);
  }

  SharedIntegrator<Precision>* shared() override { return this; }
  void count_from(std::int64_t step, Stream& stream) override { steps_.begin(step, stream); }
  bool lacks_kinetic_energy() const override { return !has_begun_; }
  bool keeps_kinetic_energy() const override { return has_begun_; }
  void take_kinetic_energy(const SumsOfRanks& sums, Stream& stream) override {
    if (!has_begun_) put({}, stream);
    has_begun_ = true;
    for_each(stream, 1, NoteKineticEnergy{chain_.data(), sums});
  }
  bool sums_in_steps() const override { return true; }
  void sum_own(Velocities which, Particles<Precision>& particles, const OwnRows& own,
               ExactParts* result, Stream& stream) override {
    if (which == Velocities::present) {
      sum_.into(result, OfOwnRows<Present>{own, present(particles)}, particles.count, stream);
    } else {
      sum_.into(result, OfOwnRows<Kicked>{own, kicked(particles)}, particles.count, stream);
    }
  }
  ParticleMove<Precision> move(HalfSteps halves, const MovingStep<Precision>& step,
                               const SumsOfRanks& sums, Stream& stream) override {
    switch (halves) {
      case HalfSteps::first:
        return prepare<HalfSteps::first>(step, sums, stream);
      case HalfSteps::second:
        return prepare<HalfSteps::second>(step, sums, stream);
      case HalfSteps::both:
        return prepare<HalfSteps::both>(step, sums, stream);
    }
    throw std::logic_error("halves of no step");
  }
  void keep(Stream& stream) override { copy(kept_chain_, chain_, stream); }
  void take_back(Stream& stream) override { copy(chain_, kept_chain_, stream); }

 private:
  using Present = TwiceKineticEnergy<Precision>;
  using Kicked = TwiceKineticEnergyAfterKick<Precision>;

  static constexpr const char* chain_position = "chain_position";
  static constexpr const char* chain_velocity = "chain_velocity";
  static constexpr const char* twice_kinetic_energy = "twice_kinetic_energy";
  static constexpr const char* bath_energy = "bath_energy";

  void take(const NamedNumbers& state, const char* name, double* to, int count) const {
    const auto found = state.find(name);
    if (state.size() != (temperature_.stays() ? 3U : 4U) || found == state.end() ||
        found->second.size() != static_cast<std::size_t>(count)) {
      throw InputError("integrator: the state is none of nose-hoover with this chain_length");
    }
    std::copy(found->second.begin(), found->second.end(), to);
  }

  Chain chain(std::int64_t particles) {
    return {chain_.data(),
            links_,
            degrees_of_freedom(particles),
            temperature_.from,
            0.5 * (temperature_.from + temperature_.to),
            relaxation_time_,
            timestep_};
  }

  double energy_of(const ChainState& now, const Chain& chain) const {
    double energy = temperature_.stays() ? 0.0 : now.bath_energy;
    for (int j = 0; j < chain.links; ++j) {
      const double given = temperature_.stays() ? chain.temperature : 0.0;
      energy += 0.5 * chain.mass(j) * now.velocity[j] * now.velocity[j] +
                given * (j == 0 ? chain.degrees_of_freedom : 1.0) * now.position[j];
    }
    return energy;
  }

  static Present present(const Particles<Precision>& particles) {
    const Vec3Buffer<typename Precision::State>& velocity = particles.state.velocity;
    return {velocity.view(), inverse_masses(particles)};
  }
  /// With the velocities that end the step, before the chain scales them.
  Kicked kicked(Particles<Precision>& particles) const {
    const Vec3Buffer<typename Precision::Accumulator>& force = particles.sums.force;
    return {kick_and_drift_of(particles, {}, timestep_), inverse_masses(particles), force.view()};
  }

  SumsOfRanks sum_present(const Particles<Precision>& particles, Stream& stream) {
    return sum_all(present(particles), particles.count, stream);
  }
  SumsOfRanks sum_kicked(Particles<Precision>& particles, Stream& stream) {
    return sum_all(kicked(particles), particles.count, stream);
  }
  template <class Term>
  SumsOfRanks sum_all(const Term& term, Index particles, Stream& stream) {
    sum_.into(twice_kinetic_energy_.data(), term, particles, stream);
    return {twice_kinetic_energy_.data(), 1, 1, particles};
  }

  /// `step`: that has been reached, but for a first half alone.
  template <HalfSteps halves>
  ChainMove<Precision> prepare(const MovingStep<Precision>& step, const SumsOfRanks& sums,
                               Stream& stream) {
    StepNumber now = step.step;
    if constexpr (halves == HalfSteps::both) --now.offset;
    for_each(stream, 1, MoveChain<halves>{chain(sums.particles), temperature_, sums, steps_[now]});
    return {kick_and_drift_of(step.particles, step.arrival, timestep_), chain_.data()->factors};
  }

  template <HalfSteps halves>
  void run(const MovingStep<Precision>& step, SumsOfRanks sums, Stream& stream) {
    sums.particles = step.particles.count;
    move_particles<halves>(prepare<halves>(step, sums, stream), step.particles, stream);
  }

  static void copy(Buffer<ChainState>& to, const Buffer<ChainState>& from, Stream& stream) {
    memory::copy(to.data(), from.data(), sizeof(ChainState), stream);
  }

  /// Else it is that of a start, before anybody has told it the kinetic energy.
  bool knows_anything(const ChainState& chain) const {
    const auto is_zero = [](double number) { return number == 0.0; };
    return chain.twice_kinetic_energy != 0.0 ||
           !std::all_of(chain.position, chain.position + links_, is_zero) ||
           !std::all_of(chain.velocity, chain.velocity + links_, is_zero);
  }

  ChainState get(Stream& stream) {
    ChainState now{};
    if (!has_begun_) return now;
    memory::copy(&now, chain_.data(), sizeof now, stream);
    stream.synchronize();
    return now;
  }
  void put(const ChainState& now, Stream& stream) {
    memory::copy(chain_.data(), &now, sizeof now, stream);
    stream.synchronize();
  }

  double timestep_;
  Ramp temperature_;
  double relaxation_time_;
  int links_;
  bool has_begun_ = false;
  ExactSum sum_;
  Buffer<ChainState> chain_, kept_chain_;
  Buffer<ExactParts> twice_kinetic_energy_;  ///< where there is one rank
  BatchSteps steps_;
};

}  // namespace

IntegratorEntry nose_hoover() {
  return make_integrator_entry<NoseHoover>(
      {.name = "nose-hoover",
       .summary = "constant temperature by a chain of frictions, without random numbers",
       .source = "Martyna, Klein and Tuckerman, J. Chem. Phys. 97, 2635 (1992)",
       .parameters = {bath_temperature(1e-12),
                      ramp_end_of(bath_temperature(1e-12)),
                      relaxation_time(),
                      {.name = "chain_length",
                       .description = "Links of the chain",
                       .unit = "",
                       .minimum = 1.0,
                       .maximum = most_links,
                       .default_value = "3",
                       .is_integer = true}}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE
