#include "app/commands/run_session.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <iostream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/deck_file.hpp"
#include "app/commands/memory_limit.hpp"
#include "app/commands/provenance.hpp"
#include "app/commands/real_units.hpp"
#include "app/commands/setup.hpp"
#include "app/commands/stopwatch.hpp"
#include "app/ranks/rank_device.hpp"
#include "core/error.hpp"
#include "io/input/fixed_keys.hpp"

namespace pencilbox {

namespace {

bool needs_blocks(const std::string& backend, const BackendOptions& options) {
  for (const BackendInfo& info : build_catalogue().backends) {
    if (info.name == backend) return needs_blocks(info, options);
  }
  return false;
}

double energy_per_particle(const Observation& sums) {
  return sums.total_energy() / static_cast<double>(sums.particles);
}

std::string ranks_text(const Simulation& simulation) {
  const RankGrid ranks = simulation.ranks();
  if (ranks == RankGrid{1, 1, 1}) return {};
  return fmt::format("{} ranks, {} x {} x {}, {}\n", ranks[0] * ranks[1] * ranks[2], ranks[0],
                     ranks[1], ranks[2],
                     simulation.is_on_first_rank_alone() ? "of which the first minimises alone"
                                                         : "letters " + simulation.exchange());
}

void note(const std::string& text) { std::cerr << "pencilbox: " << text << std::endl; }

}  // namespace

RunSession::RunSession(const RunArguments& arguments, const Deck& deck, const DeviceApi& device,
                       const Stopping& stopping, std::optional<FoundCheckpoint> resumed)
    : arguments_(arguments),
      deck_(deck),
      stopping_(stopping),
      resumed_(std::move(resumed)),
      device_(device.properties()),
      provenance_(provenance_of(device, resolved_yaml(deck))),
      stages_(deck, arguments.quiet),
      table_(rows_, {isatty(STDOUT_FILENO) == 1, wants_colour(STDOUT_FILENO),
                     [] { return terminal_width(STDOUT_FILENO); }, deck.has_barostat()}) {
  try {
    const Stopwatch stopwatch(start_seconds_);
    resumed_ ? resume(device) : start(device);
  } catch (const BackendRefusal& refusal) {
    throw InputError(refusal_text(deck_, refusal.what()));
  } catch (const ObservableRefusal& refusal) {
    throw InputError(refusal_text(deck_, refusal));
  } catch (const RanksRefusal& refusal) {
    throw InputError(deck_.place("run.ranks") + ": " + refusal.what());
  }
  const std::filesystem::path folder = outputs_->directory().path();
  if (!write_deck_file(folder, resolved_yaml(deck_)) && !arguments_.quiet) {
    note((folder / "deck.yaml").string() +
         " is not of this run and stays as it is; report.json will hold the resolved deck");
  }
}

void RunSession::start(const DeviceApi& device) {
  require_memory_for_start(deck_);
  // Beside the making of particles.
  const auto waking = std::async(std::launch::async, [&device] { device.wake(); });
  SimulationSetup setup = make_setup(deck_);
  require_memory_on_host(device, setup);
  const StartState particles = without_motion(setup.start);
  particles_ = particles.size();
  simulation_ = device.make(std::move(setup));
  last_ = simulation_->observe();
  start_ = {last_->time, energy_per_particle(*last_)};
  stopping_.end_set_up();
  outputs_.emplace(deck_, OutputDirectory::open(output_request(deck_, arguments_)), particles,
                   simulation_->observable_results(), device_.name, nullptr);
}

namespace {

/// A skin is cut down to the box, and stays what it was in the box where a run began, whatever a
/// barostat has made of that: else a run that is resumed would have another list than one in one
/// go.
void keep_skin(SimulationSetup& setup, const ExactState& state) {
  if (state.skin == 0.0) return;  // no list
  const bool was_cut = setup.skin ? state.skin < *setup.skin : setup.deterministic;
  if (was_cut) setup.skin = state.skin;
}

}  // namespace

void RunSession::resume(const DeviceApi& device) {
  ExactState& state = resumed_->checkpoint.state;
  particles_ = state.size();
  first_step_ = state.step;
  stages_.begin_at(first_step_);
  start_ = resumed_->checkpoint.start;
  SimulationSetup setup = make_setup_to_resume(deck_, state.types, state.step);
  if (deck_.has_barostat()) keep_skin(setup, state);
  require_memory_on_host(device, setup, state);
  simulation_ = device.resume(std::move(setup), state);
  simulation_->restore_observables(resumed_->checkpoint.observables);
  resumed_->checkpoint.observables.clear();
  stopping_.end_set_up();
  OutputDirectory directory = OutputDirectory::open(output_request(deck_, arguments_));
  require_still_there(*resumed_);  // nobody else can write there from here on
  outputs_.emplace(deck_, std::move(directory), without_motion(state),
                   simulation_->observable_results(), device_.name, &*resumed_);
  state = {};
  // That of the part before; without one, a run has not ended well.
  std::error_code ignored;
  std::filesystem::remove(outputs_->directory().report(), ignored);
}

int RunSession::run() {
  announce();
  Progress progress(STDERR_FILENO, progress_style(STDERR_FILENO, arguments_.quiet), first_step_,
                    deck_.steps, particles_);
  std::optional<StopReason> stopped;
  try {
    const Stopwatch stopwatch(loop_seconds_);
    stopped = run_steps(progress);
  } catch (const PhysicsError& error) {
    progress.clear();
    outputs_->close();
    const auto step = outputs_->checkpoint_step();
    if (!step) throw;
    throw PhysicsError(std::string(error.what()) + "; the checkpoint of step " +
                       std::to_string(*step) + " is kept");
  }
  progress.clear();
  outputs_->write_observables(simulation_->observable_results(), simulation_->step());
  outputs_->close();
  stages_.note(*simulation_);
  const RunReport report = finished_report(stopped);
  write_report(outputs_->directory().report(), report);
  if (!arguments_.quiet) print_summary(std::cout, report);
  if (!arguments_.quiet) print("output in " + outputs_->directory().path().string() + "\n");
  if (!stopped) return static_cast<int>(ExitCode::done);
  tell_stop(*stopped);
  return stopped->exit_code;
}

std::optional<StopReason> RunSession::run_steps(Progress& progress) {
  stages_.start_clock();
  stages_.announce();
  if (!resumed_) look(progress);
  while (simulation_->step() < deck_.steps) {
    const std::int64_t due = next_due();
    const auto stop = advance_to(due, progress);
    if (simulation_->step() == due) look(progress);
    if (!stop || simulation_->step() == deck_.steps) continue;
    if (outputs_->checkpoint_step() != simulation_->step()) {
      write_checkpoint(simulation_->exact_state());
    }
    return stop;
  }
  return {};
}

/// What has found its minimum is not looked at before the next stage begins.
std::int64_t RunSession::next_due() const {
  return simulation_->is_minimised() ? stages_.now().last_step()
                                     : outputs_->next_due(simulation_->step());
}

/// In batches that are short enough for the progress line and for a signal, and no shorter.
std::optional<StopReason> RunSession::advance_to(std::int64_t due, Progress& progress) {
  while (simulation_->step() < due) {
    advance_batch(due);
    progress.update(simulation_->step());
    if (const auto stop = stopping_.reason()) return stop;
  }
  return {};
}

void RunSession::advance_batch(std::int64_t due) {
  constexpr double seconds_between_looks = 0.25;
  // Steps that are counted alone take no time, and say nothing of what others take.
  if (simulation_->is_minimised()) {
    simulation_->advance(due - simulation_->step(), LastStep::forces_only);
    return;
  }
  const std::int64_t steps = std::min(batch_, due - simulation_->step());
  const bool energies = simulation_->step() + steps == due && outputs_->look_is_periodic(due);
  double seconds = 0.0;
  {
    const Stopwatch stopwatch(seconds);
    simulation_->advance(steps, energies ? LastStep::with_energies : LastStep::forces_only);
  }
  if (steps == batch_ && seconds < seconds_between_looks) batch_ *= 2;
  if (seconds > 2.0 * seconds_between_looks) batch_ = std::max<std::int64_t>(1, batch_ / 2);
}

/// Writes what is due at the present step. Where a stage ends, rows and frames are still its own;
/// observables and checkpoints are of the next. The look at the last step is taken after the state
/// of a checkpoint, unless the deck's intervals ask for it too: a longer run would not look there,
/// and looking may round forces differently.
void RunSession::look(Progress& progress) {
  const std::int64_t step = simulation_->step();
  const bool changes_stage = deck_.changes_stage_at(step);
  if (!changes_stage) simulation_->sample_observables();
  const bool checkpoint = outputs_->checkpoint_due(step);
  std::optional<ExactState> state;
  if (checkpoint && !outputs_->look_is_periodic(step)) state = simulation_->exact_state();
  if (outputs_->row_due(step) || outputs_->frame_due(step)) {
    simulation_->evaluate_energies();
    write_rows(observe(), progress);
  }
  if (changes_stage) {
    begin_next_stage(progress);
    simulation_->sample_observables();
  }
  if (!checkpoint) return;
  if (!state) state = simulation_->exact_state();
  write_checkpoint(std::move(*state));
}

void RunSession::begin_next_stage(Progress& progress) {
  stages_.note(*simulation_);
  start_ = {last_->time, energy_per_particle(*last_)};
  simulation_->begin_stage(settings_of(stages_.go_to_next()));
  progress.clear();
  stages_.announce();
}

Observation RunSession::observe() {
  const Stopwatch stopwatch(observe_seconds_);
  return simulation_->observe();
}

void RunSession::write_rows(const Observation& observation, Progress& progress) {
  const Stopwatch stopwatch(write_seconds_);
  last_ = observation;
  if (outputs_->row_due(observation.step)) {
    outputs_->write_row(observation);
    if (!arguments_.quiet) {
      progress.clear();
      print_row(observation);
    }
  }
  if (outputs_->frame_due(observation.step)) outputs_->write_frame(*simulation_, observation);
}

void RunSession::print_row(const Observation& observation) {
  table_.append(observation);
  print(rows_.str());
  rows_.str({});
}

void RunSession::write_checkpoint(ExactState state) {
  const Stopwatch stopwatch(write_seconds_);
  outputs_->write_observables(simulation_->observable_results(), simulation_->step());
  outputs_->write_checkpoint({std::move(state), start_, PENCILBOX_VERSION, fixed_keys(deck_),
                              simulation_->observable_states()});
}

void RunSession::announce() const {
  if (resumed_ && !resumed_->note.empty()) note(resumed_->note);  // an older state is worth a word
  if (resumed_) {
    if (const std::string gap = outputs_->missing_rows(first_step_); !gap.empty()) note(gap);
  }
  if (!arguments_.quiet) print(announcement());
}

std::string RunSession::announcement() const {
  std::string text;
  if (!deck_.title.empty()) text += deck_.title + "\n";
  text += std::to_string(particles_) + " particles, " + std::to_string(deck_.steps) +
          " steps, back end " + deck_.backend + ", " + std::string(name_of(deck_.precision)) +
          " precision, " + device_.kind + ": " + device_.name + "\n" + ranks_text(*simulation_);
  if (resumed_) {
    text += "going on at step " + std::to_string(first_step_) + ", from " +
            resumed_->path.string() + "\n";
  }
  text += real_units_text(deck_);
  if (device_.emulates_blocks && needs_blocks(deck_.backend, deck_.options)) {
    text += "note: on the host, " + deck_.backend +
            " runs on the block emulator, which is for tests, not for speed\n";
  }
  return text;
}

void RunSession::tell_stop(const StopReason& reason) const {
  if (arguments_.quiet) return;
  note("stopped by " + reason.text + " at step " + std::to_string(simulation_->step()) + " of " +
       std::to_string(deck_.steps) +
       ", checkpoint written; the same command with --resume goes on");
}

RunReport RunSession::finished_report(const std::optional<StopReason>& stopped) {
  RunReport report;
  report.particles = particles_;
  report.steps = simulation_->step() - first_step_;
  report.first_step = first_step_;
  if (stopped) report.stopped = stopped->text;
  report.seconds = loop_seconds_;
  report.start_seconds = start_seconds_;
  report.device_bytes = simulation_->device_bytes();
  report.backend = deck_.backend;
  report.options = deck_.options;
  report.device = device_;
  report.precision = deck_.precision;
  report.deterministic = deck_.deterministic;
  report.ranks = simulation_->ranks();
  report.exchange = simulation_->exchange();
  if (!report.exchange.empty()) report.load = simulation_->rank_load();
  report.integrator = stages_.now().integrator;
  report.stages = stages_.reports();
  report.regions = simulation_->regions();
  report.regions.observe = observe_seconds_;
  report.regions.write = write_seconds_;
  report.backend_stats = simulation_->backend_stats();
  report.neighbors = simulation_->neighbor_stats();
  report.observables = simulation_->observable_results();
  const bool conserves = !stages_.reports().back().minimisation;
  if (conserves && last_ && last_->time > start_.time) {
    report.energy_drift =
        (energy_per_particle(*last_) - start_.total_energy) / (last_->time - start_.time);
  }
  report.versions = library_versions();
  report.versions["pencilbox"] = PENCILBOX_VERSION;
  report.provenance = provenance_;
  report.deck = resolved_yaml(deck_);
  return report;
}

}  // namespace pencilbox
