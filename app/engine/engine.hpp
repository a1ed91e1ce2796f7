// The engine owns the step: particles, their order, the back end, and the decision when to rebuild.
// It advances; what the host wants to know of the state is asked elsewhere (device_simulation.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/candidates.hpp"
#include "app/engine/changing_box.hpp"
#include "app/engine/choosing.hpp"
#include "app/engine/executor.hpp"
#include "app/engine/simulation.hpp"
#include "app/engine/simulation_problem.hpp"
#include "app/engine/step_plan.hpp"
#include "core/exact_state.hpp"
#include "core/reduction.hpp"
#include "integrators/cell_rescaling.hpp"
#include "integrators/zero_momentum.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// What the forces of the present positions are: none that belong to this order of particles (they
/// came with a state), forces, or forces and energies.
enum class Evaluated { stored, forces, forces_and_energies };

template <class Precision>
class Engine {
 public:
  /// The start of `setup` is not looked at: load() or restore() comes next.
  Engine(const SimulationSettings& setup, const DeviceProperties& device);

  /// Puts a state of the host on the device, orders and evaluates it. `problem`: on the grid of the
  /// bare cutoff. Throws BackendRefusal if no candidate can run it.
  void load(const StartState& start, const Problem& problem);

  /// The same with an exact state, which is not evaluated: its forces come with it. `problem`: on
  /// the grid of the bare cutoff, or, without a list, on that of the state.
  void restore(const ExactState& state, const Problem& problem);

  /// What happens where a stage begins, the first or another.
  void begin_stage();
  void begin_stage(const StageSettings& stage);

  /// Counts steps from step(). Throws PhysicsError with the first particle that is lost.
  void advance(std::int64_t steps, LastStep last);

  /// What integrator and barostat of the stage conserve, for the sums of the present step.
  double conserved_energy(const Observation& sums);
  /// What they carry from step to step.
  NamedNumbers integrator_state();

  std::optional<Minimisation> minimisation() {
    return integrator_->minimisation(particles_, stream_);
  }
  bool is_minimised() const;

  /// Forces (and energies) of the present state once more.
  void evaluate(Wanted wanted);

  /// All that the steps to come depend on, but for types and integrator.
  ExactState exact_state();

  std::int64_t step() const { return step_; }
  Evaluated evaluated() const { return evaluated_; }
  /// Seconds of the last advance() on the device.
  double last_advance_seconds() const { return advance_seconds_; }
  /// Of the last look.
  const BinningHealth& health() const { return health_; }

  Particles<Precision>& particles() { return particles_; }
  const Box& box() const { return problem_.box; }
  const CellGrid& grid() const { return binning_->grid(); }
  Integrator<Precision>& integrator() { return *integrator_; }
  Backend<Precision>& backend() { return *backend_; }
  const Interaction<typename Precision::Pair>& interaction() const { return *interaction_; }
  BinnedParticles<Precision> view() { return plan().view(); }
  Profiler& profiler() { return profiler_; }
  const Profiler& profiler() const { return profiler_; }
  Stream& stream() { return stream_; }
  std::int64_t backend_bytes() const { return backend_bytes_; }

  /// What it runs with now, and whether that is still a trial.
  const Candidate& candidate() const { return candidates_[active_]; }
  /// How far from its cell a particle may be before the list is made anew [sigma].
  double stray() const { return stray_of_list(problem_for(candidate(), problem_)); }
  bool is_choosing() const { return !choosing_->decided(); }
  /// Where there was a choice, once it was made.
  std::optional<AutomaticChoice> choice() const;
  /// Of the list, where one is kept.
  std::optional<ListStats> list_stats() const;

 private:
  StepPlan<Precision> plan() { return plan_with(*backend_); }
  StepPlan<Precision> plan_with(Backend<Precision>& backend) {
    return StepPlan<Precision>({particles_, *binning_, backend, *interaction_, *integrator_,
                                setup_.timestep, control_.data(), profiler_, stream_});
  }

  // The loop: engine.cpp
  std::int64_t steps_at_once(std::int64_t steps) const;
  void look_at_minimisation();
  void run_batch(std::int32_t steps, LastStep last);
  void run_units(std::int32_t steps, Wanted last);
  void run_cycles(std::int32_t steps, Wanted last);
  void enqueue_units(std::int32_t count);
  void enqueue_cycles(std::int32_t left);
  bool takes_graphs() const;
  UnitsComeAs units_come_as() const;
  bool is_next_a_sample(bool whole = true);
  Graphs::Key graph_of(std::int32_t units) const;
  std::int32_t units_of_a_cycle(std::int32_t left) const;
  StepControl read_control();
  void note_rebuilds(const StepControl& control);
  void look_after_health(std::int64_t first_step);
  std::string place_last_seen(ParticleId id);

  // From small forces to large ones, or back: engine_sums.cpp
  void choose_sums();
  bool look_at_forces(Wanted wanted);
  void change_coordinates();

  // From one stage to another: engine_state.cpp
  void make_integrator_of_stage();
  void restore_integrator(NamedNumbers state);

  // From one box to another: engine_box.cpp
  void change_box();
  CellRescaling::Sums pressure_sums();
  void stretch_to(const Box& box);

  // From one problem or candidate to another: engine_state.cpp
  void begin_choosing(const Problem& problem);
  void offer(std::vector<Candidate> candidates);
  void begin_trials();
  std::optional<std::size_t> as_it_was(const ExactState& state) const;
  void lay(std::size_t candidate, const CellGrid& grid);
  void adopt(std::size_t candidate);
  void change_to(std::size_t candidate);
  void make_backend_of(std::size_t candidate);
  void order_and_rebuild(std::int32_t last_interval = 0);
  std::int32_t likely_interval(std::size_t candidate) const;
  void make_rows_fit();
  void restore_order(const ExactState& state);
  void restore_list(const ExactState& state);
  void keep_equal_bits();
  void rehearse();
  void refuse_if_not_persistent();
  void choose_again_if_crowded();
  void choose_again();
  AutomaticChoice present_choice() const;

  SimulationSettings setup_;
  DeviceProperties device_;
  Problem problem_;  // as it is now, on the grid of the bare cutoff
  Stream stream_;
  std::unique_ptr<Integrator<Precision>> integrator_;
  ZeroMomentum<Precision> zero_momentum_;
  std::optional<CellRescaling> barostat_;
  std::vector<std::int64_t> type_counts_;
  Reduction reduction_;
  double rebuild_seconds_ = 0.0;  // of lists that a change of the box has cut short
  bool is_minimisation_ = false;
  std::optional<std::int64_t> rests_since_;  // of a minimisation, once the host has seen it
  std::optional<Interaction<typename Precision::Pair>> interaction_;
  std::optional<Binning<Precision>> binning_;
  std::unique_ptr<Backend<Precision>> backend_;
  Particles<Precision> particles_;
  Buffer<StepControl> control_;
  Graphs graphs_;
  bool has_run_ = false;  // the present back end, by launches
  Profiler profiler_;
  Event begin_, end_;  // of the last batch of steps

  std::int64_t step_ = 0;
  double advance_seconds_ = 0.0;
  Evaluated evaluated_ = Evaluated::stored;
  BinningHealth health_;
  Index largest_of_graphs_ = 0;  // the fullest cell when graphs were last made anew
  std::int64_t backend_bytes_ = 0;

  ListStats list_;  // of the present candidate
  std::vector<std::int32_t>
      expected_interval_;     // of each candidate: the longest of late; 0: not known
  std::int32_t carried_ = 0;  // evaluations that the age of the order does not count yet

  std::vector<Candidate> candidates_;
  bool may_sum_quanta_ = false;  // one of these
  std::size_t active_ = 0;
  std::optional<Choosing> choosing_;
  Index largest_at_choice_ = 0;
  int choices_ = 0;
  std::optional<AutomaticChoice> choice_before_;  // while it chooses again
};

}  // namespace pencilbox::PENCILBOX_DEVICE
