// Which rows are a rank's own particles: others are copies of its neighbours', or empty.
#pragma once

#include "core/cell_box.hpp"
#include "core/device/device.hpp"
#include "core/grid_view.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

struct OwnRows {
  const Index* used;  ///< rows that are some particle's
  const Index* cell;  ///< [N] in the rank's grid
  GridView<double> grid;
  CellBox own;

  PENCILBOX_DEVICE_FUNCTION bool operator()(Index i) const {
    return i < *used && own.has(grid.coordinates(cell[i]));
  }
};

/// A term of own particles alone.
template <class Term>
struct OfOwnRows {
  OwnRows own;
  Term term;

  PENCILBOX_DEVICE_FUNCTION auto operator()(Index i) const {
    using Value = decltype(term(i));
    return own(i) ? term(i) : Value{};
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
