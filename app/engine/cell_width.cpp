#include "app/engine/cell_width.hpp"

#include <algorithm>
#include <cmath>

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// So wide that this many particles are in each in the mean [sigma].
double width_for_a_crowd(const Problem& problem, double particles) {
  return std::cbrt(particles * volume_of(problem) / problem.particles);
}

/// What it takes to begin with a cell, which in a gas is most of the work, is shared by as many.
/// But no wider than so many reaches: coordinates in floats are relative to a cell.
double width_for_vectors(const Problem& problem, double reach) {
  constexpr double crowd = 20.0;
  constexpr double most_reaches = 4.0;
  return std::clamp(width_for_a_crowd(problem, crowd), reach, most_reaches * reach);
}

/// Whether no cell of the start has more particles than cells of the same mean have by chance. A
/// few are no crowd, however thin a gas is.
bool is_evenly_filled(const Problem& problem) {
  constexpr double few = 9.0;
  const double mean = static_cast<double>(problem.particles) / problem.grid.count();
  const double by_chance = mean + 6.0 * std::sqrt(mean) + 3.0;
  return problem.largest_cell > 0 && problem.largest_cell <= std::max(few, by_chance);
}

/// Between these widths the widest that leaves no more than a crowd in a cell in the mean: a side
/// takes a whole number of cells, so in a small box they are wider than asked for. A side that has
/// three keeps three: of fewer, a periodic one would be looked through more than once.
double width_of_whole_cells(const Problem& problem, double crowd, double least, double most) {
  constexpr double step = 0.995;
  constexpr Index all_around = 3;
  const CellGrid narrow = wider_grid(problem.grid, least);
  const auto are_too_wide = [&](const CellGrid& grid) {
    if (problem.particles > crowd * grid.count()) return true;
    for (std::size_t d = 0; d < 3; ++d) {
      if (grid.cells[d] < std::min(all_around, narrow.cells[d])) return true;
    }
    return false;
  };
  double width = std::min(width_for_a_crowd(problem, crowd), most);
  while (width > least && are_too_wide(wider_grid(problem.grid, width))) width *= step;
  return std::max(width, least);
}

/// By so many reaches at most, since a gas may condense, and where a device has enough cells left
/// for each multiprocessor. The bits of a deterministic run must not depend on how its start
/// looked.
double width_if_it_pays(const Problem& problem, double crowd, double reach, double most_reaches) {
  constexpr double cells_of_a_multiprocessor = 5.0;
  if (problem.deterministic || !is_evenly_filled(problem)) return reach;
  const double width = width_of_whole_cells(problem, crowd, reach, most_reaches * reach);
  const double fewest = cells_of_a_multiprocessor * problem.device.multiprocessors;
  return wider_grid(problem.grid, width).count() < fewest ? reach : width;
}

/// The last cluster of a cell lacks a target and a half in the mean, so clusters want cells with
/// more particles than a reach has; but no more than a warp has lanes, so that it looks once at
/// what is around them (docs/results/2026-11-29-h200-wide-cells.md).
double width_for_clusters(const Problem& problem, double reach) {
  return width_if_it_pays(problem, 28.0, reach, 1.5);
}

/// Where a cell of the cutoff has a particle or two, most of the work is to look up cells
/// (docs/results/2026-11-29-h200-which-wins-where.md).
double width_for_a_gas(const Problem& problem, double crowd, double cutoff) {
  constexpr double most_reaches = 2.5;
  if (crowd == 0.0 || std::isinf(cutoff)) return 0.0;
  const double in_a_cell = problem.particles * cutoff * cutoff * cutoff / volume_of(problem);
  if (2.0 * in_a_cell > crowd) return 0.0;
  return width_if_it_pays(problem, crowd, cutoff, most_reaches);
}

}  // namespace

double least_cell_width(const Candidate& candidate, const Problem& problem) {
  const BackendInfo& info = candidate.entry->info;
  const double reach = cutoff_of(problem.potential) + candidate.skin;
  if (info.has_vectors) return width_for_vectors(problem, reach);
  if (!candidate.keeps_list()) return width_for_a_gas(problem, info.crowd, reach);
  return info.has_clusters ? width_for_clusters(problem, reach) : reach;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
