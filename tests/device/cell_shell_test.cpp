// Every cell outside the box has one number, and no other has any.
#include "core/cell_shell.hpp"

#include <map>
#include <tuple>

#include <gtest/gtest.h>

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

using PlaceOfCell = std::tuple<Index, Index, Index>;

void expect_around(const CellCoordinates& cells, const CellBox& inner) {
  const CellShell shell(cells, inner);
  std::map<PlaceOfCell, int> times;
  for (Index number = 0; number < shell.count(); ++number) {
    const CellCoordinates cell = shell.cell(number);
    ++times[{cell.x, cell.y, cell.z}];
  }
  std::map<PlaceOfCell, int> expected;
  for (Index z = 0; z < cells.z; ++z) {
    for (Index y = 0; y < cells.y; ++y) {
      for (Index x = 0; x < cells.x; ++x) {
        if (!inner.has({x, y, z})) expected[{x, y, z}] = 1;
      }
    }
  }
  EXPECT_EQ(times, expected);
}

TEST(CellShell, IsEverySideOfABox) {
  expect_around({5, 7, 9}, {{1, 2, 3}, {4, 6, 5}});
  expect_around({4, 4, 4}, {{0, 1, 0}, {4, 3, 4}});
  expect_around({3, 4, 5}, {{0, 0, 1}, {3, 4, 5}});
}

TEST(CellShell, IsTheWholeGridWhereNothingIsInside) {
  expect_around({3, 1, 4}, {{2, 0, 2}, {1, 1, 2}});
  expect_around({2, 3, 2}, {{1, 1, 1}, {1, 2, 1}});
}

TEST(CellShell, IsEmptyAroundTheWholeGrid) {
  expect_around({3, 5, 2}, {{0, 0, 0}, {3, 5, 2}});
  EXPECT_EQ(CellShell().count(), 0);
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
