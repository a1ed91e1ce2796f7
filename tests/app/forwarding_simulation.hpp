// A simulation that hands everything on to another one: for doubles that change a little of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/engine/simulation.hpp"

namespace pencilbox::testing {

class ForwardingSimulation : public Simulation {
 public:
  explicit ForwardingSimulation(std::unique_ptr<Simulation> honest) : honest_(std::move(honest)) {}

  void advance(std::int64_t steps, LastStep last) override { honest_->advance(steps, last); }
  std::int64_t step() const override { return honest_->step(); }
  void begin_stage(const StageSettings& stage) override { honest_->begin_stage(stage); }
  std::optional<Minimisation> minimisation() override { return honest_->minimisation(); }
  bool is_minimised() const override { return honest_->is_minimised(); }
  void evaluate_energies() override { honest_->evaluate_energies(); }
  Observation observe() override { return honest_->observe(); }
  ExactState exact_state() override { return honest_->exact_state(); }
  Frame snapshot(const FieldSet& fields) override { return honest_->snapshot(fields); }
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
};

}  // namespace pencilbox::testing
