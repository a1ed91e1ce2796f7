#include "app/commands/run_outputs.hpp"

#include <algorithm>
#include <utility>

#include "io/output/trajectory_files.hpp"

namespace pencilbox {

namespace {

ThermoLog open_thermo(const OutputDirectory& directory, const FoundCheckpoint* resumed) {
  if (resumed == nullptr) return ThermoLog(directory.thermo());
  return ThermoLog::resume(directory.thermo(), resumed->checkpoint.state.step);
}

}  // namespace

RunOutputs::RunOutputs(const Deck& deck, OutputDirectory directory, const StartState& particles,
                       const std::string& device, const FoundCheckpoint* resumed)
    : deck_(deck),
      directory_(std::move(directory)),
      thermo_(open_thermo(directory_, resumed)),
      checkpoints_(directory_.path(), resumed) {
  // Rows are only cut by the first append, so a trajectory that refuses leaves them as they were.
  if (deck.output.trajectory) open_trajectory(particles, device, resumed);
}

void RunOutputs::open_trajectory(const StartState& particles, const std::string& device,
                                 const FoundCheckpoint* resumed) {
  const TrajectoryHeader header{deck_.output.trajectory->fields,
                                deck_.precision,
                                PENCILBOX_VERSION,
                                resolved_yaml(deck_),
                                deck_.backend,
                                device,
                                deck_.output.trajectory->compression,
                                deck_.output.trajectory->split_every};
  const auto path = directory_.trajectory();
  // A deck may ask for frames that the parts before did not write.
  if (resumed == nullptr || trajectory_outputs(path).empty()) {
    trajectory_.emplace(path, particles, header);
  } else {
    trajectory_.emplace(
        TrajectoryWriter::resume(path, particles, header, resumed->checkpoint.state.step));
  }
}

bool RunOutputs::look_is_periodic(std::int64_t step) const {
  return step % deck_.output.thermo_every == 0 ||
         (trajectory_ && step % deck_.output.trajectory->every == 0);
}

bool RunOutputs::row_due(std::int64_t step) const {
  return step % deck_.output.thermo_every == 0 || step == deck_.steps;
}

bool RunOutputs::frame_due(std::int64_t step) const {
  return trajectory_ && (step % deck_.output.trajectory->every == 0 || step == deck_.steps);
}

bool RunOutputs::checkpoint_due(std::int64_t step) const {
  const auto every = deck_.output.checkpoint_every;
  // A run that goes on from a checkpoint leaves none of an earlier step at its end.
  if (step == deck_.steps) return every || checkpoints_.last_step();
  return every && step > 0 && step % *every == 0;
}

std::int64_t RunOutputs::next_due(std::int64_t step) const {
  const auto next = [step](std::int64_t every) { return (step / every + 1) * every; };
  std::int64_t due = std::min(deck_.steps, next(deck_.output.thermo_every));
  if (trajectory_) due = std::min(due, next(deck_.output.trajectory->every));
  if (deck_.output.checkpoint_every) due = std::min(due, next(*deck_.output.checkpoint_every));
  return due;
}

void RunOutputs::write_frame(Simulation& simulation, const Observation& observation) {
  trajectory_->append(simulation.packed_snapshot(trajectory_->frame_fields()), observation);
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
