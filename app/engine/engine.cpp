// The time loop.
#include "app/engine/engine.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "app/engine/large_forces.hpp"
#include "core/error.hpp"
#include "neighbor/cells/unresolved.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// What is noted in one graph of a plan that rebuilds every step. Even: a step swaps the arrays
/// that particles lie in, and a graph has to leave them as it found them.
constexpr std::int32_t units_of_a_graph = 32;

/// A minimisation is looked at where this many steps are full, so that what it does after it has
/// converged does not depend on when the host happened to look.
constexpr std::int64_t steps_between_looks = 128;

std::int64_t steps_to_next(std::int64_t multiple, std::int64_t step) {
  return multiple - step % multiple;
}

}  // namespace

/// The host only enqueues. It waits where a batch ends, and, where a list is kept, once for as many
/// cycles as the batch may need.
template <class Precision>
void Engine<Precision>::run_batch(std::int32_t steps, LastStep last) {
  const Wanted wanted =
      last == LastStep::with_energies ? Wanted::forces_and_energies : Wanted::forces;
  profiler_.start();
  begin_.record(stream_);
  integrator_->begin_batch(particles_, step_, stream_);
  StepPlan<Precision> steps_to_come = plan();
  steps_to_come.begin_batch(steps - 1, carried_);
  profiler_.sample_if(profiler_.lacks_samples());
  steps_to_come.first_move();
  if (steps_to_come.rebuilds_every_step()) {
    run_units(steps, wanted);
  } else {
    run_cycles(steps, wanted);
  }
  end_.record(stream_);
  profiler_.stop(stream_);
  advance_seconds_ += end_.seconds_since(begin_);
  evaluated_ = last == LastStep::with_energies ? Evaluated::forces_and_energies : Evaluated::forces;
  carried_ = 1;
  step_ += steps;
}

template <class Precision>
void Engine<Precision>::run_units(std::int32_t steps, Wanted last) {
  enqueue_units(steps - 1);
  plan().last(last);
}

/// Those that fill no graph are launched, a few as samples of the profile; and so are the
/// first of a back end, because what is noted may neither allocate nor load a kernel: one more than
/// samples, which have other kernels. (In a trial they would be slower than what is tried.)
template <class Precision>
void Engine<Precision>::enqueue_units(std::int32_t count) {
  std::int32_t in_graphs = takes_graphs() ? count / units_of_a_graph * units_of_a_graph : 0;
  const std::int32_t first_launched = has_run_ ? 0 : Profiler::first_samples + 1;
  if (count - in_graphs < first_launched) in_graphs = std::max(0, in_graphs - units_of_a_graph);
  const std::int32_t launched = count - in_graphs;
  for (std::int32_t k = 0; k < launched; ++k) {
    profiler_.sample_if(is_next_a_sample());
    plan().unit(k);
  }
  has_run_ = has_run_ || launched > Profiler::first_samples;
  profiler_.pause();
  plan().book(launched);
  for (std::int32_t k = 0; k < in_graphs; k += units_of_a_graph) {
    graphs_.replay(graph_of(units_of_a_graph), stream_, [this] {
      for (std::int32_t unit = 0; unit < units_of_a_graph; ++unit) plan().unit(unit);
      plan().book(units_of_a_graph);
    });
  }
  profiler_.sample_if(profiler_.lacks_samples());
}

/// Cycles are enqueued ahead, as many as the batch needs if each lasts as long as those before;
/// those that come too late do nothing.
template <class Precision>
void Engine<Precision>::run_cycles(std::int32_t steps, Wanted last) {
  std::int32_t left = steps - 1;
  while (true) {
    enqueue_cycles(left);
    profiler_.sample_if(profiler_.lacks_samples());
    plan().last(last);
    const StepControl control = read_control();
    list_.longest_row = std::max<std::int64_t>(list_.longest_row, control.longest_row);
    if (control.full != 0) {
      backend_->grow_rows(control.longest_row);
      ++list_.grown;
    } else if (control.final == 0) {
      return note_rebuilds(control);
    }
    left = control.left - control.limit;
  }
}

/// A sample of the profile is a whole cycle, from rebuild to rebuild: not the first, which may
/// begin in mid-cycle, and none that the batch may end or come too late for. Where no cycle is
/// certain to be whole, the batch is: it has a cycle's share of rebuilds.
template <class Precision>
void Engine<Precision>::enqueue_cycles(std::int32_t left) {
  constexpr std::int32_t most_ahead = 64;
  if (left == 0) return;
  const std::int32_t units = units_of_a_cycle(left);
  const std::int32_t shortest = std::max(1, units - 2);
  const std::int32_t cycles = std::min(most_ahead, (left + shortest - 1) / shortest);
  const std::int32_t surely_whole = left / units;
  const bool all_sampled = surely_whole < 2 && is_next_a_sample(false);
  for (std::int32_t k = 0; k < cycles; ++k) {
    const bool sampled = all_sampled || (k > 0 && k < surely_whole && is_next_a_sample());
    profiler_.sample_if(sampled);
    if (sampled || !takes_graphs() || !has_run_) {
      plan().cycle(units, units_come_as());
      has_run_ = has_run_ || !sampled;
    } else {
      graphs_.replay(graph_of(units), stream_,
                     [this, units] { plan().cycle(units, units_come_as()); });
    }
  }
  profiler_.pause();
}

/// Of units or cycles that are launched.
template <class Precision>
bool Engine<Precision>::is_next_a_sample(bool whole) {
  return !is_choosing() && profiler_.is_next_a_sample(whole);
}

template <class Precision>
Graphs::Key Engine<Precision>::graph_of(std::int32_t units) const {
  const ParticleState<Precision>& state = particles_.state;
  return {units, state.position.x.data(), state.velocity.x.data()};
}

/// As long as the longest interval of late: what comes after a rebuild has become due waits for the
/// next cycle, and costs a launch that does nothing; in one kernel it costs nothing. So does what a
/// short batch does not want; in eights, since each length is a graph of its own.
template <class Precision>
std::int32_t Engine<Precision>::units_of_a_cycle(std::int32_t left) const {
  constexpr std::int32_t at_first = 16, most = 128, spare = 2, eight = 8;
  const std::int32_t expected = expected_interval_[active_];
  const std::int32_t for_longer_ones = units_come_as() == UnitsComeAs::one_kernel ? 1 : 0;
  const std::int32_t by_interval =
      expected == 0 ? at_first : std::min(most, expected + for_longer_ones);
  const std::int32_t wanted = (left + spare + eight - 1) / eight * eight;
  return std::min(by_interval, wanted);
}

template <class Precision>
bool Engine<Precision>::takes_graphs() const {
  if (setup_.executor == Executor::launched || !backend_->settled()) return false;
  // A graph holds the sides of cells: with a barostat it would be launched a few times at most.
  if (barostat_ && setup_.executor != Executor::graph) return false;
  return setup_.executor == Executor::graph || !device_.emulates_blocks;
}

/// One kernel was faster wherever it fits a GPU at once; an emulator gains nothing.
template <class Precision>
UnitsComeAs Engine<Precision>::units_come_as() const {
  const bool pays = !device_.emulates_blocks;
  const bool wanted =
      setup_.executor == Executor::persistent || (setup_.executor == Executor::best && pays);
  return wanted ? UnitsComeAs::one_kernel : UnitsComeAs::several_kernels;
}

template <class Precision>
StepControl Engine<Precision>::read_control() {
  return control_.download(stream_)[0];
}

template <class Precision>
void Engine<Precision>::note_rebuilds(const StepControl& control) {
  if (control.rebuilds == 0) return;
  list_.rebuilds += control.rebuilds;
  list_.steps += control.intervals;
  list_.longest = std::max<std::int64_t>(list_.longest, control.longest);
  list_.shortest = list_.shortest == 0 ? control.shortest
                                       : std::min<std::int64_t>(list_.shortest, control.shortest);
  // A graph for each new length would cost more than a unit too many: shorter ones only if by much,
  // or for good.
  constexpr std::int32_t many = 16;
  std::int32_t& expected = expected_interval_[active_];
  const std::int32_t spare = control.rebuilds < many ? expected / 8 + 1 : 0;
  const bool is_short = control.longest < expected - spare;
  if (control.longest > expected || is_short) expected = control.longest;
}

/// Until something is to be done between two steps.
template <class Precision>
std::int64_t Engine<Precision>::steps_at_once(std::int64_t steps) const {
  constexpr std::int64_t most_steps_unwatched = 1 << 20;
  std::int64_t some = std::min(steps, most_steps_unwatched);
  const std::int64_t every = setup_.zero_momentum_every.value_or(0);
  if (every > 0) some = std::min(some, steps_to_next(every, step_));
  if (is_minimisation_) some = std::min(some, steps_to_next(steps_between_looks, step_));
  if (setup_.barostat) some = std::min(some, steps_to_next(setup_.barostat->every(), step_));
  if (may_sum_quanta_) some = std::min(some, steps_to_look_at_forces(step_));
  return some;
}

template <class Precision>
void Engine<Precision>::look_at_minimisation() {
  if (!is_minimisation_ || rests_since_ || step_ % steps_between_looks != 0) return;
  rests_since_ = minimisation()->rests_since;
}

/// Where a resumed run looks later than the one before it did, it has to see as much.
template <class Precision>
bool Engine<Precision>::is_minimised() const {
  return rests_since_ && step_ >= *rests_since_ + steps_to_next(steps_between_looks, *rests_since_);
}

template <class Precision>
void Engine<Precision>::advance(std::int64_t steps, LastStep last) {
  advance_seconds_ = 0.0;
  const bool looks_at_every_step = steps == 1 || (setup_.barostat && setup_.barostat->every() == 1);
  while (steps > 0) {
    if (is_minimised() && evaluated_ != Evaluated::stored) {
      step_ += std::exchange(steps, 0);
      break;
    }
    if (looks_at_forces_at(step_, setup_)) choose_sums();
    std::int64_t some = steps_at_once(steps);
    if (is_choosing()) {
      some = std::min(some, choosing_->steps_wanted(expected_interval_[active_]));
      // A step with energies costs more: apart from the others, unless there are no others.
      const bool has_energies =
          setup_.changes_box_at(step_ + some) || (last != LastStep::forces_only && some == steps);
      if (has_energies && some > 1) --some;
    }
    steps -= some;
    const bool changes_box = setup_.changes_box_at(step_ + some);
    const LastStep last_of_batch = changes_box ? LastStep::with_energies
                                   : steps > 0 ? LastStep::forces_only
                                               : last;
    const std::int64_t before = step_, rebuilds = list_.rebuilds;
    const double seconds_before = advance_seconds_;
    run_batch(static_cast<std::int32_t>(some), last_of_batch);
    look_after_health(before);
    if (setup_.zeroes_momentum_at(step_)) {
      zero_momentum_(particles_, stream_);
      integrator_->velocities_changed(particles_, stream_);
    }
    look_at_minimisation();
    double seconds = advance_seconds_ - seconds_before;
    if (changes_box) change_box();
    if (!is_choosing()) continue;
    const bool was_wanted = last_of_batch == LastStep::forces_only || looks_at_every_step;
    if (!was_wanted) continue;
    std::int64_t made = list_.rebuilds - rebuilds;
    if (rebuild_seconds_ > 0.0) ++made;
    seconds += std::exchange(rebuild_seconds_, 0.0);
    if (!choosing_->note(seconds, some, made, expected_interval_[active_])) continue;
    adopt(choosing_->active());
  }
  choose_again_if_crowded();
  // Who takes over has evaluated forces alone.
  const bool lacks_energies = evaluated_ == Evaluated::forces;
  if (last == LastStep::with_energies && lacks_energies) evaluate(Wanted::forces_and_energies);
}

/// Throws if a particle went wrong since the last look; tells the back end how full cells are.
/// `first_step` is where the steps that binning counts began.
template <class Precision>
void Engine<Precision>::look_after_health(std::int64_t first_step) {
  health_ = binning_->health(stream_);
  if (health_.failed) {
    throw PhysicsError("step " + std::to_string(first_step + health_.failed_step) + ": particle " +
                       std::to_string(health_.failed_id) + " is lost near " +
                       place_last_seen(health_.failed_id) +
                       ": it moved by more than the box in one step, or its position is "
                       "not finite (overlapping start, or a timestep that is too long?)");
  }
  backend_->occupancy_changed(health_.largest_cell);
  // Launch shapes follow occupancy, and graphs hold them: right in any case, but slower and slower.
  const Index change = std::abs(health_.largest_cell - largest_of_graphs_);
  if (change > std::max<Index>(2, largest_of_graphs_ / 8)) {
    graphs_.forget();
    largest_of_graphs_ = health_.largest_cell;
  }
}

/// The centre of the cell in which binning left a particle that failed.
template <class Precision>
std::string Engine<Precision>::place_last_seen(ParticleId id) {
  const std::vector<ParticleId> ids = particles_.state.id.download(stream_);
  const auto row = std::find(ids.begin(), ids.end(), id) - ids.begin();
  const Index cell = particles_.state.cell.download(stream_)[static_cast<std::size_t>(row)];
  const CellCoordinates c = grid().template view<double>().coordinates(cell);
  GridPlace place{{c.x, c.y, c.z}, {}, {}};
  return text_of(position_of(grid(), place));
}

template <class Precision>
void Engine<Precision>::evaluate(Wanted wanted) {
  const std::int64_t before = allocated_bytes;
  profiler_.pause();  // not a step: leave it out of the profile
  plan().evaluate(wanted);
  backend_bytes_ += allocated_bytes - before;  // what it allocates when it first sees particles
  evaluated_ = wanted == Wanted::forces ? Evaluated::forces : Evaluated::forces_and_energies;
}

template class Engine<SinglePrecision>;
template class Engine<MixedPrecision>;
template class Engine<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
