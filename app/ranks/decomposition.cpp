#include "app/ranks/decomposition.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace pencilbox {

namespace {

/// A rank's, at most, in cells.
std::int64_t copies(const std::array<Index, 3>& cells, const RankGrid& ranks) {
  std::int64_t own = 1, all = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t side = (cells[d] + ranks[d] - 1) / ranks[d];
    own *= side;
    all *= side + (ranks[d] > 1 ? 2 : 0);
  }
  return all - own;
}

}  // namespace

std::optional<RankGrid> rank_grid_with_fewest_copies(const std::array<Index, 3>& cells, int ranks) {
  std::optional<RankGrid> best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  // From the last direction on: cells of a row along x stay together where that costs nothing.
  for (int z = ranks; z >= 1; --z) {
    if (ranks % z != 0 || z > cells[2]) continue;
    for (int y = ranks / z; y >= 1; --y) {
      const int x = ranks / z / y;
      if (ranks / z % y != 0 || y > cells[1] || x > cells[0]) continue;
      const std::int64_t needed = copies(cells, {x, y, z});
      if (needed >= least) continue;
      least = needed;
      best = RankGrid{x, y, z};
    }
  }
  return best;
}

Decomposition::Decomposition(const CellGrid& global, const RankGrid& ranks)
    : global_(global), ranks_(ranks) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (ranks[d] < 1 || ranks[d] > global.cells[d] || (ranks[d] > 1 && !global.periodic[d])) {
      throw std::logic_error("decomposition: a rank without cells, or an open direction cut");
    }
    views_[d] = views_in(d);
  }
  for (int rank = 0; rank < this->ranks(); ++rank) domains_.push_back(make_domain(rank));
}

Index Decomposition::begin_of(std::size_t direction, int coordinate) const {
  return static_cast<Index>(std::int64_t{global_.cells[direction]} * coordinate /
                            ranks_[direction]);
}

auto Decomposition::views_in(std::size_t direction) const -> std::vector<std::vector<View>> {
  const Index cells = global_.cells[direction];
  std::vector<std::vector<View>> views(static_cast<std::size_t>(cells));
  const Index margin = ranks_[direction] > 1 ? 1 : 0;
  for (int rank = 0; rank < ranks_[direction]; ++rank) {
    const Index begin = begin_of(direction, rank), end = begin_of(direction, rank + 1);
    for (Index cell = begin - margin; cell < end + margin; ++cell) {
      const Index global = (cell + cells) % cells;
      views[static_cast<std::size_t>(global)].push_back(
          {rank, cell - begin + margin, cell >= begin && cell < end});
    }
  }
  return views;
}

Domain Decomposition::make_domain(int rank) const {
  const RankGrid at{rank % ranks_[0], rank / ranks_[0] % ranks_[1], rank / ranks_[0] / ranks_[1]};
  Domain domain;
  domain.grid.side = global_.side;
  for (std::size_t d = 0; d < 3; ++d) {
    domain.first[d] = begin_of(d, at[d]);
    domain.cells[d] = begin_of(d, at[d] + 1) - domain.first[d];
    domain.margin[d] = ranks_[d] > 1 ? 1 : 0;
    domain.grid.cells[d] = domain.cells[d] + 2 * domain.margin[d];
    domain.grid.periodic[d] = global_.periodic[d] && ranks_[d] == 1;
    domain.grid.lower[d] =
        global_.lower[d] +
        static_cast<double>(domain.first[d] - domain.margin[d]) * global_.side[d];
  }
  return domain;
}

auto Decomposition::own_view(std::size_t direction, Index cell) const -> const View& {
  const std::vector<View>& views = views_[direction][static_cast<std::size_t>(cell)];
  return *std::find_if(views.begin(), views.end(), [](const View& view) { return view.is_own; });
}

int Decomposition::owner_of(Index cell) const {
  const CellCoordinates at = global_.view<double>().coordinates(cell);
  return number({own_view(0, at.x).rank, own_view(1, at.y).rank, own_view(2, at.z).rank});
}

Index Decomposition::place_of_own(int rank, Index cell) const {
  const CellCoordinates at = global_.view<double>().coordinates(cell);
  return domain(rank).grid.view<double>().linear(
      {own_view(0, at.x).cell, own_view(1, at.y).cell, own_view(2, at.z).cell});
}

}  // namespace pencilbox
