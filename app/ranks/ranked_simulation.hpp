// One simulation on several ranks: who makes one sees a Simulation like any other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/simulation.hpp"
#include "app/ranks/decomposition.hpp"

namespace pencilbox {

/// Why this run cannot be on these ranks, in words; nothing if it can. `backends`: those that there
/// are.
std::optional<std::string> refusal_on_ranks(const SimulationSettings& setup, const CellGrid& grid,
                                            const RankGrid& ranks,
                                            const std::vector<BackendInfo>& backends);

/// Simulations on ranks of one device.
class RankDevice {
 public:
  virtual ~RankDevice() = default;
  virtual std::string kind() const = 0;

  /// As DeviceApi::make() and resume(), on ranks that all live in this process and take turns.
  /// Throws InputError for what refusal_on_ranks() names, or where cells are too few for the ranks.
  virtual std::unique_ptr<Simulation> make(SimulationSetup setup, const RankGrid& ranks) const = 0;
  virtual std::unique_ptr<Simulation> resume(SimulationSetup setup, const ExactState& state,
                                             const RankGrid& ranks) const = 0;
};

/// Those of the devices of this build, in the same order.
const std::vector<const RankDevice*>& rank_devices();

}  // namespace pencilbox
