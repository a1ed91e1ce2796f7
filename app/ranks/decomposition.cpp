#include "app/ranks/decomposition.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

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

std::vector<RankGrid> rank_grids(const std::array<Index, 3>& cells, int ranks) {
  std::vector<RankGrid> grids;
  for (int z = ranks; z >= 1; --z) {
    if (ranks % z != 0 || z > cells[2]) continue;
    for (int y = ranks / z; y >= 1; --y) {
      const int x = ranks / z / y;
      if (ranks / z % y == 0 && y <= cells[1] && x <= cells[0]) grids.push_back({x, y, z});
    }
  }
  return grids;
}

std::optional<RankGrid> rank_grid_with_fewest_copies(const std::array<Index, 3>& cells, int ranks) {
  std::optional<RankGrid> best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const RankGrid& grid : rank_grids(cells, ranks)) {
    const std::int64_t needed = copies(cells, grid);
    if (needed >= least) continue;
    least = needed;
    best = grid;
  }
  return best;
}

RankCuts even_cuts(const std::array<Index, 3>& cells, const RankGrid& ranks) {
  RankCuts cuts;
  for (std::size_t d = 0; d < 3; ++d) {
    for (int rank = 0; rank <= ranks[d]; ++rank) {
      cuts[d].push_back(static_cast<Index>(std::int64_t{cells[d]} * rank / std::max(ranks[d], 1)));
    }
  }
  return cuts;
}

RankGrid ranks_of(const RankCuts& cuts) {
  RankGrid ranks{};
  for (std::size_t d = 0; d < 3; ++d) ranks[d] = static_cast<int>(cuts[d].size()) - 1;
  return ranks;
}

Decomposition::Decomposition(const CellGrid& global, const RankGrid& ranks)
    : Decomposition(global, even_cuts(global.cells, ranks)) {}

Decomposition::Decomposition(const CellGrid& global, RankCuts cuts)
    : global_(global), cuts_(std::move(cuts)), ranks_(ranks_of(cuts_)) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (ranks_[d] < 1) throw std::logic_error("decomposition: no ranks");
    const bool ascends = std::adjacent_find(cuts_[d].begin(), cuts_[d].end(),
                                            std::greater_equal<>()) == cuts_[d].end();
    if (!ascends || cuts_[d].front() != 0 || cuts_[d].back() != global.cells[d]) {
      throw std::logic_error("decomposition: a rank without cells, or cells without a rank");
    }
    places_[d] = places_in(d);
    cells_[d] = cells_in(d);
  }
  for (int rank = 0; rank < this->ranks(); ++rank) domains_.push_back(make_domain(rank));
}

Index Decomposition::begin_of(std::size_t direction, int coordinate) const {
  return cuts_[direction][static_cast<std::size_t>(coordinate)];
}

std::vector<PlacesOfCell> Decomposition::places_in(std::size_t direction) const {
  const Index cells = global_.cells[direction];
  std::vector<PlacesOfCell> places(static_cast<std::size_t>(cells));
  const Index margin = ranks_[direction] > 1 ? 1 : 0;
  const auto add = [&](int rank, Index cell) {
    const bool is_there = cell >= 0 && cell < cells;
    if (!is_there && !global_.periodic[direction]) return;
    PlacesOfCell& all = places[static_cast<std::size_t>((cell + cells) % cells)];
    const Index in_its_grid = cell - begin_of(direction, rank) + margin;
    all.place[static_cast<std::size_t>(all.count++)] = {rank, in_its_grid};
  };
  for (int rank = 0; rank < ranks_[direction]; ++rank) {  // owners first
    const Index begin = begin_of(direction, rank), end = begin_of(direction, rank + 1);
    for (Index cell = begin; cell < end; ++cell) add(rank, cell);
  }
  for (int rank = 0; margin > 0 && rank < ranks_[direction]; ++rank) {
    add(rank, begin_of(direction, rank) - 1);
    add(rank, begin_of(direction, rank + 1));
  }
  return places;
}

std::vector<Index> Decomposition::cells_in(std::size_t direction) const {
  std::vector<Index> cells;
  for (int rank = 0; rank < ranks_[direction]; ++rank) {
    cells.push_back(begin_of(direction, rank + 1) - begin_of(direction, rank) +
                    (ranks_[direction] > 1 ? 2 : 0));
  }
  return cells;
}

Domain Decomposition::make_domain(int rank) const {
  const RankGrid at{rank % ranks_[0], rank / ranks_[0] % ranks_[1], rank / ranks_[0] / ranks_[1]};
  Domain domain;
  domain.grid.side = global_.side;
  for (std::size_t d = 0; d < 3; ++d) {
    domain.first[d] = begin_of(d, at[d]);
    domain.cells[d] = begin_of(d, at[d] + 1) - domain.first[d];
    domain.margin[d] = ranks_[d] > 1 ? 1 : 0;
    domain.grid.cells[d] = cells_[d][static_cast<std::size_t>(at[d])];
    domain.grid.periodic[d] = global_.periodic[d] && ranks_[d] == 1;
    domain.grid.lower[d] =
        global_.lower[d] +
        static_cast<double>(domain.first[d] - domain.margin[d]) * global_.side[d];
  }
  return domain;
}

WhoSees Decomposition::who_sees() const {
  return {{places_[0].data(), places_[1].data(), places_[2].data()},
          {cells_[0].data(), cells_[1].data(), cells_[2].data()},
          {ranks_[0], ranks_[1], ranks_[2]}};
}

int Decomposition::owner_of(Index cell) const {
  int owner = 0;
  who_sees().for_each(global_.view<double>().coordinates(cell),
                      [&](int rank, Index, bool is_owner) {
                        if (is_owner) owner = rank;
                      });
  return owner;
}

Index Decomposition::place_of_own(int rank, Index cell) const {
  Index place = -1;
  who_sees().for_each(global_.view<double>().coordinates(cell),
                      [&](int who, Index there, bool is_owner) {
                        if (is_owner && who == rank) place = there;
                      });
  return place;
}

std::optional<Index> Decomposition::own_cell_at(int rank, Index place) const {
  const Domain& its = domain(rank);
  const CellCoordinates at = its.grid.view<double>().coordinates(place);
  std::array<Index, 3> cell{at.x, at.y, at.z};
  for (std::size_t d = 0; d < 3; ++d) {
    cell[d] -= its.margin[d];
    if (cell[d] < 0 || cell[d] >= its.cells[d]) return {};
    cell[d] += its.first[d];
  }
  return global_.view<double>().linear({cell[0], cell[1], cell[2]});
}

}  // namespace pencilbox
