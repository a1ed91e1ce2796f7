// The one abstract simulation that the program sees: whatever the device and the precision, it can
// advance, observe and hand out its state. Each device of the build implements it once, in
// device_simulation.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/barostat.hpp"
#include "core/device/properties.hpp"
#include "core/exact_state.hpp"
#include "core/executor.hpp"
#include "core/interactions/potential.hpp"
#include "core/list_until.hpp"
#include "core/minimisation.hpp"
#include "core/neighbor_stats.hpp"
#include "core/observable_info.hpp"
#include "core/observation.hpp"
#include "core/packed_frame.hpp"
#include "core/precision.hpp"
#include "core/registry.hpp"
#include "core/start_state.hpp"

namespace pencilbox {

/// A part of a run, in which particles are moved by one rule.
struct StageSettings {
  std::string integrator;
  IntegratorParameters parameters{};
  double timestep = 0.005;
  std::int64_t first_step = 0;  ///< where the stage begins
  double first_time = 0.0;      ///< there [tau]
  std::int64_t steps = 0;       ///< a ramp goes on over them
  /// Total momentum is taken out where the stage begins, and at multiples of this; 0: nowhere else;
  /// absent: never.
  std::optional<std::int64_t> zero_momentum_every{};
  std::optional<Barostat> barostat{};  ///< absent: the box stays

  bool changes_box_at(std::int64_t step) const { return barostat && barostat->is_due(step); }
  bool zeroes_momentum_at(std::int64_t step) const {
    return zero_momentum_every && *zero_momentum_every > 0 && step % *zero_momentum_every == 0;
  }
};

/// What observables have to know of the stage that they look at.
struct ObservedStage {
  double timestep = 0.0;  ///< [tau]
  bool box_changes = false;
};

/// What a simulation is told beside its particles: with the stage that it begins in.
struct SimulationSettings : StageSettings {
  Potential potential;
  std::string backend;
  BackendOptions options;
  Precision precision = Precision::mixed;
  bool deterministic = false;
  std::optional<double> skin{};  ///< of lists [sigma]; absent: found while running
  ListUntil list_until = ListUntil::best;
  Executor executor = Executor::best;
  std::vector<ObservableChoice> observables{};  ///< each once
  std::optional<ObservedStage> observed{};      ///< the stage that they look at; absent: this one
};

/// Everything a simulation needs to exist.
struct SimulationSetup : SimulationSettings {
  StartState start;
};

/// What the last step of a batch evaluates.
enum class LastStep { forces_only, with_energies };

class Simulation {
 public:
  virtual ~Simulation() = default;

  /// Advances by `steps` time steps. Throws PhysicsError if a particle was lost or became
  /// non-finite on the way. Only steps that the deck fixes should ask for energies: the kernel with
  /// energies may round forces differently, and after such a step a new grid is laid if too many
  /// particles have left the old one; a batch that merely serves the progress line must not change
  /// a bit.
  virtual void advance(std::int64_t steps, LastStep last = LastStep::with_energies) = 0;

  virtual std::int64_t step() const = 0;

  /// From here on by the rule of another stage, whose first step is the present one.
  virtual void begin_stage(const StageSettings& stage) = 0;

  /// Of a stage that minimises the energy: how far it is. Waits for the device.
  virtual std::optional<Minimisation> minimisation() = 0;
  /// Whether such a stage is known to change nothing any more: its steps are then counted, not
  /// done.
  virtual bool is_minimised() const = 0;

  /// Evaluates the present state once more if the last step had no energies: for a last look, since
  /// forces may round differently. A resumed simulation has to advance first.
  virtual void evaluate_energies() = 0;

  /// Sums over all particles, in double, of the state after the last step, which had energies.
  /// Changes nothing. Throws PhysicsError if they are not finite.
  virtual Observation observe() = 0;

  /// All that the steps to come depend on. Throws PhysicsError if it is not finite: a broken state
  /// is none to resume from.
  virtual ExactState exact_state() = 0;

  /// The particles in id order, positions wrapped into the box. Energies are those of the last
  /// evaluation that had any.
  virtual Frame snapshot(const FieldSet& fields) = 0;

  /// The same as a file takes it: floats are double in double precision, else float. Returns before
  /// the rows are there; the device computes on while they come.
  virtual PackedFrame packed_snapshot(const FieldSet& fields) = 0;

  /// Each observable of the setup that is due at the present step takes a sample of the state,
  /// which does not change.
  virtual void sample_observables() = 0;
  /// What they have found so far, in the order of the setup.
  virtual std::vector<ObservableResult> observable_results() = 0;
  /// What they carry from sample to sample, in the same order.
  virtual std::vector<ObservableState> observable_states() = 0;
  /// Goes on with what a checkpoint holds; one that is not in it begins anew. Throws InputError
  /// where a state is none of the observable.
  virtual void restore_observables(const std::vector<ObservableState>& states) = 0;

  /// Seconds of the last advance(), between two events on the device.
  virtual double last_advance_seconds() const = 0;
  virtual RegionSeconds regions() const = 0;
  /// Regions count from now on.
  virtual void forget_regions() = 0;
  /// Counts candidates and pairs, and looks at the kernel of forces, with two extra evaluations of
  /// the present state.
  virtual BackendStats backend_stats() = 0;
  /// Who is near whom, with an extra evaluation of the present state.
  virtual NeighborStats neighbor_stats() = 0;
  virtual std::int64_t device_bytes() const = 0;
  /// In each direction.
  virtual std::array<int, 3> ranks() const { return {1, 1, 1}; }
  /// Whether the present stage is one that the first of them does alone.
  virtual bool is_on_first_rank_alone() const { return false; }
  /// How letters of a step travel between them, in words; empty where there is one.
  virtual std::string exchange() const { return {}; }
  /// Of each of them, without waiting for others, since regions were forgotten; empty where there
  /// is one.
  virtual std::vector<double> busy_seconds() { return {}; }
  /// How evenly they had work; nothing where there is one.
  virtual std::optional<RankLoad> rank_load() { return {}; }
};

/// What `pencilbox check` says about one back end.
struct BackendVerdict {
  BackendInfo info;
  std::optional<std::string> refusal;  ///< empty: it can run this problem
};

/// What `pencilbox check` says about a problem on a device.
struct ProblemReport {
  std::array<std::int64_t, 3> cells{};
  Double3 cell_side{};            ///< [sigma]
  Double3 cells_lower{};          ///< the grid's corner, in an open direction not the box's [sigma]
  std::int64_t largest_cell = 0;  ///< most particles in one cell of the start
  double particles_per_cell = 0.0;  ///< mean
  double skin = 0.0;                ///< that a list begins with; 0: none is kept [sigma]
  /// Particles, cells, sums, lists and observables; what else a back end takes comes on top.
  std::int64_t device_bytes = 0;
  std::vector<BackendVerdict> backends;
};

/// One device of this build.
class DeviceApi {
 public:
  virtual ~DeviceApi() = default;

  virtual std::string kind() const = 0;

  /// The device's properties; or, if none answers, throws SystemError with the device's own text.
  virtual DeviceProperties properties() const = 0;

  /// Which one of its kind it is; throws the same.
  virtual std::string identifier() const = 0;

  /// Makes it ready for its first use, which takes a GPU a part of a second; from any thread. What
  /// fails is told by the first use.
  virtual void wake() const noexcept {}

  virtual std::vector<BackendInfo> backends() const = 0;
  virtual std::vector<IntegratorInfo> integrators() const = 0;
  virtual std::vector<ObservableInfo> observables() const = 0;

  /// How this problem would lie on the device, and which back ends could run it, the chosen one
  /// with its options. Allocates nothing there. Throws ObservableRefusal.
  virtual ProblemReport check(const SimulationSetup& setup) const = 0;

  /// Throws BackendRefusal if the back end cannot run this, ObservableRefusal if an observable is
  /// not defined for it, SystemError if the device does not answer or has too little memory,
  /// PhysicsError if the start is broken.
  virtual std::unique_ptr<Simulation> make(SimulationSetup setup) const = 0;

  /// Goes on from a state, bit for bit as the simulation that gave it would have, if the back end,
  /// the device and the build are the same and `deterministic` is set. The start of `setup` is not
  /// looked at; the rest of it has to agree with the state in potential, integrator, timestep and
  /// precision. Throws as make() does.
  virtual std::unique_ptr<Simulation> resume(SimulationSetup setup,
                                             const ExactState& state) const = 0;
};

/// The devices of this build, host first.
const std::vector<const DeviceApi*>& devices();

}  // namespace pencilbox
