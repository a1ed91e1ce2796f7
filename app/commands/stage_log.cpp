#include "app/commands/stage_log.hpp"

#include <algorithm>
#include <string>

#include "app/commands/program.hpp"
#include "io/output/progress.hpp"

namespace pencilbox {

void StageLog::begin_at(std::int64_t step) {
  first_step_ = step;
  stage_ = deck_.stage_at(step);
}

void StageLog::start_clock() { began_ = Progress::steady_seconds(); }

void StageLog::announce() const {
  if (quiet_ || now().name.empty()) return;
  print("stage " + std::to_string(stage_ + 1) + " of " + std::to_string(deck_.stages.size()) +
        ", " + now().name + ": " + now().integrator + (now().barostat ? " with a barostat" : "") +
        ", steps " + std::to_string(now().first_step) + " to " + std::to_string(now().last_step()) +
        "\n");
}

void StageLog::note(Simulation& simulation) {
  const std::int64_t first = std::max(first_step_, now().first_step);
  const double seconds = Progress::steady_seconds();
  reports_.push_back({now().name, now().integrator, now().timestep, first, simulation.step(),
                      seconds - began_, simulation.minimisation(),
                      now().barostat ? now().barostat->type : std::string(),
                      simulation.is_on_first_rank_alone()});
  began_ = seconds;
  if (!quiet_ && !now().name.empty()) print(in_words(reports_.back()) + "\n");
}

const DeckStage& StageLog::go_to_next() {
  ++stage_;
  return now();
}

}  // namespace pencilbox
