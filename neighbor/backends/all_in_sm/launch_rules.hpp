// The launch rules of `all-in-sm`: how large a sub-box is, how many threads work on it, what of
// shared memory is whose. Few particles per cell, sections 5.1 and 7.1.
#pragma once

#include <algorithm>
#include <vector>

#include "neighbor/backends/all_in_sm/layout.hpp"
#include "neighbor/backends/all_in_sm/sub_box.hpp"
#include "neighbor/problem.hpp"
#include "neighbor/walks/shared_memory_option.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// The launch rules, for one problem and any MC.
template <class Pair>
class AllInSmRules {
 public:
  AllInSmRules(const Problem& problem, const BackendOptions& options)
      : problem_(problem),
        shared_bytes_(shared_memory_limit(problem, options)),
        particle_bytes_(all_in_sm_bytes<Pair>(types_of(problem.potential) > 1)),
        order_(options.at("threads") == "paper" ? TargetOrder::slots : TargetOrder::packed) {}

  std::int64_t shared_bytes() const { return shared_bytes_; }

  /// The paper's SM / (MC * bytes of a particle), what describes a cell counted in.
  std::int64_t cells_that_fit(Index largest_cell) const {
    const std::int64_t cell = slots(largest_cell) * particle_bytes_ + offset_bytes_per_cell;
    return (shared_bytes_ - offset_bytes) / cell;
  }

  /// The paper's target cells. Below 27 cells, which is refused before a run but may come about
  /// within it, one target cell is left.
  SubBoxSides paper_targets(Index largest_cell) const {
    const SubBoxSides sides =
        paper_sides_with_ghosts(std::max(cells_that_fit(largest_cell), fewest_cells_with_ghosts))
            .value();
    const SubBoxSides grid = problem_.grid.cells;
    return shrink_for(problem_.device.multiprocessors, grid,
                      cut_to_grid(without_ghosts(sides), grid));
  }

  bool fits(const SubBoxSides& targets, Index largest_cell) const {
    return cells_of(with_ghosts(targets)) <= cells_that_fit(largest_cell);
  }

  std::vector<SubBoxSides> targets_to_try(Index largest_cell) const {
    return sub_boxes_to_try(paper_targets(largest_cell), problem_.grid.cells,
                            cells_that_fit(largest_cell));
  }

  /// MC places for every cell, or as many as there are.
  AllInSmLayout layout(const SubBoxSides& targets, Index largest_cell) const {
    AllInSmLayout layout;
    layout.targets = {targets[0], targets[1], targets[2]};
    layout.slots = static_cast<Index>(slots(largest_cell));
    layout.order = order_;
    const std::int64_t left = shared_bytes_ - std::int64_t{4} * layout.offsets();
    layout.capacity = static_cast<Index>(
        std::min(cells_of(with_ghosts(targets)) * slots(largest_cell), left / particle_bytes_));
    return layout;
  }

  /// The paper: a thread for every source. Ours: for every target.
  int threads(const SubBoxSides& targets, Index largest_cell) const {
    const std::int64_t cells =
        order_ == TargetOrder::slots ? cells_of(with_ghosts(targets)) : cells_of(targets);
    const std::int64_t whole_warps =
        round_up(cells * slots(largest_cell), problem_.device.warp_size);
    return static_cast<int>(
        std::min<std::int64_t>({whole_warps, most_threads, problem_.device.max_threads}));
  }

 private:
  static constexpr int most_threads = 512;
  /// Shared memory of `offsets()`, at most: 16 bytes for a cell, and 4.
  static constexpr std::int64_t offset_bytes_per_cell = 16;
  static constexpr std::int64_t offset_bytes = 4;

  static std::int64_t slots(Index largest_cell) { return std::max<Index>(1, largest_cell); }

  Problem problem_;
  std::int64_t shared_bytes_;
  std::int64_t particle_bytes_;
  TargetOrder order_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
