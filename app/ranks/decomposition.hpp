// Who owns which cells: the cells of one global grid, dealt out to ranks in boxes of whole cells.
// Around its own cells a rank sees a layer of cells of others, so that all partners of its
// particles are there. A position is a cell and an offset, so a rank sees the same bits as the
// owner does.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox {

/// Ranks in each direction.
using RankGrid = std::array<int, 3>;

/// What is asked of the ranks of a run, beside how many there are.
struct RankWish {
  std::optional<RankGrid> grid{};  ///< absent: the one with the fewest copies
  bool shares_devices = false;     ///< several ranks may compute on one GPU
};

/// The grid of so many ranks with the fewest copies of particles on others than their owner's;
/// nothing where some rank would be left without cells.
std::optional<RankGrid> rank_grid_with_fewest_copies(const std::array<Index, 3>& cells, int ranks);

/// What a rank sees of the global grid.
struct Domain {
  std::array<Index, 3> first{};  ///< of its own cells
  std::array<Index, 3> cells{};  ///< how many are its own
  std::array<Index, 3>
      margin{};   ///< cells of others on either side: none where nobody shares a direction
  CellGrid grid;  ///< both, from the first cell of others on; periodic only where nobody shares
};

/// Cells are numbered as their grids number them.
class Decomposition {
 public:
  /// Every direction with more than one rank is periodic, and no rank is left without cells.
  Decomposition(const CellGrid& global, const RankGrid& ranks);

  int ranks() const { return ranks_[0] * ranks_[1] * ranks_[2]; }
  const CellGrid& global() const { return global_; }
  const Domain& domain(int rank) const { return domains_[static_cast<std::size_t>(rank)]; }
  int owner_of(Index cell) const;
  /// Of one of its own cells, in the grid of the rank's domain.
  Index place_of_own(int rank, Index cell) const;

  /// Calls see(rank, cell in the grid of its domain) for each place at which another rank sees this
  /// cell: a rank may see it more than once, where few cells are in a direction.
  template <class See>
  void for_each_view_from_outside(Index cell, See&& see) const {
    const CellCoordinates at = global_.view<double>().coordinates(cell);
    for (const View& x : views_[0][static_cast<std::size_t>(at.x)]) {
      for (const View& y : views_[1][static_cast<std::size_t>(at.y)]) {
        for (const View& z : views_[2][static_cast<std::size_t>(at.z)]) {
          if (x.is_own && y.is_own && z.is_own) continue;
          const int rank = number({x.rank, y.rank, z.rank});
          see(rank, domain(rank).grid.view<double>().linear({x.cell, y.cell, z.cell}));
        }
      }
    }
  }

 private:
  /// Of a cell, in one direction.
  struct View {
    int rank;
    Index cell;  ///< in the rank's own grid
    bool is_own;
  };

  int number(const RankGrid& coordinates) const {
    return (coordinates[2] * ranks_[1] + coordinates[1]) * ranks_[0] + coordinates[0];
  }
  Index begin_of(std::size_t direction, int coordinate) const;
  std::vector<std::vector<View>> views_in(std::size_t direction) const;
  Domain make_domain(int rank) const;
  const View& own_view(std::size_t direction, Index cell) const;

  CellGrid global_;
  RankGrid ranks_;
  std::array<std::vector<std::vector<View>>, 3> views_;  ///< by cell
  std::vector<Domain> domains_;
};

}  // namespace pencilbox
