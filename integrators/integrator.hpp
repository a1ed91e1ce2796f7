// The contract of an integrator: one time step in two halves around the force evaluation. A
// thermostat is an integrator that does more in its halves, and reports what it conserves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/arrival.hpp"
#include "core/box.hpp"
#include "core/error.hpp"
#include "core/exact_state.hpp"
#include "core/kick_and_drift.hpp"
#include "core/minimisation.hpp"
#include "core/observation.hpp"
#include "core/particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// What a half step is given that moves the particles.
template <class Precision>
struct MovingStep {
  Particles<Precision>& particles;  ///< with the forces of the old positions
  Arrival<Precision> arrival;       ///< the kernel hands it each new position, and stores none
  StepNumber step;                  ///< that the particles arrive at, from the batch's beginning
};

/// What the half step is given that ends a time step: velocities only.
template <class Precision>
struct EndingStep {
  Particles<Precision>& particles;  ///< with the forces of the new positions
  StepNumber step;                  ///< that has been reached
};

template <class Precision>
class SharedIntegrator;

/// What an integrator enqueues may be noted in a graph and launched again and again: whatever
/// changes from step to step (a random number's counter, a thermostat's variables, sums over
/// particles: ExactSum) is read by its kernels on the device, and never by the host.
template <class Precision>
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// The step of the first of a batch's StepNumbers: what they are counted from. Called between
  /// batches, where nothing is noted.
  virtual void begin_batch(const Particles<Precision>& /*particles*/, std::int64_t /*step*/,
                           Stream& /*stream*/) {}

  /// Before the forces of the new positions.
  virtual void first_half(const MovingStep<Precision>& step, Stream& stream) = 0;

  /// After them.
  virtual void second_half(const EndingStep<Precision>& step, Stream& stream) = 0;

  /// The second half of one step and the first of the next, where nothing looks in between; the
  /// bits are those of the two. `step` is the one that the particles arrive at.
  virtual void second_then_first_half(const MovingStep<Precision>& step, Stream& stream) {
    second_half({step.particles, {step.step.control, step.step.offset - 1}}, stream);
    first_half(step, stream);
  }

  /// What second_then_first_half() does to each particle, where that is kick and drift by the
  /// particle's own force and nothing else: then a back end that can does it in its own kernel.
  virtual std::optional<KickAndDrift<Precision>> kick_and_drift(
      const MovingStep<Precision>& /*step*/) const {
    return {};
  }

  /// What it conserves, for the sums of the present step: the total energy where it adds nothing of
  /// its own.
  virtual double conserved_energy(const Observation& sums, Stream& /*stream*/) {
    return sums.total_energy();
  }

  /// How far it is, where it minimises the energy; waits for the stream. Once all forces are within
  /// the tolerance its steps change nothing.
  virtual std::optional<Minimisation> minimisation(const Particles<Precision>& /*particles*/,
                                                   Stream& /*stream*/) {
    return {};
  }

  /// Between batches others have changed the velocities of these particles.
  virtual void velocities_changed(const Particles<Precision>& /*particles*/, Stream& /*stream*/) {}

  /// After the last step of its stage, where another integrator goes on.
  virtual void end_stage(Particles<Precision>& /*particles*/, Stream& /*stream*/) {}

  /// Whether the sum of all momenta stays: then it is no degree of freedom.
  virtual bool conserves_momentum() const { return true; }

  /// The same where several ranks move a part of the particles each; null: it cannot be shared.
  virtual SharedIntegrator<Precision>* shared() { return nullptr; }

  /// What it carries from step to step beside the particles, such as a thermostat's variables, for
  /// a checkpoint. Random numbers need nothing here: they are counted by step and particle.
  virtual NamedNumbers state(Stream& /*stream*/) { return {}; }

  /// Takes back what state() gave. Throws InputError for what is none of its own.
  virtual void restore(const NamedNumbers& state, Stream& /*stream*/) {
    if (state.empty()) return;
    throw InputError("integrator: nothing to restore, got '" + state.begin()->first + "'");
  }
};

struct IntegratorSettings {
  double timestep = 0.005;  ///< [tau]
  Box box{};
  IntegratorParameters parameters{};  ///< those of its IntegratorInfo
  std::int64_t first_step = 0;        ///< of the stage that it moves
  std::int64_t steps = 0;             ///< of that stage: what a ramp goes on over
};

struct IntegratorEntry {
  IntegratorInfo info;
  std::unique_ptr<Integrator<SinglePrecision>> (*make_single)(const IntegratorSettings&);
  std::unique_ptr<Integrator<MixedPrecision>> (*make_mixed)(const IntegratorSettings&);
  std::unique_ptr<Integrator<DoublePrecision>> (*make_double)(const IntegratorSettings&);
};

/// The entry of an integrator whose class template is constructible from IntegratorSettings.
template <template <class> class IntegratorOf>
IntegratorEntry make_integrator_entry(IntegratorInfo info) {
  using Settings = IntegratorSettings;
  return {std::move(info),
          [](const Settings& s) -> std::unique_ptr<Integrator<SinglePrecision>> {
            return std::make_unique<IntegratorOf<SinglePrecision>>(s);
          },
          [](const Settings& s) -> std::unique_ptr<Integrator<MixedPrecision>> {
            return std::make_unique<IntegratorOf<MixedPrecision>>(s);
          },
          [](const Settings& s) -> std::unique_ptr<Integrator<DoublePrecision>> {
            return std::make_unique<IntegratorOf<DoublePrecision>>(s);
          }};
}

template <class Precision>
std::unique_ptr<Integrator<Precision>> make_integrator(const IntegratorEntry& entry,
                                                       const IntegratorSettings& settings) {
  if constexpr (Precision::value == pencilbox::Precision::single) {
    return entry.make_single(settings);
  } else if constexpr (Precision::value == pencilbox::Precision::mixed) {
    return entry.make_mixed(settings);
  } else {
    return entry.make_double(settings);
  }
}

/// All integrators, in the order of integrators/CMakeLists.txt (generated).
const std::vector<IntegratorEntry>& integrator_registry();

/// Throws InputError, naming what there is, if no integrator is called `name`.
const IntegratorEntry& find_integrator(const std::string& name);

}  // namespace pencilbox::PENCILBOX_DEVICE
