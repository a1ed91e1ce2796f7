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

/// The grid of `ranks` ranks in which the largest domain sees the fewest cells of others; nothing
/// if there are too few cells in some direction however they are dealt out.
std::optional<RankGrid> rank_grid_with_fewest_copies(const std::array<Index, 3>& cells, int ranks);

/// What a rank sees of the global grid.
struct Domain {
  std::array<Index, 3> first{};  ///< of its own cells
  std::array<Index, 3> cells{};  ///< how many are its own
  std::array<Index, 3>
      margin{};   ///< cells of others on either side: none where nobody shares a direction
  CellGrid grid;  ///< both, from the first cell of others on; periodic only where nobody shares

  /// Of one of its own cells, in `grid`.
  std::array<Index, 3> local(const std::array<Index, 3>& global) const {
    return {global[0] - first[0] + margin[0], global[1] - first[1] + margin[1],
            global[2] - first[2] + margin[2]};
  }
};

class Decomposition {
 public:
  /// Every direction with more than one rank is periodic, and no rank is left without cells.
  Decomposition(const CellGrid& global, const RankGrid& ranks);

  int ranks() const { return ranks_[0] * ranks_[1] * ranks_[2]; }
  const CellGrid& global() const { return global_; }
  Domain domain(int rank) const;
  int owner_of(const std::array<Index, 3>& cell) const;

  /// Calls see(rank, cell in the grid of its domain) for each place at which another rank sees this
  /// cell: a rank may see it more than once, where few cells are in a direction.
  template <class See>
  void for_each_view_from_outside(const std::array<Index, 3>& cell, See&& see) const {
    for (const View& x : views(0, cell[0])) {
      for (const View& y : views(1, cell[1])) {
        for (const View& z : views(2, cell[2])) {
          if (x.is_own && y.is_own && z.is_own) continue;
          see(number({x.rank, y.rank, z.rank}), std::array<Index, 3>{x.cell, y.cell, z.cell});
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

  const std::vector<View>& views(std::size_t direction, Index cell) const {
    return views_[direction][static_cast<std::size_t>(cell)];
  }
  int number(const RankGrid& coordinates) const {
    return (coordinates[2] * ranks_[1] + coordinates[1]) * ranks_[0] + coordinates[0];
  }
  Index begin_of(std::size_t direction, int coordinate) const;
  std::vector<std::vector<View>> views_in(std::size_t direction) const;

  CellGrid global_;
  RankGrid ranks_;
  std::array<std::vector<std::vector<View>>, 3> views_;  ///< by cell
};

}  // namespace pencilbox
