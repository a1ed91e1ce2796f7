#include "app/ranks/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/ranks/rank_device.hpp"

namespace pencilbox {
namespace {

/// Sums over boxes of cells, of what each cell has.
class SumsOverBoxes {
 public:
  SumsOverBoxes(const std::array<Index, 3>& cells, const std::vector<double>& of_cell)
      : cells_(cells), sums_(at(0, 0, cells[2] + 1)) {
    for (Index z = 0; z < cells[2]; ++z) {
      for (Index y = 0; y < cells[1]; ++y) {
        double row = 0.0;
        for (Index x = 0; x < cells[0]; ++x) {
          row += of_cell[(static_cast<std::size_t>(z) * static_cast<std::size_t>(cells[1]) +
                          static_cast<std::size_t>(y)) *
                             static_cast<std::size_t>(cells[0]) +
                         static_cast<std::size_t>(x)];
          sums_[at(x + 1, y + 1, z + 1)] = row + sums_[at(x + 1, y, z + 1)] +
                                           sums_[at(x + 1, y + 1, z)] - sums_[at(x + 1, y, z)];
        }
      }
    }
  }

  double all() const { return inside({0, 0, 0}, cells_); }

  /// Of the cells from `begin` on that lie before `end`.
  double inside(const std::array<Index, 3>& begin, const std::array<Index, 3>& end) const {
    double sum = 0.0;
    for (unsigned corner = 0; corner < 8; ++corner) {
      const auto of = [&](std::size_t d) { return (corner >> d & 1U) != 0 ? begin[d] : end[d]; };
      const bool is_taken_off = ((corner ^ corner >> 1 ^ corner >> 2) & 1U) != 0;
      const double part = sums_[at(of(0), of(1), of(2))];
      sum += is_taken_off ? -part : part;
    }
    return sum;
  }

  /// Of all cells with this coordinate.
  std::vector<double> slices(std::size_t direction) const {
    std::vector<double> all;
    for (Index k = 0; k < cells_[direction]; ++k) {
      std::array<Index, 3> begin{}, end = cells_;
      begin[direction] = k;
      end[direction] = k + 1;
      all.push_back(inside(begin, end));
    }
    return all;
  }

 private:
  std::size_t at(Index x, Index y, Index z) const {
    const auto wide = static_cast<std::size_t>(cells_[0]) + 1;
    const auto high = static_cast<std::size_t>(cells_[1]) + 1;
    return (static_cast<std::size_t>(z) * high + static_cast<std::size_t>(y)) * wide +
           static_cast<std::size_t>(x);
  }

  std::array<Index, 3> cells_;
  std::vector<double> sums_;
};

/// The 27 cells around this one and itself; where the box is periodic, images of these too.
template <class Visit>
void for_each_around(const CellGrid& grid, const CellCoordinates& cell, const Visit& visit) {
  const std::array<Index, 3> at{cell.x, cell.y, cell.z};
  for (int which = 0; which < 27; ++which) {
    const std::array<Index, 3> step{which % 3 - 1, which / 3 % 3 - 1, which / 9 - 1};
    std::array<Index, 3> other{};
    bool is_there = true;
    for (std::size_t d = 0; d < 3; ++d) {
      other[d] = at[d] + step[d];
      const bool is_outside = other[d] < 0 || other[d] >= grid.cells[d];
      if (is_outside) other[d] = (other[d] + grid.cells[d]) % grid.cells[d];
      is_there = is_there && (grid.periodic[d] || !is_outside);
    }
    if (is_there) visit({other[0], other[1], other[2]});
  }
}

/// A cell's particles against those around it, each of which costs something alone, too, as if one
/// more were near; and a cell costs a look at it.
std::vector<double> work_of_cells(const CellGrid& grid,
                                  const std::vector<std::int64_t>& particles) {
  std::vector<double> work(particles.size());
  const auto view = grid.view<double>();
  for (std::size_t number = 0; number < work.size(); ++number) {
    work[number] = 1.0;
    if (particles[number] == 0) continue;
    std::int64_t near = 27;
    const CellCoordinates cell = view.coordinates(static_cast<Index>(number));
    for_each_around(grid, cell, [&](const CellCoordinates& other) {
      near += particles[static_cast<std::size_t>(view.linear(other))];
    });
    work[number] += static_cast<double>(particles[number] * near);
  }
  return work;
}

/// Where the work before it comes nearest to its part of all; no rank is left without a cell.
std::vector<Index> cuts_of(const std::vector<double>& slices, int ranks) {
  const auto cells = static_cast<Index>(slices.size());
  std::vector<double> before(slices.size() + 1, 0.0);
  std::partial_sum(slices.begin(), slices.end(), before.begin() + 1);
  std::vector<Index> cuts{0};
  for (int rank = 1; rank < ranks; ++rank) {
    const double wanted = before.back() * rank / ranks;
    auto cut = static_cast<Index>(
        std::distance(before.begin(), std::lower_bound(before.begin(), before.end(), wanted)));
    const auto work = [&](Index k) { return before[static_cast<std::size_t>(k)]; };
    if (cut > 0 && wanted - work(cut - 1) < work(cut) - wanted) --cut;
    cuts.push_back(std::clamp<Index>(cut, cuts.back() + 1, cells - (ranks - rank)));
  }
  cuts.push_back(cells);
  return cuts;
}

struct Loads {
  double busiest = 0.0;      ///< work of one rank
  double with_copies = 0.0;  ///< likewise, with a part of what it sees of others
};

Loads loads_of(const SumsOverBoxes& sums, const RankCuts& cuts) {
  constexpr double of_copies = 0.2;
  Loads loads;
  for (std::size_t z = 0; z + 1 < cuts[2].size(); ++z) {
    for (std::size_t y = 0; y + 1 < cuts[1].size(); ++y) {
      for (std::size_t x = 0; x + 1 < cuts[0].size(); ++x) {
        const std::array<Index, 3> begin{cuts[0][x], cuts[1][y], cuts[2][z]};
        const std::array<Index, 3> end{cuts[0][x + 1], cuts[1][y + 1], cuts[2][z + 1]};
        const double own = sums.inside(begin, end);
        double surface = 0.0;  // as many particles a cell as inside: near enough
        for (std::size_t d = 0; d < 3; ++d) {
          if (cuts[d].size() > 2) surface += 2.0 * own / static_cast<double>(end[d] - begin[d]);
        }
        loads.busiest = std::max(loads.busiest, own);
        loads.with_copies = std::max(loads.with_copies, own + of_copies * surface);
      }
    }
  }
  return loads;
}

/// Wrapped where the box is periodic; else in the nearest cell.
CellCoordinates cell_at(const CellGrid& grid, const Double3& position) {
  std::array<Index, 3> cell{};
  for (std::size_t d = 0; d < 3; ++d) {
    if (!std::isfinite(position[d])) continue;  // whoever looks at forces says so
    const double cells = grid.cells[d];
    double place = (position[d] - grid.lower[d]) / grid.side[d];
    if (grid.periodic[d]) place -= cells * std::floor(place / cells);
    cell[d] = static_cast<Index>(std::clamp(std::floor(place), 0.0, cells - 1.0));
  }
  return {cell[0], cell[1], cell[2]};
}

/// `position_of`: of each row.
template <class PositionOf>
std::vector<std::int64_t> counted(const CellGrid& grid, std::int64_t rows,
                                  const PositionOf& position_of) {
  std::vector<std::int64_t> particles(static_cast<std::size_t>(grid.count()), 0);
  const auto view = grid.view<double>();
  for (std::int64_t row = 0; row < rows; ++row) {
    const Double3 position = position_of(static_cast<std::size_t>(row));
    ++particles[static_cast<std::size_t>(view.linear(cell_at(grid, position)))];
  }
  return particles;
}

}  // namespace

std::vector<std::int64_t> particles_in_cells(const CellGrid& grid, const StartState& start) {
  return counted(grid, static_cast<std::int64_t>(start.position.size()),
                 [&](std::size_t row) { return start.position[row]; });
}

std::vector<std::int64_t> particles_in_cells(const CellGrid& grid, const ExactState& state) {
  return counted(grid, static_cast<std::int64_t>(state.cell.size()), [&](std::size_t row) {
    Double3 position{};
    for (std::size_t d = 0; d < 3; ++d) {
      const double middle = state.grid.lower[d] + (state.cell[row][d] + 0.5) * state.grid.side[d];
      position[d] = middle + state.offset[row][d];
    }
    return position;
  });
}

Sharing share_cells(const CellGrid& grid, const std::vector<std::int64_t>& particles,
                    const RankWish& wish, int ranks) {
  const RankGrid usual = rank_grid_for(grid, wish.grid, ranks);
  const SumsOverBoxes sums(grid.cells, work_of_cells(grid, particles));
  const double mean = sums.all() / ranks;
  const auto sharing = [&](RankCuts cuts) {
    const double busiest = loads_of(sums, cuts).busiest / mean;
    return Sharing{std::move(cuts), busiest};
  };
  const Sharing even = sharing(even_cuts(grid.cells, usual));
  if (wish.balance == Balance::off || even.busiest <= tolerated_load) return even;
  RankCuts best = even.cuts;
  double least = loads_of(sums, best).with_copies;
  const std::vector<RankGrid> grids =
      wish.grid ? std::vector{*wish.grid} : rank_grids(grid.cells, ranks);
  const std::array slices{sums.slices(0), sums.slices(1), sums.slices(2)};
  for (const RankGrid& one : grids) {
    RankCuts cuts;
    for (std::size_t d = 0; d < 3; ++d) cuts[d] = cuts_of(slices[d], one[d]);
    const double load = loads_of(sums, cuts).with_copies;
    if (load >= least) continue;
    least = load;
    best = std::move(cuts);
  }
  return sharing(std::move(best));
}

}  // namespace pencilbox
