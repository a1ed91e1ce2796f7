// A simulation whose frames pass through somebody's hands: for what must notice a wrong force.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "app/engine/simulation.hpp"

namespace pencilbox::testing {

/// Everything as it is, but for its frames, and its energy where that is told to be off.
class LyingSimulation final : public Simulation {
 public:
  using Lie = std::function<void(Frame&)>;

  LyingSimulation(std::unique_ptr<Simulation> honest, Lie lie, std::int64_t* most_steps = nullptr,
                  double energy_factor = 1.0)
      : honest_(std::move(honest)),
        lie_(std::move(lie)),
        most_steps_(most_steps),
        energy_factor_(energy_factor) {}

  void advance(std::int64_t steps, LastStep last) override {
    honest_->advance(steps, last);
    if (most_steps_ != nullptr) *most_steps_ = std::max(*most_steps_, honest_->step());
  }
  std::int64_t step() const override { return honest_->step(); }
  void begin_stage(const StageSettings& stage) override { honest_->begin_stage(stage); }
  std::optional<Minimisation> minimisation() override { return honest_->minimisation(); }
  bool is_minimised() const override { return honest_->is_minimised(); }
  void evaluate_energies() override { honest_->evaluate_energies(); }
  Observation observe() override {
    Observation sums = honest_->observe();
    sums.potential_energy *= energy_factor_;
    return sums;
  }
  ExactState exact_state() override { return honest_->exact_state(); }
  Frame snapshot(const FieldSet& fields) override {
    Frame frame = honest_->snapshot(fields);
    lie_(frame);
    return frame;
  }
  PackedFrame packed_snapshot(const FieldSet& fields) override {
    return honest_->packed_snapshot(fields);
  }
  void sample_observables() override { honest_->sample_observables(); }
  std::vector<ObservableResult> observable_results() override {
    return honest_->observable_results();
  }
  std::vector<ObservableState> observable_states() override { return honest_->observable_states(); }
  void restore_observables(const std::vector<ObservableState>& states) override {
    honest_->restore_observables(states);
  }
  double last_advance_seconds() const override { return honest_->last_advance_seconds(); }
  RegionSeconds regions() const override { return honest_->regions(); }
  void forget_regions() override { honest_->forget_regions(); }
  BackendStats backend_stats() override { return honest_->backend_stats(); }
  NeighborStats neighbor_stats() override { return honest_->neighbor_stats(); }
  std::int64_t device_bytes() const override { return honest_->device_bytes(); }

 private:
  std::unique_ptr<Simulation> honest_;
  Lie lie_;
  std::int64_t* most_steps_;  // the latest step of all who share it
  double energy_factor_;
};

}  // namespace pencilbox::testing
