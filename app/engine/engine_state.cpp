// The engine between batches: from a state of the host, a problem or a candidate to another.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/engine/engine.hpp"
#include "app/engine/large_forces.hpp"
#include "app/engine/simulation_problem.hpp"
#include "core/error.hpp"
#include "neighbor/cells/change_grid.hpp"
#include "neighbor/cells/exact_transfer.hpp"
#include "neighbor/cells/particle_transfer.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

std::vector<bool> list_keepers(const std::vector<Candidate>& candidates) {
  std::vector<bool> keeps;
  for (const Candidate& candidate : candidates) keeps.push_back(candidate.keeps_list());
  return keeps;
}

/// The sums of one evaluation, to the bit.
template <class Accumulator>
struct Bits {
  std::vector<Accumulator> x, y, z, energy, virial;
  bool operator==(const Bits&) const = default;
};

template <class Precision>
auto bits_of(const PairSums<Precision>& sums, Wanted wanted, Stream& stream) {
  Bits<typename Precision::Accumulator> bits{sums.force.x.download(stream),
                                             sums.force.y.download(stream),
                                             sums.force.z.download(stream),
                                             {},
                                             {}};
  if (wanted == Wanted::forces_and_energies) {
    bits.energy = sums.energy.download(stream);
    bits.virial = sums.virial.download(stream);
  }
  return bits;
}

}  // namespace

template <class Precision>
Engine<Precision>::Engine(const SimulationSettings& setup, const DeviceProperties& device)
    : setup_(setup), device_(device) {
  control_.upload(std::vector<StepControl>(1), stream_);
}

template <class Precision>
void Engine<Precision>::begin_choosing(const Problem& problem) {
  choice_before_ = choice();
  problem_ = problem;
  offer(candidates_for(setup_, problem));
  largest_at_choice_ = problem.largest_cell;
  if (!integrator_) make_integrator_of_stage();
}

template <class Precision>
void Engine<Precision>::make_integrator_of_stage() {
  const IntegratorSettings settings{setup_.timestep, problem_.box, setup_.parameters,
                                    setup_.first_step, setup_.steps};
  integrator_ = make_integrator<Precision>(find_integrator(setup_.integrator), settings);
  barostat_ = barostat_of(setup_, problem_);
}

template <class Precision>
void Engine<Precision>::begin_stage() {
  is_minimisation_ = minimisation().has_value();
  if (setup_.zero_momentum_every) zero_momentum_(particles_, stream_);
}

/// The kernels of the step are others, so no graph holds them; particles, order, list and forces
/// stay.
template <class Precision>
void Engine<Precision>::begin_stage(const StageSettings& stage) {
  integrator_->end_stage(particles_, stream_);
  static_cast<StageSettings&>(setup_) = stage;
  make_integrator_of_stage();
  graphs_.forget();
  has_run_ = false;
  rests_since_.reset();
  zero_momentum_.set_taken_energy(0.0, stream_);
  begin_stage();
  refuse_if_not_persistent();
}

template <class Precision>
double Engine<Precision>::conserved_energy(const Observation& sums) {
  return integrator_->conserved_energy(sums, stream_) + zero_momentum_.taken_energy(stream_) +
         (barostat_ ? barostat_->energy() : 0.0);
}

template <class Precision>
NamedNumbers Engine<Precision>::integrator_state() {
  NamedNumbers state = integrator_->state(stream_);
  if (setup_.zero_momentum_every) zero_momentum_.put_into(state, stream_);
  put_into(state, barostat_);
  put_forces_into(state, problem_);
  return state;
}

template <class Precision>
void Engine<Precision>::restore_integrator(NamedNumbers state) {
  zero_momentum_.take_from(state, setup_.zero_momentum_every.has_value(), stream_);
  take_from(state, barostat_);
  integrator_->restore(state, stream_);
}

template <class Precision>
void Engine<Precision>::offer(std::vector<Candidate> candidates) {
  candidates_ = std::move(candidates);
  const auto sums_quanta = [this](const Candidate& one) {
    return problem_for(one, problem_).in_quanta;
  };
  may_sum_quanta_ = std::any_of(candidates_.begin(), candidates_.end(), sums_quanta);
  // A choice by time must not change a bit: see keep_equal_bits().
  if (setup_.deterministic && candidates_.size() > 1) may_sum_quanta_ = false;
  begin_trials();
  expected_interval_.assign(candidates_.size(), 0);
}

/// Of all candidates. A device that emulates blocks is a CPU, which other programs share.
template <class Precision>
void Engine<Precision>::begin_trials() {
  choosing_.emplace(trial_candidates(candidates_), list_keepers(candidates_),
                    device_.emulates_blocks);
}

template <class Precision>
void Engine<Precision>::load(const StartState& start, const Problem& problem) {
  begin_choosing(problem);
  type_counts_ = count_types(start.types.size(), start.type);
  active_ = choosing_->active();
  lay(active_, problem_for(candidates_[active_], problem_).grid);
  upload(start, grid(), particles_, stream_);
  order_and_rebuild();
  if (candidates_.size() > 1 && setup_.deterministic) keep_equal_bits();
  evaluate(Wanted::forces_and_energies);
  look_at_forces(Wanted::forces_and_energies);
  look_after_health(step_);
  if (candidates_.size() > 1) rehearse();
  refuse_if_not_persistent();
}

/// Places as they were: binning once more could move what rounding left on a face, and the forces
/// of another evaluation may be rounded differently.
template <class Precision>
void Engine<Precision>::restore(const ExactState& state, const Problem& problem) {
  step_ = state.step;
  begin_choosing(problem);
  type_counts_ = count_types(state.types.size(), state.type);
  NamedNumbers carried = state.integrator;
  take_forces_from(carried, state, problem_);
  restore_integrator(std::move(carried));
  const CellGrid grid_of_state = grid_of(state);
  if (candidates_.size() > 1 && setup_.deterministic) {
    // Which of them have equal bits is looked up on a copy, so to say: this binning does not count.
    active_ = choosing_->active();
    lay(active_, grid_of_state);
    upload_exact(state, particles_, stream_);
    order_and_rebuild();
    keep_equal_bits();
  }
  active_ = as_it_was(state).value_or(choosing_->active());
  lay(active_, grid_of_state);
  upload_exact(state, particles_, stream_);
  evaluated_ = Evaluated::stored;
  if (!as_it_was(state)) {
    // Another kind of back end: its grid is another, and so is the rounding of what comes.
    const CellGrid wanted = problem_for(candidates_[active_], problem_).grid;
    change_grid(particles_, grid_of_state, wanted, stream_);
    lay(active_, wanted);
    order_and_rebuild();
    evaluate(Wanted::forces);
  } else {
    candidates_[active_].keeps_list() ? restore_list(state) : restore_order(state);
  }
  if (candidates_.size() > 1) rehearse();
  refuse_if_not_persistent();
  if (is_choosing() && active_ != choosing_->active()) adopt(choosing_->active());
  if (const auto now = minimisation()) {
    is_minimisation_ = true;
    rests_since_ = now->rests_since;
  }
}

/// The candidate that the state is of, as far as its list and its cells tell: with that, to the
/// bit.
template <class Precision>
std::optional<std::size_t> Engine<Precision>::as_it_was(const ExactState& state) const {
  const bool has_list = !state.reference.empty();
  const Bool3& periodic = state.box.periodic;
  const bool is_closed = periodic[0] && periodic[1] && periodic[2];
  const CellGrid grid = grid_of(state);
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    const Candidate& candidate = candidates_[k];
    if (candidate.keeps_list() != has_list || candidate.skin != state.skin) continue;
    if (!is_closed || suits(candidate, grid, problem_)) return k;
  }
  return {};
}

/// Cell by cell, as observables look at particles; forces follow.
template <class Precision>
void Engine<Precision>::restore_order(const ExactState& state) {
  binning_->restore_order(particles_, stream_);
  upload_in_order(state, particles_, stream_);
}

/// The list as it was built: of the positions of then, in the order of then. Forces and present
/// positions follow.
template <class Precision>
void Engine<Precision>::restore_list(const ExactState& state) {
  ExactState then = state;
  then.offset = state.reference;
  upload_exact(then, particles_, stream_);
  binning_->restore_order(particles_, stream_);
  plan().rebuild_backend();
  make_rows_fit();
  upload_in_order(state, particles_, stream_);
  binning_->renew_mirror(particles_, stream_);
  StepControl control = read_control();
  control.age = static_cast<std::int32_t>(state.list_age);
  control.age_before = static_cast<std::int32_t>(state.list_age_before);
  control_.upload({&control, 1}, stream_);
  carried_ = 0;
}

/// Everything that depends on grid and candidate, empty.
template <class Precision>
void Engine<Precision>::lay(std::size_t candidate, const CellGrid& grid) {
  Problem problem = problem_for(candidates_[candidate], problem_);
  problem.grid = grid;
  const OrderLasts lasts =
      candidates_[candidate].keeps_list() ? OrderLasts::while_near : OrderLasts::one_step;
  const OrderRules rules{setup_.deterministic, lasts, list_bounds(problem),
                         CellParts{problem.parts_of_a_cell}, spacing_of_coordinates(problem)};
  binning_.emplace(grid, rules, stream_);
  interaction_.emplace(setup_.potential, grid.float_uncertainty(), stream_);
  make_backend_of(candidate);
}

template <class Precision>
void Engine<Precision>::make_backend_of(std::size_t candidate) {
  Problem problem = problem_for(candidates_[candidate], problem_);
  problem.grid = grid();
  backend_.reset();
  const std::int64_t before = allocated_bytes;
  backend_ = make_backend<Precision>(*candidates_[candidate].entry, problem,
                                     candidates_[candidate].options);
  backend_bytes_ = allocated_bytes - before;
  graphs_.forget();
  has_run_ = false;
  list_ = {};
  list_.skin = candidates_[candidate].skin;
}

/// What was chosen to be tried, or for good.
template <class Precision>
void Engine<Precision>::adopt(std::size_t candidate) {
  if (candidate != active_) change_to(candidate);
  if (is_choosing()) return;
  ++choices_;
  largest_at_choice_ = health_.largest_cell;
}

/// On the same grid in the same order, if they can share these; else on another grid, where forces
/// are evaluated once more.
template <class Precision>
void Engine<Precision>::change_to(std::size_t candidate) {
  const bool same_order = !candidates_[candidate].keeps_list() &&
                          have_cells_alike(candidates_[active_], candidates_[candidate]);
  require_candidate_runs(candidates_[candidate], problem_for(candidates_[candidate], problem_),
                         step_);
  const std::int32_t interval = likely_interval(candidate);
  active_ = candidate;
  if (same_order) {
    make_backend_of(candidate);
    backend_->occupancy_changed(health_.largest_cell);
    return;
  }
  const CellGrid before = grid();
  const CellGrid wanted = problem_for(candidates_[candidate], problem_).grid;
  change_grid(particles_, before, wanted, stream_);
  lay(candidate, wanted);
  order_and_rebuild(interval);
  evaluate(Wanted::forces);
  has_run_ = true;  // what it allocates it has, and its kernels were loaded by the rehearsal
  look_after_health(step_);  // cells are others, and so is the fullest
}

/// Of its list, as it was of late, or by that of another skin; 0: nothing tells.
template <class Precision>
std::int32_t Engine<Precision>::likely_interval(std::size_t candidate) const {
  if (expected_interval_[candidate] > 0) return expected_interval_[candidate];
  const double skin = candidates_[active_].skin;
  if (skin <= 0.0) return 0;
  return static_cast<std::int32_t>(candidates_[candidate].skin / skin *
                                   expected_interval_[active_]);
}

/// Particles where they are, in order; what the back end adds; rows long enough for all partners.
/// `last_interval`: how many evaluations the list before has served, or is likely to; 0: not known.
template <class Precision>
void Engine<Precision>::order_and_rebuild(std::int32_t last_interval) {
  profiler_.pause();
  binning_->reserve(particles_, stream_);
  StepControl control;
  control.age = last_interval;
  control_.upload({&control, 1}, stream_);
  const std::int64_t before = allocated_bytes;
  plan().rebuild(0);
  backend_bytes_ += allocated_bytes - before;
  if (last_interval > 0) {
    control.longest_row = read_control().longest_row;
    control.age = 0;
    control_.upload({&control, 1}, stream_);
  }
  carried_ = 1;  // the evaluation that follows
  if (candidates_[active_].keeps_list()) make_rows_fit();
}

template <class Precision>
void Engine<Precision>::make_rows_fit() {
  std::int32_t longest = read_control().longest_row;
  while (longest > backend_->row_capacity()) {
    backend_->grow_rows(longest);
    ++list_.grown;
    plan().rebuild_backend();
    longest = read_control().longest_row;
  }
  list_.longest_row = longest;
}

/// A choice by time must not change a bit: candidates are then only those whose sums of the first
/// state have the bits of the first candidate's, which is looked up once. Lists sum in the order of
/// their last rebuild, and are left out.
template <class Precision>
void Engine<Precision>::keep_equal_bits() {
  constexpr Wanted kinds[] = {Wanted::forces, Wanted::forces_and_energies};
  std::vector<Candidate> equal;
  std::vector<Bits<typename Precision::Accumulator>> right;
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (!have_cells_alike(candidates_[k], candidates_[0])) continue;
    make_backend_of(k);
    plan().rebuild_backend();
    bool is_equal = true;
    for (std::size_t kind = 0; kind < 2; ++kind) {
      plan().evaluate(kinds[kind]);
      const auto bits = bits_of(particles_.sums, kinds[kind], stream_);
      if (k == 0) right.push_back(bits);
      is_equal = is_equal && bits == right[kind];
    }
    if (is_equal) equal.push_back(candidates_[k]);
  }
  offer(std::move(equal));
  active_ = choosing_->active();
  make_backend_of(active_);
  plan().rebuild_backend();
}

/// Loads the kernels of all candidates: loading is no part of a step, and takes longer than one.
/// Those of a list are the same for every skin.
template <class Precision>
void Engine<Precision>::rehearse() {
  const Rehearsal rehearsal;
  const Candidate* before = nullptr;
  for (const Candidate& candidate : candidates_) {
    const bool is_loaded = before != nullptr && before->entry == candidate.entry &&
                           before->options == candidate.options;
    before = &candidate;
    if (is_loaded) continue;
    const Problem problem = problem_for(candidate, problem_);
    const auto backend = make_backend<Precision>(*candidate.entry, problem, candidate.options);
    backend->rebuild(view(), stream_);
    backend->compute(view(), *interaction_, Wanted::forces, particles_.sums, stream_);
    plan_with(*backend).move_by_forces(0);
    if (candidate.keeps_list() && units_come_as() == UnitsComeAs::one_kernel) {
      plan_with(*backend).move_at_once(1);
    }
  }
}

/// What the deck names is never replaced: a cycle in one kernel where that was asked for, or none.
template <class Precision>
void Engine<Precision>::refuse_if_not_persistent() {
  if (setup_.executor != Executor::persistent) return;
  const Candidate& first = candidates_.front();
  const auto is_of_another = [&](const Candidate& c) { return c.entry != first.entry; };
  const bool is_one = std::none_of(candidates_.begin(), candidates_.end(), is_of_another);
  const Rehearsal rehearsal;
  if (is_one && !plan().rebuilds_every_step() && plan().move_at_once(1)) return;
  throw InputError(
      "run.executor: persistent takes a back end that is named and keeps a list whose rows are "
      "shared by several threads, the integrator velocity-verlet, and so few particles that all "
      "their threads run on the device at once; got " +
      (is_one ? first.entry->info.name : "auto") + ", " + setup_.integrator + " and " +
      std::to_string(particles_.count) + " particles");
}

/// What is fastest depends on how full cells are.
template <class Precision>
void Engine<Precision>::choose_again_if_crowded() {
  if (candidates_.size() == 1 || is_choosing()) return;
  const Index change = std::abs(health_.largest_cell - largest_at_choice_);
  if (change > std::max<Index>(3, largest_at_choice_ / 4)) choose_again();
}

template <class Precision>
void Engine<Precision>::choose_again() {
  if (choosing_->decided()) choice_before_ = present_choice();
  begin_trials();
  adopt(choosing_->active());
}

template <class Precision>
AutomaticChoice Engine<Precision>::present_choice() const {
  const TrialSchedule& schedule = choosing_->schedule();
  AutomaticChoice choice;
  choice.chosen = candidates_[schedule.best()].choice();
  choice.tried = static_cast<int>(schedule.tried());
  choice.choices = std::max(1, choices_);
  if (const auto second = schedule.runner_up()) {
    choice.runner_up = candidates_[*second].choice();
    choice.margin = schedule.seconds(*second) / schedule.seconds(schedule.best()) - 1.0;
  }
  return choice;
}

template <class Precision>
std::optional<AutomaticChoice> Engine<Precision>::choice() const {
  const bool has_choice = setup_.backend == "auto" || candidates_.size() > 1;
  if (!has_choice || !choosing_) return {};
  return choosing_->decided() ? present_choice() : choice_before_;
}

template <class Precision>
std::optional<ListStats> Engine<Precision>::list_stats() const {
  if (!candidate().keeps_list()) return {};
  ListStats stats = list_;
  stats.row_capacity = backend_->row_capacity();
  return stats;
}

template <class Precision>
ExactState Engine<Precision>::exact_state() {
  ExactState state = download_exact(particles_, grid(), stream_);
  state.step = step_;
  state.box = problem_.box;
  if (!candidate().keeps_list()) return state;
  const StepControl control = read_control();
  state.skin = candidate().skin;
  Vec3Buffer<typename Precision::State> reference;
  binning_->copy_reference(reference, particles_.count, stream_);
  state.reference = download_reference(reference, particles_, stream_);
  state.list_age = control.age + carried_;
  state.list_age_before = control.age_before;
  return state;
}

template class Engine<SinglePrecision>;
template class Engine<MixedPrecision>;
template class Engine<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
