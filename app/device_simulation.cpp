// The simulation on one device: THE time loop, and what the host may ask of it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "app/simulation.hpp"
#include "app/simulation_problem.hpp"
#include "app/time_all_pairs.hpp"
#include "app/time_candidates.hpp"
#include "app/time_searches.hpp"
#include "core/error.hpp"
#include "core/observables.hpp"
#include "core/profile.hpp"
#include "integrators/integrator.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/binning.hpp"
#include "neighbor/exact_transfer.hpp"
#include "neighbor/frame_gatherer.hpp"
#include "neighbor/particle_transfer.hpp"
#include "neighbor/resolution_watch.hpp"
#include "neighbor/unresolved.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// The first row that is not finite in position, velocity or force; nothing if all are.
std::optional<std::size_t> broken_row(const ExactState& state) {
  for (std::size_t i = 0; i < state.id.size(); ++i) {
    if (!state.has_finite_row(i)) return i;
  }
  return {};
}

template <class Precision>
class DeviceSimulation final : public Simulation {
 public:
  DeviceSimulation(SimulationSetup setup, const Problem& problem)
      : DeviceSimulation(std::move(setup), problem.device) {
    const StartState start = std::exchange(setup_.start, {});
    type_counts_ = count_types(start.types.size(), start.type);
    load(start, problem);
  }

  DeviceSimulation(SimulationSetup setup, const Problem& problem, const ExactState& state)
      : DeviceSimulation(std::move(setup), problem.device) {
    setup_.start = {};
    type_counts_ = count_types(state.types.size(), state.type);
    step_ = state.step;
    integrator_->restore(state.integrator);
    lay_grid(problem, state.types);
    // As they were: binning once more could move what rounding left on a face, and the forces of
    // another evaluation may be rounded differently.
    upload_exact(state, particles_, stream_);
  }

  void advance(std::int64_t steps, LastStep last) override {
    advance_seconds_ = 0.0;
    while (steps > 0) {
      const std::int64_t some = std::min(steps, most_steps_unwatched);
      steps -= some;
      run_steps(some, steps > 0 ? LastStep::forces_only : last);
      step_ += some;
      look_after_health(step_ - some);
    }
  }

  std::int64_t step() const override { return step_; }

  Observation observe() override {
    require_energies();
    Observation result = sum_observables(particles_, reduction_, stream_);
    const double volume = box_.volume();
    const auto* lennard_jones = std::get_if<LennardJonesModel>(&setup_.potential);
    if (lennard_jones != nullptr && lennard_jones->tail_correction) {
      const TailCorrection tail = tail_correction(*lennard_jones, type_counts_, volume);
      result.potential_energy += tail.energy;
      result.virial += tail.virial;
    }
    result.step = step_;
    result.time = static_cast<double>(step_) * setup_.timestep;
    const double freedom = 3.0 * static_cast<double>(particles_.count) - 3.0;
    result.temperature = freedom > 0.0 ? 2.0 * result.kinetic_energy / freedom : 0.0;
    result.pressure = box_.fully_periodic()
                          ? (2.0 * result.kinetic_energy + result.virial) / (3.0 * volume)
                          : std::numeric_limits<double>::quiet_NaN();
    if (!std::isfinite(result.total_energy() + result.virial)) report_broken_particle();
    regrid_if_spread();
    return result;
  }

  Frame snapshot(const FieldSet& fields) override { return unpack(gather(fields, sizeof(double))); }

  PackedFrame packed_snapshot(const FieldSet& fields) override {
    constexpr bool doubles = std::is_same_v<Precision, DoublePrecision>;
    return gather(fields, doubles ? sizeof(double) : sizeof(float));
  }

  double last_advance_seconds() const override { return advance_seconds_; }

  ExactState exact_state() override {
    ExactState state = download_exact(particles_, binning_->grid(), stream_);
    state.step = step_;
    state.box = box_;
    state.types = types_;
    state.integrator = integrator_->state();
    if (const auto row = broken_row(state)) {
      GridPlace place{state.cell[*row], state.offset[*row], {}};
      throw PhysicsError("step " + std::to_string(step_) + ": particle " +
                         std::to_string(state.id[*row]) + " at " +
                         text_of(position_of(binning_->grid(), place)) +
                         " has a velocity or force that is not finite (overlapping particles?)");
    }
    return state;
  }

  RegionSeconds regions() const override { return profiler_.seconds(); }
  void forget_regions() override { profiler_ = Profiler(); }

  BackendStats backend_stats() override {
    PairSums<Precision> counts;
    counts.resize(particles_.count);
    const BinnedParticles<Precision> binned = binning_->view(particles_);
    BackendStats stats;
    backend_->compute(binned, *interaction_, Wanted::forces, counts, stream_);
    stats.resources = resources_of_last_launch();  // before another kernel takes its place
    const LaunchReport report = backend_->launch_report();
    backend_->compute(binned, *interaction_, Wanted::counts, counts, stream_);
    stats.candidates_per_particle = total(counts.energy) / static_cast<double>(particles_.count);
    stats.pairs_in_range = 0.5 * total(counts.virial);
    stats.blocks = report.shape.blocks;
    stats.threads = report.shape.threads;
    stats.shared_bytes = static_cast<std::int64_t>(report.shape.shared_bytes);
    stats.device_bytes = backend_bytes_;
    stats.note = report.note;
    stats.choice = latest_choice();
    return stats;
  }

  std::int64_t device_bytes() const override { return allocated_bytes; }

 private:
  /// What was evaluated for the present positions. `stored`: forces came with a state, and
  /// particles are not binned yet.
  enum class Evaluated { stored, forces, forces_and_energies };

  DeviceSimulation(SimulationSetup setup, const DeviceProperties& device)
      : setup_(std::move(setup)),
        device_(device),
        watch_(setup_.potential),
        integrator_(make_integrator<Precision>(find_integrator(setup_.integrator),
                                               IntegratorSettings{setup_.timestep})) {}

  /// THE time loop. The host only enqueues; it reads nothing back before the last step is done.
  void run_steps(std::int64_t steps, LastStep last_step) {
    profiler_.start();
    begin_.record(stream_);
    profiler_.begin_step(step_);
    profiler_.begin(Region::integrate, stream_);
    integrator_->first_half(particles_, stream_);
    for (std::int64_t i = 1; i <= steps; ++i) {
      const bool last = i == steps;
      const bool with_energies = last && last_step == LastStep::with_energies;
      binning_->run(particles_, i, profiler_, stream_);
      evaluate(with_energies ? Wanted::forces_and_energies : Wanted::forces);
      profiler_.begin(Region::integrate, stream_);
      if (last) {
        integrator_->second_half(particles_, stream_);
      } else {
        integrator_->second_then_first_half(particles_, stream_);
      }
      profiler_.begin(Region::end, stream_);
      profiler_.begin_step(step_ + i);
    }
    end_.record(stream_);
    profiler_.stop(stream_);
    advance_seconds_ += end_.seconds_since(begin_);
  }

  PackedFrame gather(const FieldSet& fields, int float_bytes) {
    if (!gatherer_) gatherer_.emplace(particles_, stream_);
    PackedFrame frame =
        gatherer_->gather(particles_, binning_->grid(), fields, float_bytes, stream_);
    frame.step = step_;
    frame.time = static_cast<double>(step_) * setup_.timestep;
    frame.box = box_;
    return frame;
  }

  void evaluate(Wanted wanted) {
    const BinnedParticles<Precision> binned = binning_->view(particles_);
    const std::int64_t before = allocated_bytes;
    profiler_.begin(Region::prepare, stream_);
    backend_->prepare(binned, stream_);
    profiler_.begin(Region::force, stream_);
    backend_->compute(binned, *interaction_, wanted, particles_.sums, stream_);
    profiler_.begin(Region::end, stream_);
    backend_bytes_ += allocated_bytes - before;  // what it allocates when it first sees particles
    evaluated_ = wanted == Wanted::forces ? Evaluated::forces : Evaluated::forces_and_energies;
  }

  void require_energies() {
    if (evaluated_ == Evaluated::stored) {
      throw std::logic_error("a resumed simulation has to advance before it is observed");
    }
    if (evaluated_ != Evaluated::forces) return;
    profiler_.pause();  // not a step: leave it out of the profile
    evaluate(Wanted::forces_and_energies);
  }

  /// The grid of a problem, and all that depends on it alone.
  void lay_grid(const Problem& problem, const std::vector<ParticleType>& types) {
    box_ = problem.box;
    types_ = types;
    binning_.emplace(problem.grid, setup_.deterministic, stream_);
    interaction_.emplace(setup_.potential, problem.grid.float_uncertainty(), stream_);
    choice_of_last_grid_ = latest_choice();
    const std::int64_t before = allocated_bytes;
    backend_ = make_backend<Precision>(find_backend(setup_.backend), problem, setup_.options);
    backend_bytes_ = allocated_bytes - before;
  }

  /// Of a back end that chooses. While it tries on a new grid: what it chose on the last one.
  std::optional<AutomaticChoice> latest_choice() const {
    const auto choice = backend_ ? backend_->choice() : std::nullopt;
    return choice ? choice : choice_of_last_grid_;
  }

  /// Puts a state of the host on the device and evaluates it.
  void load(const StartState& start, const Problem& problem) {
    lay_grid(problem, start.types);
    upload(start, problem.grid, particles_, stream_);
    profiler_.pause();  // not a step: leave it out of the profile
    binning_->run(particles_, 0, profiler_, stream_);
    evaluate(Wanted::forces_and_energies);
    look_after_health(step_);
  }

  /// Throws if a particle went wrong since the last look; tells the back end how full cells are.
  /// `first_step` is where the steps that binning counts began.
  void look_after_health(std::int64_t first_step) {
    const BinningHealth health = binning_->health(stream_);
    if (health.failed) {
      throw PhysicsError("step " + std::to_string(first_step + health.failed_step) + ": particle " +
                         std::to_string(health.failed_id) + " is lost near " +
                         text_of(last_seen(health.failed_id)) +
                         ": it moved by more than the box in one step, or its position is "
                         "not finite (overlapping start, or a timestep that is too long?)");
    }
    backend_->occupancy_changed(health.largest_cell);
    escaped_ = health.escaped;
    watch_.look(particles_, binning_->grid(), step_, stream_);
  }

  /// The centre of the cell in which binning left a particle that failed.
  Double3 last_seen(ParticleId id) {
    const std::vector<ParticleId> ids = particles_.state.id.download(stream_);
    const auto row = std::find(ids.begin(), ids.end(), id) - ids.begin();
    const Index cell = particles_.state.cell.download(stream_)[static_cast<std::size_t>(row)];
    const CellCoordinates c = binning_->grid().template view<double>().coordinates(cell);
    GridPlace place{{c.x, c.y, c.z}, {}, {}};
    return position_of(binning_->grid(), place);
  }

  /// With open directions a grid can become too small for its particles: right, but slow, and in
  /// the end too coarse. It is kept where a new one would not help.
  void regrid_if_spread() {
    constexpr std::int64_t tolerated_share = 64;
    const bool spread = std::int64_t{escaped_} * tolerated_share > particles_.count;
    if (!spread && !watch_.wants_new_grid()) return;
    FieldSet fields;
    for (const Field field :
         {Field::position, Field::velocity, Field::image, Field::species, Field::id}) {
      fields.insert(field);
    }
    Frame frame = snapshot(fields);
    const StartState start{box_,
                           types_,
                           std::move(frame.id),
                           std::move(frame.species),
                           std::move(frame.position),
                           std::move(frame.velocity),
                           std::move(frame.image)};
    const Problem problem = make_problem(setup_, start, device_);
    if (!watch_.is_helped_by(problem.grid, start.position, escaped_)) return;
    if (find_backend(setup_.backend).refuse(problem, setup_.options)) return;
    load(start, problem);
  }

  [[noreturn]] void report_broken_particle() {
    FieldSet fields;
    for (const Field field :
         {Field::position, Field::velocity, Field::force, Field::id, Field::potential_energy}) {
      fields.insert(field);
    }
    const Frame frame = snapshot(fields);
    std::ostringstream text;
    text << "step " << step_ << ": ";
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

  template <class Value>
  double total(const Buffer<Value>& values) {
    double sum = 0.0;
    for (const Value value : values.download(stream_)) sum += static_cast<double>(value);
    return sum;
  }

  static constexpr std::int64_t most_steps_unwatched = 1 << 20;

  SimulationSetup setup_;  // its start has moved to the device
  DeviceProperties device_;
  ResolutionWatch<Precision> watch_;
  Box box_;
  std::vector<ParticleType> types_;
  std::vector<std::int64_t> type_counts_;
  Stream stream_;
  std::optional<Interaction<typename Precision::Pair>> interaction_;
  std::unique_ptr<Integrator<Precision>> integrator_;
  std::optional<Binning<Precision>> binning_;
  std::unique_ptr<Backend<Precision>> backend_;
  std::optional<AutomaticChoice> choice_of_last_grid_;
  Particles<Precision> particles_;
  Reduction reduction_;
  std::optional<FrameGatherer<Precision>> gatherer_;  // made when the first frame is asked for
  Profiler profiler_;
  Event begin_, end_;  // of the last batch of steps
  double advance_seconds_ = 0.0;
  std::int64_t step_ = 0;
  Evaluated evaluated_ = Evaluated::stored;
  Index escaped_ = 0;
  std::int64_t backend_bytes_ = 0;
};

template <class... Rest>
std::unique_ptr<Simulation> make_device_simulation(SimulationSetup setup, const Problem& problem,
                                                   const Rest&... rest) {
  const BackendEntry& entry = find_backend(setup.backend);
  if (const auto refusal = entry.refuse(problem, setup.options)) throw BackendRefusal(*refusal);
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

class Api final : public DeviceApi {
 public:
  std::string kind() const override { return device_kind; }
  DeviceProperties properties() const override { return device_properties(); }

  std::vector<BackendInfo> backends() const override {
    std::vector<BackendInfo> infos;
    for (const BackendEntry& entry : backend_registry()) infos.push_back(entry.info);
    return infos;
  }

  std::vector<std::string> integrators() const override {
    std::vector<std::string> names;
    for (const IntegratorEntry& entry : integrator_registry()) names.push_back(entry.name);
    return names;
  }

  ProblemReport check(const SimulationSetup& setup) const override {
    const Problem problem = make_problem(setup, setup.start, properties());
    require_resolved(setup.start, problem);
    ProblemReport report;
    report.cells = {problem.grid.cells[0], problem.grid.cells[1], problem.grid.cells[2]};
    report.cell_side = problem.grid.side;
    report.largest_cell = problem.largest_cell;
    report.particles_per_cell =
        static_cast<double>(problem.particles) / static_cast<double>(problem.grid.count());
    report.device_bytes = bytes_on_device(problem);
    for (const BackendEntry& entry : backend_registry()) {
      const bool chosen = entry.info.name == setup.backend;
      const BackendOptions options = chosen ? setup.options : default_options(entry.info);
      report.backends.push_back({entry.info, entry.refuse(problem, options)});
    }
    return report;
  }

  std::unique_ptr<Simulation> make(SimulationSetup setup) const override {
    const Problem problem = make_problem(setup, setup.start, properties());
    require_resolved(setup.start, problem);
    return make_device_simulation(std::move(setup), problem);
  }

  std::unique_ptr<Simulation> resume(SimulationSetup setup,
                                     const ExactState& state) const override {
    const Problem problem = make_problem(setup, state, properties());
    return make_device_simulation(std::move(setup), problem, state);
  }

  CandidateResult time_candidates(const CandidateBench& bench) const override {
    return PENCILBOX_DEVICE::time_candidates(bench);
  }
  SearchResult time_searches(const SearchBench& bench) const override {
    return PENCILBOX_DEVICE::time_searches(bench);
  }
  GravityResult time_gravity(const GravityBench& bench) const override {
    return PENCILBOX_DEVICE::time_gravity(bench);
  }
  HistogramResult time_histograms(const HistogramBench& bench) const override {
    return PENCILBOX_DEVICE::time_histograms(bench);
  }
};

}  // namespace

const DeviceApi& device_api() {
  static const Api api;
  return api;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
