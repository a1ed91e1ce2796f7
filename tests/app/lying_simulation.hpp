// A simulation whose frames pass through somebody's hands: for what must notice a wrong force.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "tests/app/forwarding_simulation.hpp"

namespace pencilbox::testing {

/// Everything as it is, but for its frames, and its energy where that is told to be off.
class LyingSimulation final : public ForwardingSimulation {
 public:
  using Lie = std::function<void(Frame&)>;

  LyingSimulation(std::unique_ptr<Simulation> honest, Lie lie, std::int64_t* most_steps = nullptr,
                  double energy_factor = 1.0)
      : ForwardingSimulation(std::move(honest)),
        lie_(std::move(lie)),
        most_steps_(most_steps),
        energy_factor_(energy_factor) {}

  void advance(std::int64_t steps, LastStep last) override {
    ForwardingSimulation::advance(steps, last);
    if (most_steps_ != nullptr) *most_steps_ = std::max(*most_steps_, step());
  }
  Observation observe() override {
    Observation sums = ForwardingSimulation::observe();
    sums.potential_energy *= energy_factor_;
    return sums;
  }
  Frame snapshot(const FieldSet& fields) override {
    Frame frame = ForwardingSimulation::snapshot(fields);
    lie_(frame);
    return frame;
  }

 private:
  Lie lie_;
  std::int64_t* most_steps_;  // the latest step of all who share it
  double energy_factor_;
};

}  // namespace pencilbox::testing
