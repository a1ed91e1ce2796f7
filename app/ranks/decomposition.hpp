// Who owns which cells: the cells of one global grid, dealt out to ranks in boxes of whole cells.
// Around its own cells a rank sees a layer of cells of others, so that all partners of its
// particles are there. A position is a cell and an offset, so a rank sees the same bits as the
// owner does.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/balance.hpp"
#include "core/exchange.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox {

/// Ranks in each direction.
using RankGrid = std::array<int, 3>;

/// Where ranks begin in each direction: coordinates of cells from 0 on, ascending, and last the
/// number of cells.
using RankCuts = std::array<std::vector<Index>, 3>;

/// As many cells for each as can be.
RankCuts even_cuts(const std::array<Index, 3>& cells, const RankGrid& ranks);
RankGrid ranks_of(const RankCuts& cuts);

/// What is asked of the ranks of a run, beside how many there are.
struct RankWish {
  std::optional<RankGrid> grid{};  ///< absent: the one with the fewest copies
  bool shares_devices = false;     ///< several ranks may compute on one GPU
  Exchange exchange = Exchange::best;
  Balance balance = Balance::best;
};

/// All grids of so many ranks that leave none without cells, those with most in z first: cells of a
/// row along x stay together where that costs nothing.
std::vector<RankGrid> rank_grids(const std::array<Index, 3>& cells, int ranks);
/// The grid of so many ranks with the fewest copies of particles on others than their owner's;
/// nothing where some rank would be left without cells.
std::optional<RankGrid> rank_grid_with_fewest_copies(const std::array<Index, 3>& cells, int ranks);

/// What a rank sees of the global grid.
struct Domain {
  std::array<Index, 3> first{};   ///< of its own cells
  std::array<Index, 3> cells{};   ///< how many are its own
  std::array<Index, 3> margin{};  ///< cells of others on either side: none where nobody shares a
                                  ///< direction, and nobody's beyond an open face
  CellGrid grid;  ///< both, from the first cell of others on; periodic only where nobody shares
};

/// Where the cells at one coordinate are, in one direction: first with their owner, then with
/// neighbours that see them too, of which there is one on either side at most.
struct PlacesOfCell {
  struct Place {
    int rank;    ///< its coordinate in the grid of ranks
    Index cell;  ///< in the rank's own grid
  };
  std::array<Place, 3> place{};
  int count = 0;
};

/// Who sees a cell of the global grid, and where: for kernels and for the host.
struct WhoSees {
  Vec3View<const PlacesOfCell> places;  ///< by the cell's coordinate
  Vec3View<const Index> cells;          ///< of the grid of a rank, by the rank's coordinate
  Vec3<int> ranks;

  /// Calls see(rank, cell in the rank's grid, whether it is the owner), the owner first. A rank may
  /// see a cell more than once, where few are in a direction.
  template <class See>
  PENCILBOX_DEVICE_FUNCTION void for_each(const CellCoordinates& cell, See&& see) const {
    const PlacesOfCell &x = places.x[cell.x], &y = places.y[cell.y], &z = places.z[cell.z];
    for (int k = 0; k < z.count; ++k) {
      for (int j = 0; j < y.count; ++j) {
        for (int i = 0; i < x.count; ++i) {
          const auto [x_rank, x_cell] = x.place[static_cast<unsigned>(i)];
          const auto [y_rank, y_cell] = y.place[static_cast<unsigned>(j)];
          const auto [z_rank, z_cell] = z.place[static_cast<unsigned>(k)];
          see((z_rank * ranks.y + y_rank) * ranks.x + x_rank,
              (z_cell * cells.y[y_rank] + y_cell) * cells.x[x_rank] + x_cell, i + j + k == 0);
        }
      }
    }
  }
};

/// Cells are numbered as their grids number them.
class Decomposition {
 public:
  /// No rank is left without cells.
  Decomposition(const CellGrid& global, RankCuts cuts);
  /// Dealt out evenly.
  Decomposition(const CellGrid& global, const RankGrid& ranks);

  int ranks() const { return ranks_[0] * ranks_[1] * ranks_[2]; }
  const RankGrid& rank_grid() const { return ranks_; }
  const RankCuts& cuts() const { return cuts_; }
  const CellGrid& global() const { return global_; }
  const Domain& domain(int rank) const { return domains_[static_cast<std::size_t>(rank)]; }
  int owner_of(Index cell) const;
  /// Of one of its own cells, in the grid of the rank's domain.
  Index place_of_own(int rank, Index cell) const;
  /// The same back: in the global grid. Nothing for a cell of others.
  std::optional<Index> own_cell_at(int rank, Index place) const;

  /// As long as this lives.
  WhoSees who_sees() const;
  /// What that consists of, in each direction.
  const std::vector<PlacesOfCell>& places(std::size_t direction) const {
    return places_[direction];
  }
  const std::vector<Index>& cells_of_ranks(std::size_t direction) const {
    return cells_[direction];
  }

 private:
  Index begin_of(std::size_t direction, int coordinate) const;
  std::vector<PlacesOfCell> places_in(std::size_t direction) const;
  std::vector<Index> cells_in(std::size_t direction) const;
  Domain make_domain(int rank) const;

  CellGrid global_;
  RankCuts cuts_;
  RankGrid ranks_;
  std::array<std::vector<PlacesOfCell>, 3> places_;  ///< by cell
  std::array<std::vector<Index>, 3> cells_;          ///< by coordinate of a rank, margins included
  std::vector<Domain> domains_;
};

}  // namespace pencilbox
