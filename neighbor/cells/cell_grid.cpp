#include "neighbor/cells/cell_grid.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/in_pieces.hpp"
#include "neighbor/cells/unresolved.hpp"

namespace pencilbox {

namespace {

constexpr double max_cells_per_particle = 8.0;
constexpr double min_cells = 262144.0;
constexpr double max_cells_for_digits = 4194304.0;  // 32 MB, and a millisecond or so a step
constexpr double max_cells = 1e9;                   // an Index counts them

struct Interval {
  double lower = 0.0, length = 0.0;
};

using Stretches = std::array<Interval, 3>;

Interval extent(const std::vector<Double3>& positions, std::size_t direction) {
  double least = std::numeric_limits<double>::max();
  double most = std::numeric_limits<double>::lowest();
  for (const Double3& position : positions) {
    least = std::min(least, position[direction]);
    most = std::max(most, position[direction]);
  }
  return positions.empty() ? Interval{} : Interval{least, most - least};
}

/// Coordinates along one direction, in order.
std::vector<double> sorted_along(const std::vector<Double3>& positions, std::size_t direction) {
  std::vector<double> coordinates(positions.size());
  std::transform(positions.begin(), positions.end(), coordinates.begin(),
                 [direction](const Double3& position) { return position[direction]; });
  std::sort(coordinates.begin(), coordinates.end());
  return coordinates;
}

/// The stretch of at most this length, from particle to particle, that holds most of them.
Interval fullest_stretch(const std::vector<Double3>& positions, std::size_t direction,
                         double length) {
  const std::vector<double> x = sorted_along(positions, direction);
  std::size_t first = 0;
  std::size_t last = 0;
  for (std::size_t i = 0, j = 0; j < x.size(); ++j) {
    while (x[j] - x[i] > length) ++i;
    if (j - i <= last - first) continue;
    first = i;
    last = j;
  }
  return {x[first], x[last] - x[first]};
}

/// What a grid is to cover, and how many particles that leaves out.
struct Cover {
  Stretches stretches;
  std::size_t outside = 0;
};

/// The box's own sides where it is periodic, else what the particles occupy; and where that is
/// longer than `longest`, what most of them do: of those that are inside in the directions before,
/// so that it is one crowd that is covered.
Cover cover(const Box& box, const std::vector<Double3>& positions, double longest) {
  const bool is_open = !box.fully_periodic();
  std::vector<Double3> inside = is_open ? positions : std::vector<Double3>{};
  Cover result;
  for (std::size_t d = 0; d < 3; ++d) {
    Interval& stretch = result.stretches[d];
    stretch = {box.lower[d], box.edges[d]};
    if (box.periodic[d]) continue;
    stretch = extent(inside, d);
    if (!(stretch.length > longest)) continue;
    stretch = fullest_stretch(inside, d, longest);
    std::erase_if(inside, [&](const Double3& position) {
      return position[d] < stretch.lower || position[d] - stretch.lower > stretch.length;
    });
  }
  if (is_open) result.outside = positions.size() - inside.size();
  return result;
}

/// Ranks have whole cells, and the slowest has the most of them: cells of a long side are wider by
/// up to one in a hundred, so that ranks have as many each.
double cells_along(double length, double width) {
  constexpr double few = 200.0;
  const double all = std::max(1.0, std::floor(length / width));
  double multiple = 1.0;
  while (all >= few * multiple) multiple *= 2.0;
  return multiple * std::floor(all / multiple);
}

double number_of_cells(const Stretches& stretches, double width, double longest_open,
                       const Bool3& periodic) {
  double cells = 1.0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double length = stretches[d].length;
    cells *= cells_along(periodic[d] ? length : std::min(length, longest_open), width);
  }
  return cells;
}

double longest_open(const Stretches& stretches, const Bool3& periodic) {
  double longest = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!periodic[d]) longest = std::max(longest, stretches[d].length);
  }
  return longest;
}

/// The longest stretch of open directions for which cells of this width are few enough.
double longest_that_fits(const Stretches& stretches, const Bool3& periodic, double width,
                         double most_cells) {
  double longest = longest_open(stretches, periodic);
  while (longest > width && number_of_cells(stretches, width, longest, periodic) > most_cells) {
    longest *= 0.9;
  }
  return longest;
}

double usual_cells(std::size_t particles) {
  return std::clamp(max_cells_per_particle * static_cast<double>(particles), min_cells, max_cells);
}

CellGrid grid_over(const Stretches& stretches, const Box& box, double cutoff, std::size_t particles,
                   const Resolution& resolution) {
  const double usual = usual_cells(particles);
  const auto too_many = [&](double width) {
    const double most =
        width < resolution.fine_cell() ? usual : std::max(usual, max_cells_for_digits);
    return number_of_cells(stretches, width, longest_open(stretches, box.periodic), box.periodic) >
           most;
  };
  double width = cutoff;
  if (std::isinf(width)) {
    width = std::max({1.0, stretches[0].length, stretches[1].length, stretches[2].length});
  }
  while (too_many(width)) width *= 1.1;

  CellGrid grid;
  grid.periodic = box.periodic;
  for (std::size_t d = 0; d < 3; ++d) {
    const double cells = cells_along(stretches[d].length, width);
    grid.cells[d] = static_cast<Index>(cells);
    grid.lower[d] = stretches[d].lower;
    grid.side[d] = box.periodic[d] ? stretches[d].length / cells
                                   : std::max(width, stretches[d].length / cells);
  }
  return grid;
}

/// The shortest stretch that holds more than half of the particles, in the direction where it is
/// longest: the size of a cluster, whatever has left it.
double size_of_most(const std::vector<Double3>& positions) {
  double size = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::vector<double> x = sorted_along(positions, d);
    const std::size_t half = x.size() / 2;
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + half < x.size(); ++i) {
      shortest = std::min(shortest, x[i + half] - x[i]);
    }
    size = std::max(size, shortest);
  }
  return size;
}

/// For the one cell of what acts at any distance. Its centre has to be where most are: far from it
/// a coordinate is coarse.
Stretches stretches_of_one_cell(const Box& box, const std::vector<Double3>& positions) {
  constexpr double sizes = 100.0;  // a Plummer sphere spans 64
  const Stretches all = cover(box, positions, std::numeric_limits<double>::infinity()).stretches;
  if (positions.empty()) return all;
  const double longest = sizes * size_of_most(positions);
  if (longest == 0.0 || longest_open(all, box.periodic) <= longest) return all;
  return cover(box, positions, longest).stretches;
}

/// Of a grid with a cutoff: everything, if cells as wide as the cutoff are few enough. Else cells
/// grow until few are left outside and the arithmetic can follow those; they do not grow for
/// outliers beyond what it can resolve.
Stretches stretches_to_cover(const Box& box, double cutoff, const std::vector<Double3>& positions,
                             const Resolution& resolution) {
  constexpr std::size_t tolerated_share = 64;
  constexpr std::size_t most_outside = 1000;  // those in one border cell are all candidates
  const auto few = [&](const Cover& some, std::size_t least) {
    return some.outside <= std::max(least, positions.size() / tolerated_share);
  };
  const double most_cells = usual_cells(positions.size());
  const Stretches all = cover(box, positions, std::numeric_limits<double>::infinity()).stretches;
  for (double width = cutoff;; width *= 2.0) {
    const double longest = longest_that_fits(all, box.periodic, width, most_cells);
    if (longest_open(all, box.periodic) <= longest) return all;
    const Cover some = cover(box, positions, longest);
    const bool last = 2.0 * width > resolution.widest_cell();
    if (last) return few(some, most_outside) ? some.stretches : all;
    if (!few(some, 1)) continue;
    const CellGrid grid = grid_over(some.stretches, box, cutoff, positions.size(), resolution);
    if (!first_unresolved(grid, cutoff, places_of(grid, positions), resolution)) {
      return some.stretches;
    }
  }
}

}  // namespace

CellGrid make_cell_grid(const Box& box, double cutoff, const std::vector<Double3>& positions,
                        const Resolution& resolution) {
  const Stretches stretches = std::isinf(cutoff)
                                  ? stretches_of_one_cell(box, positions)
                                  : stretches_to_cover(box, cutoff, positions, resolution);
  return grid_over(stretches, box, cutoff, positions.size(), resolution);
}

CellGrid make_periodic_grid(const Box& box, double cutoff, std::size_t particles,
                            const Resolution& resolution) {
  Stretches sides;
  for (std::size_t d = 0; d < 3; ++d) sides[d] = {box.lower[d], box.edges[d]};
  return grid_over(sides, box, cutoff, particles, resolution);
}

CellGrid coarser_grid(const CellGrid& grid, Index factor) {
  CellGrid coarse = grid;
  for (std::size_t d = 0; d < 3; ++d) {
    coarse.cells[d] = std::max<Index>(1, grid.cells[d] / factor);
    coarse.side[d] =
        grid.side[d] * static_cast<double>(grid.cells[d]) / static_cast<double>(coarse.cells[d]);
  }
  return coarse;
}

CellGrid wider_grid(const CellGrid& grid, double width) {
  CellGrid wider = grid;
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid.side[d] >= width) continue;
    const double length = grid.side[d] * static_cast<double>(grid.cells[d]);
    const double cells = cells_along(length, width);
    wider.cells[d] = static_cast<Index>(cells);
    wider.side[d] = grid.periodic[d] ? length / cells : std::max(width, length / cells);
  }
  return wider;
}

GridPlace place(const CellGrid& grid, const Double3& position) {
  GridPlace result;
  for (std::size_t d = 0; d < 3; ++d) {
    const Index cells = grid.cells[d];
    const double length = grid.side[d] * static_cast<double>(cells);
    double inside = position[d] - grid.lower[d];
    if (grid.periodic[d]) {
      const double crossed = std::floor(inside / length);
      inside -= crossed * length;
      result.image[d] = static_cast<std::int32_t>(crossed);
    }
    const double cell =
        std::clamp(std::floor(inside / grid.side[d]), 0.0, static_cast<double>(cells - 1));
    result.cell[d] = static_cast<Index>(cell);
    result.offset[d] = inside - (cell + 0.5) * grid.side[d];
  }
  return result;
}

Double3 position_of(const CellGrid& grid, GridPlace& place) {
  Double3 position{};
  for (std::size_t d = 0; d < 3; ++d) {
    const InsideGrid inside =
        inside_grid(place.cell[d], place.offset[d], grid.side[d], grid.cells[d], grid.periodic[d]);
    place.image[d] += inside.images;
    position[d] = grid.lower[d] + inside.coordinate;
  }
  return position;
}

Index largest_cell(const CellGrid& grid, std::int64_t particles,
                   const std::function<std::array<Index, 3>(std::size_t)>& cell_of) {
  std::vector<Index> counts(static_cast<std::size_t>(grid.count()), 0);
  const GridView<double> view = grid.view<double>();
  for_each_in_pieces(particles, [&](std::size_t i) {
    const auto [x, y, z] = cell_of(i);
    const std::atomic_ref count(counts[static_cast<std::size_t>(view.linear({x, y, z}))]);
    count.fetch_add(1, std::memory_order_relaxed);
  });
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

Index largest_cell(const CellGrid& grid, const std::vector<Double3>& positions) {
  return largest_cell(grid, static_cast<std::int64_t>(positions.size()),
                      [&](std::size_t i) { return place(grid, positions[i]).cell; });
}

}  // namespace pencilbox
