// One simulation on several ranks: who makes one sees a Simulation like any other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/simulation.hpp"
#include "app/ranks/commission.hpp"
#include "app/ranks/decomposition.hpp"
#include "app/ranks/post.hpp"
#include "core/error.hpp"

namespace pencilbox {

/// A run cannot be on these ranks; `what()` is the reason alone.
class RanksRefusal : public InputError {
 public:
  using InputError::InputError;
};

/// Why this run cannot be on these ranks, in words; nothing if it can. `backends`: those that there
/// are.
std::optional<std::string> refusal_on_ranks(const SimulationSettings& setup, const CellGrid& grid,
                                            const RankGrid& ranks,
                                            const std::vector<BackendInfo>& backends);

/// The grid of so many ranks, or the one that is wanted. Throws RanksRefusal where cells are too
/// few for them.
RankGrid rank_grid_for(const CellGrid& grid, const std::optional<RankGrid>& wanted, int ranks);

/// Simulations on ranks of one device.
class RankDevice {
 public:
  virtual ~RankDevice() = default;
  virtual std::string kind() const = 0;

  /// As DeviceApi::make() and resume(), in the process of the first rank, while the others follow.
  /// Throws RanksRefusal for what refusal_on_ranks() names, with nothing posted.
  virtual std::unique_ptr<Simulation> make(SimulationSetup setup, const RankWish& wish,
                                           std::shared_ptr<Post> post) const = 0;
  virtual std::unique_ptr<Simulation> resume(SimulationSetup setup, const ExactState& state,
                                             const RankWish& wish,
                                             std::shared_ptr<Post> post) const = 0;

  /// In any other process: does its ranks' part until the simulation ends.
  virtual void follow(Commission commission, Post& post) const = 0;
};

/// In every process but that of the first rank: one simulation after the other, until there is no
/// more. Throws what the machine refuses.
void follow_the_first(Post& post);

/// Those of the devices of this build, in the same order.
const std::vector<const RankDevice*>& rank_devices();
/// The one of this kind; throws where this build has none.
const RankDevice& rank_device_of(const std::string& kind);

}  // namespace pencilbox
