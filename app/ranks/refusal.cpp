#include <fmt/format.h>

#include "app/ranks/rank_device.hpp"

namespace pencilbox {
namespace {

std::optional<std::string> refusal_of_backend(const SimulationSettings& setup,
                                              const std::vector<BackendInfo>& backends) {
  if (setup.backend == any_backend) return {};  // which takes one of those that can
  std::string taken;
  OnRanks promise = OnRanks::no;
  for (const BackendInfo& info : backends) {
    if (info.name == setup.backend) promise = info.on_ranks;
    if (info.on_ranks == OnRanks::no) continue;
    taken += (taken.empty() ? "" : ", ") + info.name;
  }
  if (promise == OnRanks::no) {
    return fmt::format("{}: not on several ranks, which take {}", setup.backend, taken);
  }
  if (setup.deterministic && promise != OnRanks::to_the_bit) {
    return setup.backend +
           ": its last bits depend on how ranks are cut, which run.deterministic rules out";
  }
  return {};
}

/// Who takes it that particles may be far outside the first and last cells of an open direction
/// alone: a rank's grid has a layer beyond these, and pairs of outliers could be missed.
bool looks_for_outliers_by_cell(const BackendInfo& info) {
  return info.has_vectors || info.name == "trimmed-rows";
}

std::optional<std::string> refusal_of_open_cuts(const SimulationSettings& setup,
                                                const CellGrid& grid, const RankGrid& ranks,
                                                const std::vector<BackendInfo>& backends) {
  for (const BackendInfo& info : backends) {
    if (info.name != setup.backend || !looks_for_outliers_by_cell(info)) continue;
    for (std::size_t d = 0; d < 3; ++d) {
      if (ranks[d] == 1 || grid.periodic[d]) continue;
      return info.name +
             ": no cuts across an open direction, allowed: run.ranks with 1 there, or " +
             "another back end";
    }
  }
  return {};
}

}  // namespace

RankGrid rank_grid_for(const CellGrid& grid, const std::optional<RankGrid>& wanted, int ranks) {
  if (wanted) return *wanted;
  if (const auto found = rank_grid_with_fewest_copies(grid.cells, ranks)) return *found;
  throw RanksRefusal(
      fmt::format("{} ranks cannot share {} x {} x {} cells, of which each needs a "
                  "box of whole ones",
                  ranks, grid.cells[0], grid.cells[1], grid.cells[2]));
}

std::optional<std::string> refusal_on_ranks(const SimulationSettings& setup, const CellGrid& grid,
                                            const RankGrid& ranks,
                                            const std::vector<BackendInfo>& backends) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (ranks[d] >= 1 && ranks[d] <= grid.cells[d]) continue;
    return fmt::format("{} in a direction of {} cells, of which each rank needs one at least",
                       ranks[d], grid.cells[d]);
  }
  if (auto reason = refusal_of_open_cuts(setup, grid, ranks, backends)) return reason;
  return refusal_of_backend(setup, backends);
}

}  // namespace pencilbox
