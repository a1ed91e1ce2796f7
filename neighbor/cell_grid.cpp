#include "neighbor/cell_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pencilbox {

namespace {

constexpr double max_cells_per_particle = 8.0;
constexpr double min_cells = 262144.0;
constexpr double max_cells = 1e9;  // an Index counts them

struct Interval {
  double lower = 0.0, length = 0.0;
};

/// The box's own side where it is periodic, else what the particles occupy.
Interval extent(const Box& box, const std::vector<Double3>& positions, std::size_t direction) {
  if (box.periodic[direction]) return {box.lower[direction], box.edges[direction]};
  double least = std::numeric_limits<double>::max();
  double most = std::numeric_limits<double>::lowest();
  for (const Double3& position : positions) {
    least = std::min(least, position[direction]);
    most = std::max(most, position[direction]);
  }
  return positions.empty() ? Interval{} : Interval{least, most - least};
}

double cells_along(double length, double width) {
  return std::max(1.0, std::floor(length / width));
}

}  // namespace

CellGrid make_cell_grid(const Box& box, double cutoff, const std::vector<Double3>& positions) {
  const std::array<Interval, 3> extents{extent(box, positions, 0), extent(box, positions, 1),
                                        extent(box, positions, 2)};
  const double most_cells = std::clamp(
      max_cells_per_particle * static_cast<double>(positions.size()), min_cells, max_cells);
  const auto number_of_cells = [&extents](double width) {
    return cells_along(extents[0].length, width) * cells_along(extents[1].length, width) *
           cells_along(extents[2].length, width);
  };
  double width = cutoff;
  if (std::isinf(width)) {
    width = std::max({1.0, extents[0].length, extents[1].length, extents[2].length});
  }
  while (number_of_cells(width) > most_cells) width *= 1.1;

  CellGrid grid;
  grid.periodic = box.periodic;
  for (std::size_t d = 0; d < 3; ++d) {
    const double cells = cells_along(extents[d].length, width);
    grid.cells[d] = static_cast<Index>(cells);
    grid.lower[d] = extents[d].lower;
    grid.side[d] =
        box.periodic[d] ? extents[d].length / cells : std::max(width, extents[d].length / cells);
  }
  return grid;
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

Index largest_cell(const CellGrid& grid, const std::vector<Double3>& positions) {
  std::vector<Index> counts(static_cast<std::size_t>(grid.count()), 0);
  const GridView<double> view = grid.view<double>();
  for (const Double3& position : positions) {
    const auto cell = place(grid, position).cell;
    ++counts[static_cast<std::size_t>(view.linear({cell[0], cell[1], cell[2]}))];
  }
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

}  // namespace pencilbox
