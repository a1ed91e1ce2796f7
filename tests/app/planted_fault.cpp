// The devices of the program `pencilbox_with_a_fault`, which is app/main.cpp and all the rest as
// they are: one back end, `green`, shows a wrong force for one particle and an energy that is off
// by one part in a thousand. In place of the generated list.
#include "app/engine/simulation.hpp"
#include "tests/app/lying_simulation.hpp"

namespace pencilbox {

namespace host {
const DeviceApi& device_api();
}

namespace {

using testing::LyingSimulation;

class FaultyDevice final : public DeviceApi {
 public:
  std::string kind() const override { return honest_.kind(); }
  DeviceProperties properties() const override { return honest_.properties(); }
  std::string identifier() const override { return honest_.identifier(); }
  std::vector<BackendInfo> backends() const override { return honest_.backends(); }
  std::vector<IntegratorInfo> integrators() const override { return honest_.integrators(); }
  std::vector<ObservableInfo> observables() const override { return honest_.observables(); }
  ProblemReport check(const SimulationSetup& setup) const override { return honest_.check(setup); }

  std::unique_ptr<Simulation> make(SimulationSetup setup) const override {
    const bool lies = setup.backend == "green";
    auto simulation = honest_.make(std::move(setup));
    if (!lies) return simulation;
    return std::make_unique<LyingSimulation>(
        std::move(simulation),
        [](Frame& frame) {
          if (!frame.force.empty()) frame.force[41][1] += 3.5;
        },
        nullptr, 1.001);
  }
  std::unique_ptr<Simulation> resume(SimulationSetup setup,
                                     const ExactState& state) const override {
    return honest_.resume(std::move(setup), state);
  }

 private:
  const DeviceApi& honest_ = host::device_api();
};

}  // namespace

const std::vector<const DeviceApi*>& devices() {
  static const FaultyDevice device;
  static const std::vector<const DeviceApi*> all{&device};
  return all;
}

}  // namespace pencilbox
