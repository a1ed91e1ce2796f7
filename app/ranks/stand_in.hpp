// A simulation that is now one and now another: whichever it is hears what is asked.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ranks/simulation_maker.hpp"

namespace pencilbox {

class StandIn : public Simulation {
 public:
  void advance(std::int64_t steps, LastStep last) override { one_->advance(steps, last); }
  std::int64_t step() const override { return one_->step(); }
  void begin_stage(const StageSettings& stage) override {
    one_->begin_stage(stage);
    static_cast<StageSettings&>(setup_) = stage;
  }
  std::optional<Minimisation> minimisation() override { return one_->minimisation(); }
  bool is_minimised() const override { return one_->is_minimised(); }
  void evaluate_energies() override { one_->evaluate_energies(); }
  Observation observe() override { return one_->observe(); }
  ExactState exact_state() override { return one_->exact_state(); }
  Frame snapshot(const FieldSet& fields) override { return one_->snapshot(fields); }
  PackedFrame packed_snapshot(const FieldSet& fields) override {
    return one_->packed_snapshot(fields);
  }
  void sample_observables() override { one_->sample_observables(); }
  std::vector<ObservableResult> observable_results() override { return one_->observable_results(); }
  std::vector<ObservableState> observable_states() override { return one_->observable_states(); }
  void restore_observables(const std::vector<ObservableState>& states) override {
    one_->restore_observables(states);
  }
  double last_advance_seconds() const override { return one_->last_advance_seconds(); }
  RegionSeconds regions() const override {
    RegionSeconds all = past_regions_;
    all += one_->regions();
    return all;
  }
  void forget_regions() override {
    past_regions_ = {};
    one_->forget_regions();
  }
  BackendStats backend_stats() override { return one_->backend_stats(); }
  NeighborStats neighbor_stats() override { return one_->neighbor_stats(); }
  std::int64_t device_bytes() const override { return one_->device_bytes(); }
  std::array<int, 3> ranks() const override { return one_->ranks(); }
  std::string exchange() const override { return one_->exchange(); }
  std::vector<double> busy_seconds() override { return one_->busy_seconds(); }
  std::optional<RankLoad> rank_load() override { return one_->rank_load(); }
  bool is_on_first_rank_alone() const override { return one_->is_on_first_rank_alone(); }

 protected:
  StandIn() = default;
  /// `setup`: of the stage that it begins in.
  explicit StandIn(SimulationSettings setup) : setup_(std::move(setup)) {}

  void begin_with(std::unique_ptr<Simulation> one) { one_ = std::move(one); }

  /// From who it is to another, after that: two at once might not fit.
  void change(const SimulationMaker& maker, const SimulationSettings& setup) {
    const ExactState state = one_->exact_state();
    const std::vector<ObservableState> observed = one_->observable_states();
    past_regions_ += one_->regions();
    one_.reset();
    one_ = maker.resume({setup, {}}, state);
    one_->restore_observables(observed);
  }

  Simulation& one() { return *one_; }
  const Simulation& one() const { return *one_; }
  const SimulationSettings& setup() const { return setup_; }

 private:
  SimulationSettings setup_;  ///< of now
  std::unique_ptr<Simulation> one_;
  RegionSeconds past_regions_;  ///< of those that it was before
};

}  // namespace pencilbox
