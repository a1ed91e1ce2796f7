// All that a run writes while it goes on, and when each is due.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/engine/simulation.hpp"
#include "io/checkpoint/generations.hpp"
#include "io/input/deck.hpp"
#include "io/output/output_directory.hpp"
#include "io/output/thermo_log.hpp"
#include "io/output/trajectory.hpp"

namespace pencilbox {

class RunOutputs {
 public:
  /// Begins them in a folder that is the run's. `particles`: box, types, ids and who is of which
  /// type; `observables` what is measured, as it begins. `resumed`: the checkpoint that the run
  /// goes on from; then what earlier parts wrote is continued from its step on, and nothing is
  /// changed if that cannot be done. Throws InputError and SystemError.
  RunOutputs(const Deck& deck, OutputDirectory directory, const StartState& particles,
             const std::vector<ObservableResult>& observables, const std::string& device,
             const FoundCheckpoint* resumed);

  const OutputDirectory& directory() const { return directory_; }

  /// What a resumed run should say of rows that are missing before `step`; empty if none is.
  std::string missing_rows(std::int64_t step) const;

  /// Does the deck ask for a row or a frame at this step, however long its last stage is?
  bool look_is_periodic(std::int64_t step) const;
  bool row_due(std::int64_t step) const;
  bool frame_due(std::int64_t step) const;
  bool checkpoint_due(std::int64_t step) const;
  /// The first step after this at which something is due.
  std::int64_t next_due(std::int64_t step) const;

  void write_row(const Observation& observation) { thermo_.append(observation); }
  void write_frame(Simulation& simulation, const Observation& observation);

  /// What observables have found up to this step: tables and pictures in place of those before, and
  /// in the trajectory beside them. A step that was written is not written once more.
  void write_observables(const std::vector<ObservableResult>& results, std::int64_t step);

  /// After all rows and frames up to its step are on the disk.
  void write_checkpoint(const Checkpoint& checkpoint);
  /// The step of the newest checkpoint, this run's or the one it goes on from.
  std::optional<std::int64_t> checkpoint_step() const { return checkpoints_.last_step(); }

  void close();

 private:
  bool is_last_of_a_stage(std::int64_t step) const;
  void open_trajectory(const StartState& particles,
                       const std::vector<ObservableResult>& observables, const std::string& device,
                       const FoundCheckpoint* resumed);

  const Deck& deck_;
  OutputDirectory directory_;
  std::optional<TrajectoryWriter> trajectory_;
  ThermoLog thermo_;
  CheckpointWriter checkpoints_;
  std::optional<std::int64_t> observables_step_;  ///< that of the last write_observables()
};

}  // namespace pencilbox
