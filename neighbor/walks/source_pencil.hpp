// A pencil of sources: cells of one row along x, with a ghost cell at either end, and their way
// through shared memory. For back ends whose blocks stage one row after the other.
// Few particles per cell, sections 5.2 and 5.3.
#pragma once

#include <cstddef>

#include "core/device/device.hpp"
#include "neighbor/walks/cell_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// The particles of columns [first, last) of a row and of the two columns beside them: three runs,
/// each contiguous in memory, numbered as if they were one. A column beyond an open face has no
/// particles. In a short periodic row several runs hold the same particles, as several images.
struct SourcePencil {
  const Index* offset = nullptr;  ///< first particle of each cell of the row
  Index first = 0, last = 0;
  IndexRange left, inner, right;

  PENCILBOX_DEVICE_FUNCTION Index count() const {
    return left.count() + inner.count() + right.count();
  }

  /// Number of the first source of the inner run, and of the right one.
  PENCILBOX_DEVICE_FUNCTION Index inner_number() const { return left.count(); }
  PENCILBOX_DEVICE_FUNCTION Index right_number() const { return left.count() + inner.count(); }

  PENCILBOX_DEVICE_FUNCTION Index particle(Index number) const {
    if (number < inner_number()) return left.begin + number;
    if (number < right_number()) return inner.begin + (number - inner_number());
    return right.begin + (number - right_number());
  }

  /// The column of the source with this number, in cell `own_column` of the row: at the ends
  /// another one, where a ghost is the image of a cell at the far end of the row.
  PENCILBOX_DEVICE_FUNCTION Index column_of(Index number, Index own_column) const {
    if (number < inner_number()) return first - 1;
    return number < right_number() ? own_column : last;
  }

  /// The column of a cell of this row. `cell_offset`: first particle of each cell of the grid.
  PENCILBOX_DEVICE_FUNCTION Index column_in_row(Index cell, const Index* cell_offset) const {
    return cell - static_cast<Index>(offset - cell_offset);
  }

  /// Number of a particle of the inner run.
  PENCILBOX_DEVICE_FUNCTION Index number_in_inner(Index particle) const {
    return inner_number() + (particle - inner.begin);
  }

  /// Calls visit(number) for each image of the particle in the pencil.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each_number(Index particle, Visit&& visit) const {
    if (left.has(particle)) visit(particle - left.begin);
    if (inner.has(particle)) visit(number_in_inner(particle));
    if (right.has(particle)) visit(right_number() + (particle - right.begin));
  }

  /// The run of sources around column `x`, by number.
  PENCILBOX_DEVICE_FUNCTION NeighborRun run_around(Index x, Index dy, Index dz) const {
    const Index base = inner_number() - inner.begin;
    return {x > first ? base + offset[x - 1] : 0,
            base + offset[x],
            base + offset[x + 1],
            x + 1 < last ? base + offset[x + 2] : count(),
            dy,
            dz};
  }

  /// The sources of one column by number; `first - 1` and `last` are the ghosts.
  PENCILBOX_DEVICE_FUNCTION IndexRange column(Index x) const {
    if (x < first) return {0, inner_number()};
    if (x >= last) return {right_number(), count()};
    const Index base = inner_number() - inner.begin;
    return {base + offset[x], base + offset[x + 1]};
  }
};

/// The pencil of columns [first, last) in the row whose first cell is `row`.
template <class Real>
PENCILBOX_DEVICE_FUNCTION SourcePencil source_pencil(const GridView<Real>& grid,
                                                     const Index* cell_offset, Index row,
                                                     Index first, Index last) {
  const Index* offset = cell_offset + row;
  const Index left = grid.wrap_x(first - 1);
  const Index right = grid.wrap_x(last);
  SourcePencil sources{offset, first, last, {}, {offset[first], offset[last]}, {}};
  if (left >= 0) sources.left = {offset[left], offset[left + 1]};
  if (right >= 0) sources.right = {offset[right], offset[right + 1]};
  return sources;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
