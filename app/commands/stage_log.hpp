// Which stage of its deck a run is in, and what is told of those that it was in: a line where one
// begins and one where it ends, and their reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/engine/simulation.hpp"
#include "io/input/deck.hpp"
#include "io/output/report.hpp"

namespace pencilbox {

class StageLog {
 public:
  /// The deck outlives the log. `quiet`: it prints nothing.
  StageLog(const Deck& deck, bool quiet) : deck_(deck), quiet_(quiet) {}

  /// In which this part of a run begins.
  void begin_at(std::int64_t step);

  const DeckStage& now() const { return deck_.stages[stage_]; }

  /// Its time counts from here on.
  void start_clock();
  void announce() const;

  /// The present stage ends here, or is interrupted.
  void note(Simulation& simulation);
  /// Behind note(): the stage that follows.
  const DeckStage& go_to_next();

  /// Of the stages that this part was in.
  const std::vector<StageReport>& reports() const { return reports_; }

 private:
  const Deck& deck_;
  bool quiet_;
  std::size_t stage_ = 0;
  std::int64_t first_step_ = 0;  ///< of this part
  double began_ = 0.0;           ///< seconds of a steady clock
  std::vector<StageReport> reports_;
};

}  // namespace pencilbox
