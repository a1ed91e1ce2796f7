#include "app/commands/run_outputs.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "app/commands/program.hpp"
#include "io/input/complaint.hpp"
#include "io/input/fixed_keys.hpp"
#include "io/output/file.hpp"
#include "io/output/observable_files.hpp"
#include "io/output/trajectory_deck.hpp"
#include "io/output/trajectory_files.hpp"

namespace pencilbox {

namespace {

ThermoLog open_thermo(const Deck& deck, const OutputDirectory& directory,
                      const FoundCheckpoint* resumed) {
  const ThermoColumns columns =
      deck.has_barostat() ? ThermoColumns::of_a_box_that_changes : ThermoColumns::of_a_fixed_box;
  if (resumed == nullptr) return ThermoLog(directory.thermo(), columns);
  return ThermoLog::resume(directory.thermo(), resumed->checkpoint.state.step, columns);
}

/// The first H5MD file that an earlier part wrote: in one file or split, whatever the deck says
/// now.
std::filesystem::path first_file_there(const std::filesystem::path& path) {
  return is_there(path) ? path : split_path(path, 0);
}

/// Frames go on as they began: in as many files, and of the same run. The fields are looked at with
/// the file itself.
void require_frames_of_this_run(const Deck& deck, const std::filesystem::path& path) {
  const std::filesystem::path first = first_file_there(path);
  if (!is_there(first)) return;  // that it is gone is told where it is opened
  const bool splits = deck.output.trajectory->split_every > 0;
  const std::string replaces = "; to start anew, say --overwrite without --resume";
  if (splits == (first == path)) {
    complain(deck.place("output.trajectory.split_every"),
             "differs from the frames that are there: " + first.string(),
             std::to_string(deck.output.trajectory->split_every),
             (splits ? std::string("0, as before") : "what it was before") + replaces);
  }
  std::optional<Deck> before;
  try {
    // Under a name that is no output's: it is not this file that a run would read.
    before = parse_deck(deck_of_trajectory(first), "the deck of that run", {}, build_catalogue());
  } catch (const std::exception&) {
    return;  // of a program that wrote other decks, or damaged: told where it is opened
  }
  const auto difference = first_difference(fixed_keys(*before), fixed_keys(deck));
  if (!difference) return;
  complain(
      deck.place(difference->key), "differs from the run that wrote " + first.string(),
      difference->now.empty() ? "no such key" : difference->now,
      (difference->before.empty() ? std::string("no such key") : difference->before) + replaces);
}

}  // namespace

RunOutputs::RunOutputs(const Deck& deck, OutputDirectory directory, const StartState& particles,
                       const std::vector<ObservableResult>& observables, const std::string& device,
                       const FoundCheckpoint* resumed)
    : deck_(deck),
      directory_(std::move(directory)),
      thermo_(open_thermo(deck, directory_, resumed)),
      checkpoints_(directory_.path(), resumed) {
  // Rows are only cut by the first append, so a trajectory that refuses leaves them as they were.
  if (deck.output.trajectory) open_trajectory(particles, observables, device, resumed);
}

void RunOutputs::open_trajectory(const StartState& particles,
                                 const std::vector<ObservableResult>& observables,
                                 const std::string& device, const FoundCheckpoint* resumed) {
  const TrajectoryHeader header{deck_.output.trajectory->fields,
                                deck_.precision,
                                PENCILBOX_VERSION,
                                resolved_yaml(deck_),
                                deck_.backend,
                                device,
                                deck_.output.trajectory->compression,
                                deck_.output.trajectory->split_every,
                                observables};
  const auto path = directory_.trajectory();
  // A deck may ask for frames that the parts before did not write.
  if (resumed == nullptr || trajectory_outputs(path).empty()) {
    trajectory_.emplace(path, particles, header);
  } else {
    require_frames_of_this_run(deck_, path);
    trajectory_.emplace(
        TrajectoryWriter::resume(path, particles, header, resumed->checkpoint.state.step));
  }
}

std::string RunOutputs::missing_rows(std::int64_t step) const {
  const std::int64_t due = step / deck_.output.thermo_every * deck_.output.thermo_every;
  const std::int64_t last = thermo_.last_step();
  if (last >= due) return {};
  return directory_.thermo().string() +
         (last < 0 ? " has no row" : " has no row after that of step " + std::to_string(last)) +
         ", though the run was at step " + std::to_string(step) + ": there will be a gap";
}

bool RunOutputs::look_is_periodic(std::int64_t step) const {
  return step % deck_.output.thermo_every == 0 || deck_.changes_stage_at(step) ||
         (trajectory_ && step % deck_.output.trajectory->every == 0);
}

bool RunOutputs::row_due(std::int64_t step) const {
  return step % deck_.output.thermo_every == 0 || is_last_of_a_stage(step);
}

bool RunOutputs::frame_due(std::int64_t step) const {
  return trajectory_ && (step % deck_.output.trajectory->every == 0 || is_last_of_a_stage(step));
}

bool RunOutputs::is_last_of_a_stage(std::int64_t step) const {
  return step == deck_.steps || deck_.changes_stage_at(step);
}

bool RunOutputs::checkpoint_due(std::int64_t step) const {
  const auto every = deck_.output.checkpoint_every;
  // A run that goes on from a checkpoint leaves none of an earlier step at its end.
  if (step == deck_.steps) return every || checkpoints_.last_step();
  return every && step > 0 && step % *every == 0;
}

std::int64_t RunOutputs::next_due(std::int64_t step) const {
  const auto next = [step](std::int64_t every) { return (step / every + 1) * every; };
  const std::int64_t end_of_stage = deck_.stages[deck_.stage_at(step)].last_step();
  std::int64_t due = std::min(end_of_stage, next(deck_.output.thermo_every));
  if (trajectory_) due = std::min(due, next(deck_.output.trajectory->every));
  if (deck_.output.checkpoint_every) due = std::min(due, next(*deck_.output.checkpoint_every));
  for (const ObservableChoice& one : deck_.observables) due = std::min(due, one.next_due(step));
  return due;
}

void RunOutputs::write_frame(Simulation& simulation, const Observation& observation) {
  trajectory_->append(simulation.packed_snapshot(trajectory_->frame_fields()), observation);
}

void RunOutputs::write_observables(const std::vector<ObservableResult>& results,
                                   std::int64_t step) {
  if (results.empty() || observables_step_ == step) return;
  for (const ObservableResult& result : results) write_observable(directory_.path(), result);
  if (trajectory_) {
    trajectory_->append_results(step, deck_.time_at(step), results);
  }
  observables_step_ = step;
}

void RunOutputs::write_checkpoint(const Checkpoint& checkpoint) {
  if (trajectory_) trajectory_->wait();
  thermo_.sync();
  checkpoints_.write(checkpoint);
}

void RunOutputs::close() {
  if (trajectory_) trajectory_->close();
  thermo_.close();
}

}  // namespace pencilbox
