// The simulation on one device: what the host may ask of the state that the engine advances.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "app/engine/complete_observation.hpp"
#include "app/engine/engine.hpp"
#include "app/engine/observers.hpp"
#include "app/engine/simulation.hpp"
#include "app/engine/simulation_problem.hpp"
#include "app/engine/start_of.hpp"
#include "core/device/identifier.hpp"
#include "core/error.hpp"
#include "core/observables.hpp"
#include "neighbor/cells/exact_transfer.hpp"
#include "neighbor/cells/frame_gatherer.hpp"
#include "neighbor/cells/resolution_watch.hpp"
#include "neighbor/cells/unresolved.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
class DeviceSimulation final : public Simulation {
 public:
  DeviceSimulation(SimulationSetup setup, const Problem& problem)
      : DeviceSimulation(std::move(setup), problem.device) {
    const StartState start = std::exchange(setup_.start, {});
    types_ = start.types;
    type_counts_ = count_types(start.types.size(), start.type);
    observers_.emplace(setup_.observables, observed_system(start, setup_));
    engine_.load(start, problem);
    engine_.begin_stage();
    look();
  }

  DeviceSimulation(SimulationSetup setup, const Problem& problem, const ExactState& state)
      : DeviceSimulation(std::move(setup), problem.device) {
    types_ = state.types;
    type_counts_ = count_types(state.types.size(), state.type);
    observers_.emplace(setup_.observables, observed_system(state, setup_));
    engine_.restore(state, problem);
  }

  void advance(std::int64_t steps, LastStep last) override {
    engine_.advance(steps, last);
    look();
    if (last == LastStep::with_energies) lay_new_grid_if_spread();
  }

  void evaluate_energies() override {
    if (engine_.evaluated() == Evaluated::stored) {
      throw std::logic_error("a resumed simulation has to advance before it is observed");
    }
    if (engine_.evaluated() == Evaluated::forces) engine_.evaluate(Wanted::forces_and_energies);
  }

  std::int64_t step() const override { return engine_.step(); }

  void begin_stage(const StageSettings& stage) override {
    static_cast<StageSettings&>(setup_) = stage;
    engine_.begin_stage(stage);
    observers_->begin_stage(engine_.box(), step());
  }
  std::optional<Minimisation> minimisation() override { return engine_.minimisation(); }
  bool is_minimised() const override { return engine_.is_minimised(); }

  Observation observe() override {
    if (engine_.evaluated() != Evaluated::forces_and_energies) {
      throw std::logic_error("the state to observe was evaluated without energies");
    }
    Observation result = sum_observables(engine_.particles(), reduction_, engine_.stream());
    complete(result, setup_.potential, type_counts_, engine_.box(),
             engine_.integrator().conserves_momentum());
    result.step = step();
    result.time = time();
    if (!std::isfinite(result.total_energy() + result.virial)) report_broken_particle();
    result.conserved_energy = engine_.conserved_energy(result);
    return result;
  }

  Frame snapshot(const FieldSet& fields) override { return unpack(gather(fields, sizeof(double))); }

  PackedFrame packed_snapshot(const FieldSet& fields) override {
    constexpr bool doubles = std::is_same_v<Precision, DoublePrecision>;
    return gather(fields, doubles ? sizeof(double) : sizeof(float));
  }

  void sample_observables() override {
    if (!observers_->any_due(step())) return;
    observers_->sample(
        engine_.box(),
        {particles(), engine_.grid(), engine_.view().offset, engine_.stray(), step(), time()},
        engine_.stream());
  }
  std::vector<ObservableResult> observable_results() override {
    return observers_->results(engine_.stream());
  }
  std::vector<ObservableState> observable_states() override {
    return observers_->states(engine_.stream());
  }
  void restore_observables(const std::vector<ObservableState>& states) override {
    observers_->restore(states, engine_.stream());
  }

  double last_advance_seconds() const override { return engine_.last_advance_seconds(); }

  ExactState exact_state() override {
    ExactState state = engine_.exact_state();
    state.types = types_;
    state.integrator = engine_.integrator_state();
    if (const auto row = state.first_broken_row()) {
      GridPlace place{state.cell[*row], state.offset[*row], {}};
      throw PhysicsError("step " + std::to_string(step()) + ": particle " +
                         std::to_string(state.id[*row]) + " at " +
                         text_of(position_of(engine_.grid(), place)) +
                         " has a velocity or force that is not finite (overlapping particles?)");
    }
    return state;
  }

  RegionSeconds regions() const override { return engine_.profiler().seconds(); }
  void forget_regions() override { engine_.profiler() = Profiler(); }

  BackendStats backend_stats() override {
    BackendStats stats;
    // Where they stand already: for others a large system may leave no memory.
    engine_.backend().compute(engine_.view(), engine_.interaction(), Wanted::forces,
                              particles().sums, engine_.stream());
    stats.resources = resources_of_last_launch();  // before another kernel takes its place
    const LaunchReport report = engine_.backend().launch_report();
    const NeighborStats neighbors = neighbor_stats();
    stats.candidates_per_particle = neighbors.candidates_per_particle;
    stats.pairs_in_range =
        0.5 * neighbors.partners_per_particle * static_cast<double>(particles().count);
    stats.blocks = report.shape.blocks;
    stats.threads = report.shape.threads;
    stats.shared_bytes = static_cast<std::int64_t>(report.shape.shared_bytes);
    stats.device_bytes = engine_.backend_bytes();
    stats.note = note_of(report);
    stats.choice = engine_.choice();
    stats.is_choosing = engine_.is_choosing();
    stats.list = engine_.list_stats();
    return stats;
  }

  NeighborStats neighbor_stats() override {
    counts_.resize_counts(particles().count);
    engine_.backend().compute(engine_.view(), engine_.interaction(), Wanted::counts, counts_,
                              engine_.stream());
    const auto count = static_cast<double>(particles().count);
    const Counted candidates = counted(counts_.candidates);
    const Counted partners = counted(counts_.partners);
    return {count / static_cast<double>(engine_.grid().count()),
            engine_.health().largest_cell,
            candidates.sum / count,
            candidates.most,
            partners.sum / count,
            partners.most};
  }

  std::int64_t device_bytes() const override { return allocated_bytes; }

 private:
  DeviceSimulation(SimulationSetup setup, const DeviceProperties& device)
      : setup_(std::move(setup)),
        device_(device),
        engine_(setup_, device_),
        watch_(setup_.potential) {}

  Particles<Precision>& particles() { return engine_.particles(); }
  double time() const {
    return setup_.first_time + static_cast<double>(step() - setup_.first_step) * setup_.timestep;
  }

  /// What runs, where that was not the deck's to say, and how it was launched.
  std::string note_of(const LaunchReport& report) const {
    const std::string others = engine_.is_choosing() ? "; others still to be tried" : "";
    const std::string note = report.note();
    if (setup_.backend != any_backend) return note + others;
    return in_words(engine_.candidate().choice()) + (note.empty() ? "" : ", ") + note + others;
  }

  PackedFrame gather(const FieldSet& fields, int float_bytes) {
    if (!gatherer_) gatherer_.emplace(particles(), engine_.stream());
    PackedFrame frame =
        gatherer_->gather(particles(), engine_.grid(), fields, float_bytes, engine_.stream());
    frame.step = step();
    frame.time = time();
    frame.box = engine_.box();
    return frame;
  }

  void look() {
    watch_.judge(watch_.count(particles(), engine_.grid(), engine_.stream()), engine_.grid(),
                 step(),
                 [this] { return download_exact(particles(), engine_.grid(), engine_.stream()); });
  }

  /// The grid is kept where a new one would not help, or the back end could not run on it.
  void lay_new_grid_if_spread() {
    if (!watch_.wants_new_grid(particles().count)) return;
    const StartState start = start_of(*this, types_);
    const Problem problem = make_problem(setup_, start, device_);
    if (!watch_.is_helped_by(problem.grid, start.position)) return;
    if (refusal_of(setup_, problem)) return;
    engine_.load(start, problem);
    look();
  }

  [[noreturn]] void report_broken_particle() {
    FieldSet fields;
    for (const Field field :
         {Field::position, Field::velocity, Field::force, Field::id, Field::potential_energy}) {
      fields.insert(field);
    }
    const Frame frame = snapshot(fields);
    std::ostringstream text;
    text << "step " << step() << ": ";
    for (std::size_t i = 0; i < frame.id.size(); ++i) {
      const auto& f = frame.force[i];
      const auto& v = frame.velocity[i];
      if (std::isfinite(f[0] + f[1] + f[2] + v[0] + v[1] + v[2] + frame.potential_energy[i])) {
        continue;
      }
      text << "particle " << frame.id[i] << " at " << text_of(frame.position[i])
           << " has a force, velocity or energy that is not finite (overlapping particles?)";
      throw PhysicsError(text.str());
    }
    text << "the total energy is not finite, though every particle's is";
    throw PhysicsError(text.str());
  }

  struct Counted {
    double sum = 0.0;
    std::int64_t most = 0;
  };

  Counted counted(const Buffer<Index>& values) {
    Counted result;
    for (const Index value : values.download(engine_.stream())) {
      result.sum += static_cast<double>(value);
      result.most = std::max<std::int64_t>(result.most, value);
    }
    return result;
  }

  SimulationSetup setup_;  // its start has moved to the device
  DeviceProperties device_;
  std::vector<ParticleType> types_;
  std::vector<std::int64_t> type_counts_;
  Engine<Precision> engine_;
  ResolutionWatch<Precision> watch_;
  Reduction reduction_;
  PairSums<Precision> counts_;  // kept once made: memory taken and freed makes graphs stale
  std::optional<Observers<Precision>> observers_;
  std::optional<FrameGatherer<Precision>> gatherer_;  // made when the first frame is asked for
};

template <class... Rest>
std::unique_ptr<Simulation> make_device_simulation(SimulationSetup setup, const Problem& problem,
                                                   const Rest&... rest) {
  if (const auto refusal = refusal_of(setup, problem)) throw BackendRefusal(*refusal);
  switch (setup.precision) {
    case Precision::single:
      return std::make_unique<DeviceSimulation<SinglePrecision>>(std::move(setup), problem,
                                                                 rest...);
    case Precision::mixed:
      return std::make_unique<DeviceSimulation<MixedPrecision>>(std::move(setup), problem, rest...);
    case Precision::double_:
      return std::make_unique<DeviceSimulation<DoublePrecision>>(std::move(setup), problem,
                                                                 rest...);
  }
  throw InputError("run.precision: unknown precision");
}

/// The problem on the grid of what a run begins with, and the memory that the largest candidate
/// takes. Where nothing can run it, the grid of the bare cutoff.
Problem as_it_begins(const SimulationSetup& setup, const Problem& bare, ProblemReport& report) {
  report.device_bytes = bytes_on_device(bare);
  if (refusal_of(setup, bare)) return bare;
  const std::vector<Candidate> candidates = candidates_for(setup, bare);
  for (const Candidate& candidate : candidates) {
    const Problem problem = problem_for(candidate, bare);
    report.device_bytes =
        std::max(report.device_bytes,
                 bytes_on_device(problem) + candidate.entry->own_bytes(problem, candidate.options));
  }
  report.skin = candidates.front().skin;
  Problem problem = problem_for(candidates.front(), bare);
  problem.largest_cell = largest_cell(problem.grid, setup.start.position);
  return problem;
}

class Api final : public DeviceApi {
 public:
  std::string kind() const override { return device_kind; }
  DeviceProperties properties() const override { return device_properties(); }
  std::string identifier() const override { return device_identifier(); }
  void wake() const noexcept override {
    try {
      const Stream any;
    } catch (const SystemError&) {
    }
  }

  std::vector<BackendInfo> backends() const override {
    std::vector<BackendInfo> infos;
    for (const BackendEntry& entry : backend_registry()) infos.push_back(entry.info);
    return infos;
  }

  std::vector<IntegratorInfo> integrators() const override {
    std::vector<IntegratorInfo> infos;
    for (const IntegratorEntry& entry : integrator_registry()) infos.push_back(entry.info);
    return infos;
  }

  std::vector<ObservableInfo> observables() const override {
    std::vector<ObservableInfo> infos;
    for (const ObservableEntry& entry : observable_registry()) infos.push_back(entry.info);
    return infos;
  }

  ProblemReport check(const SimulationSetup& setup) const override {
    const Problem bare = make_problem(setup, setup.start, properties());
    require_resolved(setup.start, bare);
    const ObservedSystem system = observed_system(setup.start, setup);
    require_observables(setup.observables, system);
    SimulationSettings with_this = setup;
    ProblemReport report;
    for (const BackendEntry& entry : backend_registry()) {
      const bool chosen = entry.info.name == setup.backend;
      with_this.backend = entry.info.name;
      with_this.options = chosen ? setup.options : default_options(entry.info);
      report.backends.push_back({entry.info, refusal_of(with_this, bare)});
    }
    const Problem problem = as_it_begins(setup, bare, report);
    report.device_bytes += bytes_of_observables(setup.observables, system);
    report.cells = {problem.grid.cells[0], problem.grid.cells[1], problem.grid.cells[2]};
    report.cell_side = problem.grid.side;
    report.cells_lower = problem.grid.lower;
    report.largest_cell = problem.largest_cell;
    report.particles_per_cell =
        static_cast<double>(problem.particles) / static_cast<double>(problem.grid.count());
    return report;
  }

  std::unique_ptr<Simulation> make(SimulationSetup setup) const override {
    const Problem problem = make_problem(setup, setup.start, properties());
    require_resolved(setup.start, problem);
    require_observables(setup.observables, observed_system(setup.start, setup));
    return make_device_simulation(std::move(setup), problem);
  }

  std::unique_ptr<Simulation> resume(SimulationSetup setup,
                                     const ExactState& state) const override {
    const Problem problem = make_problem(setup, state, properties());
    require_observables(setup.observables, observed_system(state, setup));
    return make_device_simulation(std::move(setup), problem, state);
  }
};

}  // namespace

const DeviceApi& device_api() {
  static const Api api;
  return api;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
