#include "app/ranks/first_rank_alone.hpp"

#include <utility>

#include "app/ranks/stand_in.hpp"
#include "core/device/host/threads.hpp"

namespace pencilbox {
namespace {

constexpr const char* alone_in_words = "on the first rank alone";

class ByStages final : public StandIn {
 public:
  ByStages(SimulationSetup setup, const DoneBy& by) : ByStages(by, setup) {
    begin_with(maker().make(std::move(setup)));
  }
  ByStages(const SimulationSetup& setup, const ExactState& state, const DoneBy& by)
      : ByStages(by, setup) {
    begin_with(maker().resume(setup, state));
  }
  ~ByStages() override { share_cores(false); }
  ByStages(const ByStages&) = delete;
  ByStages& operator=(const ByStages&) = delete;

  /// Whoever is alone begins the stage, or ends it, as one rank does: what is handed over is what a
  /// checkpoint there would hold.
  void begin_stage(const StageSettings& stage) override {
    const bool is_alone_then = is_for_first_rank_alone(stage);
    if (is_alone_then && !is_alone_) hand_over_to(true);
    StandIn::begin_stage(stage);
    if (is_alone_ && !is_alone_then) hand_over_to(false);
  }

  RankGrid ranks() const override { return is_alone_ ? by_.ranks : one().ranks(); }
  std::string exchange() const override { return is_alone_ ? exchange_ : one().exchange(); }
  bool is_on_first_rank_alone() const override { return is_alone_; }
  BackendStats backend_stats() override {
    BackendStats stats = one().backend_stats();
    if (is_alone_) stats.note += (stats.note.empty() ? "" : "; ") + std::string(alone_in_words);
    return stats;
  }

 private:
  ByStages(const DoneBy& by, const SimulationSettings& setup)
      : StandIn(setup), by_(by), is_alone_(is_for_first_rank_alone(setup)) {
    share_cores(is_alone_);
  }

  const SimulationMaker& maker() const { return is_alone_ ? by_.first_rank : by_.all_ranks; }

  void hand_over_to(bool first_rank) {
    exchange_ = exchange();
    is_alone_ = first_rank;
    share_cores(first_rank);
    change(maker(), setup());
  }

  /// Who waits leaves its cores to who does not.
  void share_cores(bool is_alone) const {
    if (!by_.post->has_other_processes()) return;
    host::share_cores(is_alone ? 1 : by_.post->node_place().ranks);
  }

  DoneBy by_;
  bool is_alone_;
  std::string exchange_;  ///< of all, of late
};

}  // namespace

bool is_for_first_rank_alone(const StageSettings& stage) { return stage.integrator == "fire"; }

std::unique_ptr<Simulation> make_by_stages(SimulationSetup setup, const DoneBy& by) {
  return std::make_unique<ByStages>(std::move(setup), by);
}

std::unique_ptr<Simulation> resume_by_stages(const SimulationSetup& setup, const ExactState& state,
                                             const DoneBy& by) {
  return std::make_unique<ByStages>(setup, state, by);
}

}  // namespace pencilbox
