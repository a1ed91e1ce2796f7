// The cells around a box, numbered: for those who have to do with its surroundings alone.
#pragma once

#include <array>

#include "core/cell_box.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Of a grid, the cells outside `inner`, which lies within it or is empty.
class CellShell {
 public:
  CellShell() = default;
  CellShell(const CellCoordinates& cells, const CellBox& inner) {
    if (inner.is_empty()) {
      add({{}, cells});
      return;
    }
    const CellCoordinates &begin = inner.begin, &end = inner.end;
    add({{0, 0, 0}, {cells.x, cells.y, begin.z}});
    add({{0, 0, end.z}, cells});
    add({{0, 0, begin.z}, {cells.x, begin.y, end.z}});
    add({{0, end.y, begin.z}, {cells.x, cells.y, end.z}});
    add({{0, begin.y, begin.z}, {begin.x, end.y, end.z}});
    add({{end.x, begin.y, begin.z}, {cells.x, end.y, end.z}});
  }

  PENCILBOX_DEVICE_FUNCTION Index count() const { return count_; }

  /// 0 <= number < count()
  PENCILBOX_DEVICE_FUNCTION CellCoordinates cell(Index number) const {
    unsigned k = 0;
    while (number >= slabs_[k].end) ++k;
    const Slab& slab = slabs_[k];
    const CellCoordinates in_slab = slab.cells.coordinates(number - slab.first);
    return {slab.begin.x + in_slab.x, slab.begin.y + in_slab.y, slab.begin.z + in_slab.z};
  }

 private:
  struct Slab {
    CellCoordinates begin;
    CellCounts cells;
    Index first, end;  ///< numbers
  };

  void add(const CellBox& box) {
    if (box.is_empty()) return;
    const CellCoordinates &begin = box.begin, &end = box.end;
    const CellCounts cells(end.x - begin.x, end.y - begin.y, end.z - begin.z);
    const Index first = count_;
    count_ += cells.count();
    slabs_[used_++] = {begin, cells, first, count_};
  }

  std::array<Slab, 6> slabs_{};
  unsigned used_ = 0;
  Index count_ = 0;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
