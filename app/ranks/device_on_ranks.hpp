// A device like any other, whose simulations run on ranks: of who asks it, nobody has to know.
#pragma once

#include <memory>

#include "app/ranks/rank_device.hpp"

namespace pencilbox {

class DeviceOnRanks final : public DeviceApi {
 public:
  DeviceOnRanks(const DeviceApi& one, const RankWish& wish, std::shared_ptr<Post> post);

  std::string kind() const override { return one_.kind(); }
  DeviceProperties properties() const override { return one_.properties(); }
  std::string identifier() const override { return one_.identifier(); }
  std::vector<BackendInfo> backends() const override { return one_.backends(); }
  std::vector<IntegratorInfo> integrators() const override { return one_.integrators(); }
  std::vector<ObservableInfo> observables() const override { return one_.observables(); }
  ProblemReport check(const SimulationSetup& setup) const override { return one_.check(setup); }

  std::unique_ptr<Simulation> make(SimulationSetup setup) const override {
    return ranks_.make(std::move(setup), wish_, post_);
  }
  std::unique_ptr<Simulation> resume(SimulationSetup setup,
                                     const ExactState& state) const override {
    return ranks_.resume(std::move(setup), state, wish_, post_);
  }

 private:
  const DeviceApi& one_;
  const RankDevice& ranks_;
  RankWish wish_;
  std::shared_ptr<Post> post_;
};

}  // namespace pencilbox
