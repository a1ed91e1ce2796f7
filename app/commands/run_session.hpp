// One run of a deck, or one part of it where it was stopped and resumed: the simulation is advanced
// from one due output to the next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>

#include "app/commands/program.hpp"
#include "app/commands/run_outputs.hpp"
#include "app/commands/stage_log.hpp"
#include "app/commands/stopping.hpp"
#include "io/output/progress.hpp"
#include "io/output/report.hpp"

namespace pencilbox {

class RunSession {
 public:
  /// Makes the simulation, then the outputs: a start that is broken leaves no file behind, and a
  /// back end that refuses leaves what is there. Everything outlives the session. `resumed`: what
  /// it goes on from, if it does.
  RunSession(const RunArguments& arguments, const Deck& deck, const DeviceApi& device,
             const Stopping& stopping, std::optional<FoundCheckpoint> resumed);

  /// Runs to the last step, or until it is told to stop, and returns the program's exit code.
  /// Throws PhysicsError and SystemError; rows, frames and checkpoints before stay, readable.
  int run();

 private:
  void start(const DeviceApi& device);
  void resume(const DeviceApi& device);

  void announce() const;
  std::string announcement() const;
  std::optional<StopReason> run_steps(Progress& progress);
  std::optional<StopReason> advance_to(std::int64_t due, Progress& progress);
  void advance_batch(std::int64_t due);
  void look(Progress& progress);
  std::int64_t next_due() const;
  void begin_next_stage(Progress& progress);
  void write_checkpoint(ExactState state);
  Observation observe();
  void write_rows(const Observation& observation, Progress& progress);

  RunReport finished_report(const std::optional<StopReason>& stopped);
  void print_row(const Observation& observation);
  void tell_stop(const StopReason& reason) const;

  const RunArguments& arguments_;
  const Deck& deck_;
  const Stopping& stopping_;
  std::optional<FoundCheckpoint> resumed_;  ///< without its state once that is on the device
  DeviceProperties device_;
  Provenance provenance_;
  std::int64_t particles_ = 0;
  std::int64_t first_step_ = 0;
  StageLog stages_;
  std::unique_ptr<Simulation> simulation_;
  std::optional<RunOutputs> outputs_;
  std::ostringstream rows_;  // of the table, on their way to stdout
  ThermoTable table_;
  RunStart start_;                   ///< of the stage
  std::optional<Observation> last_;  ///< of this part
  double start_seconds_ = 0.0;
  double loop_seconds_ = 0.0;
  double observe_seconds_ = 0.0;
  double write_seconds_ = 0.0;
  std::int64_t batch_ = 1;
};

}  // namespace pencilbox
