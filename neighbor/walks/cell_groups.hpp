// Groups of cells, for searches in which a cell is much smaller than the room that a particle has
// to itself: a group has a few particles, and counters are as many as groups. Particles keep their
// cells, and their places in them to the last digit; a group says where to look, and nothing else.
#pragma once

#include <cmath>
#include <limits>

#include "core/device/launch_divisor.hpp"
#include "core/device/opaque.hpp"
#include "neighbor/cells/cell_grid.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// How many cells a group has along x, and along y and z.
struct GroupShape {
  Index length = 1;
  Index width = 1;
};

/// Cells that make a group; the last one of a direction has what is left. A cell is at least as
/// wide as the reach, so partners are in 27 groups, as they are in 27 cells.
template <class Pair>
struct CellGroups {
  GridView<Pair> grid;
  LaunchDivisor by_length, by_width;
  GroupShape shape;
  CellCounts groups;
  Vec3<Pair> per_side;  ///< cells a length [1/sigma]

  CellGroups(const GridView<Pair>& of_grid, const GroupShape& of_groups)
      : grid(of_grid),
        by_length(of_groups.length),
        by_width(of_groups.width),
        shape(of_groups),
        groups{by_length.quotient(grid.cells.x - 1) + 1, by_width.quotient(grid.cells.y - 1) + 1,
               by_width.quotient(grid.cells.z - 1) + 1},
        per_side{Pair(1) / grid.side.x, Pair(1) / grid.side.y, Pair(1) / grid.side.z} {}

  Index count() const { return groups.count(); }

  PENCILBOX_DEVICE_FUNCTION CellCoordinates cell(Index linear) const {
    return grid.coordinates(linear);
  }
  PENCILBOX_DEVICE_FUNCTION CellCoordinates group_of(const CellCoordinates& cell) const {
    return {by_length.quotient(cell.x), by_width.quotient(cell.y), by_width.quotient(cell.z)};
  }
  PENCILBOX_DEVICE_FUNCTION Index linear(const CellCoordinates& group) const {
    return groups.linear(group);
  }

  /// Of a cell, from the lower corner of the grid [sigma].
  PENCILBOX_DEVICE_FUNCTION Vec3<Pair> centre(const CellCoordinates& cell) const {
    constexpr Pair half = Pair(0.5);
    return {(static_cast<Pair>(cell.x) + half) * grid.side.x,
            (static_cast<Pair>(cell.y) + half) * grid.side.y,
            (static_cast<Pair>(cell.z) + half) * grid.side.z};
  }
  /// The cell with about that centre.
  PENCILBOX_DEVICE_FUNCTION CellCoordinates cell_around(const Vec3<Pair>& centre) const {
    return {static_cast<Index>(centre.x * per_side.x), static_cast<Index>(centre.y * per_side.y),
            static_cast<Index>(centre.z * per_side.z)};
  }
  /// The distance between the centres of two cells, which is about `length`.
  PENCILBOX_DEVICE_FUNCTION CellShift<Pair> whole_cells(const Vec3<Pair>& length) const {
    const auto nearest = [](Pair cells) { return std::floor(cells + Pair(0.5)); };
    const Vec3<Pair> cells{nearest(length.x * per_side.x), nearest(length.y * per_side.y),
                           nearest(length.z * per_side.z)};
    const auto exact = [](Pair of_cells, double side) {
      return static_cast<double>(of_cells) * side;
    };
    return {{cells.x * grid.side.x, cells.y * grid.side.y, cells.z * grid.side.z},
            {exact(cells.x, grid.exact_side.x), exact(cells.y, grid.exact_side.y),
             exact(cells.z, grid.exact_side.z)}};
  }
  /// As long as so many boxes.
  PENCILBOX_DEVICE_FUNCTION Vec3<Pair> boxes(const Vec3<Index>& image) const {
    return {static_cast<Pair>(image.x * grid.cells.x) * grid.side.x,
            static_cast<Pair>(image.y * grid.cells.y) * grid.side.y,
            static_cast<Pair>(image.z * grid.cells.z) * grid.side.z};
  }
};

/// Three numbers: of the group before a particle's, of its own, and of the one behind.
template <class T>
struct OfThree {
  T before, own, behind;

  /// Selected, not read: an array whose index is not known beforehand is no register.
  PENCILBOX_DEVICE_FUNCTION T operator[](int k) const {
    return k == 0 ? before : (k == 1 ? own : behind);
  }
};

/// Where a walk around a particle goes in one direction: to groups at the most one away.
template <class Pair>
struct GroupsAlong {
  OfThree<Index> at;     ///< which, wrapped
  OfThree<Index> image;  ///< how many boxes away: -1, 0, 1
  /// From the particle, at most what it is whatever is rounded [sigma^2]; beyond an open face
  /// infinite.
  OfThree<Pair> distance_squared;

  /// `offset` from the centre of the particle's cell, which is `side` wide.
  PENCILBOX_DEVICE_FUNCTION GroupsAlong(Index cell, Index group, Pair offset, Pair side,
                                        Index width, Index cells, Index groups, bool periodic) {
    const bool is_first = group == 0, is_last = group + 1 == groups;
    at = {is_first ? groups - 1 : group - 1, group, is_last ? 0 : group + 1};
    image = {is_first && periodic ? -1 : 0, 0, is_last && periodic ? 1 : 0};
    const Index first = group * width;
    const Index last = is_last ? cells - 1 : first + width - 1;
    const Pair half = Pair(0.5) * side;
    const Pair slack = 8 * std::numeric_limits<Pair>::epsilon() * side * static_cast<Pair>(width);
    const Pair before = static_cast<Pair>(cell - first) * side + (half + offset) - slack;
    const Pair behind = static_cast<Pair>(last - cell) * side + (half - offset) - slack;
    distance_squared = {is_first && !periodic ? infinite : square_of_positive(before), Pair(0),
                        is_last && !periodic ? infinite : square_of_positive(behind)};
  }

  PENCILBOX_DEVICE_FUNCTION bool has_images() const { return image.before != image.behind; }

  /// The same to groups that are no images: infinite to others.
  PENCILBOX_DEVICE_FUNCTION OfThree<Pair> to_no_image() const {
    return {image.before != 0 ? infinite : distance_squared.before, Pair(0),
            image.behind != 0 ? infinite : distance_squared.behind};
  }

 private:
  static constexpr Pair infinite = std::numeric_limits<Pair>::infinity();
  PENCILBOX_DEVICE_FUNCTION static Pair square_of_positive(Pair gap) {
    return gap > Pair(0) ? gap * gap : Pair(0);
  }
};

/// The 27 groups around a particle.
template <class Pair>
class GroupsAround {
 public:
  PENCILBOX_DEVICE_FUNCTION GroupsAround(const CellGroups<Pair>& in, const CellCoordinates& cell,
                                         const Vec3<Pair>& offset, Pair reach_squared)
      : GroupsAround(in, cell, in.group_of(cell), offset, reach_squared) {}

  PENCILBOX_DEVICE_FUNCTION const GroupsAlong<Pair>& x() const { return x_; }
  PENCILBOX_DEVICE_FUNCTION const GroupsAlong<Pair>& y() const { return y_; }
  PENCILBOX_DEVICE_FUNCTION const GroupsAlong<Pair>& z() const { return z_; }
  PENCILBOX_DEVICE_FUNCTION Pair reach_squared() const { return reach_squared_; }

  PENCILBOX_DEVICE_FUNCTION bool have_images() const {
    return x_.has_images() || y_.has_images() || z_.has_images();
  }

  /// Calls visit(group, image) for those in reach that are images: `image` boxes away.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each_image(const CellGroups<Pair>& in, Visit&& visit) const {
    const int of_each = opaque(3);
    for (int k = 0; k < of_each; ++k) {
      for (int j = 0; j < of_each; ++j) {
        for (int i = 0; i < of_each; ++i) {
          const Vec3<Index> image{x_.image[i], y_.image[j], z_.image[k]};
          if (image.x == 0 && image.y == 0 && image.z == 0) continue;
          const Pair distance_squared =
              (y_.distance_squared[j] + z_.distance_squared[k]) + x_.distance_squared[i];
          if (!(distance_squared <= reach_squared_)) continue;
          visit(in.linear({x_.at[i], y_.at[j], z_.at[k]}), image);
        }
      }
    }
  }

 private:
  PENCILBOX_DEVICE_FUNCTION GroupsAround(const CellGroups<Pair>& in, const CellCoordinates& cell,
                                         const CellCoordinates& home, const Vec3<Pair>& offset,
                                         Pair reach_squared)
      : x_(cell.x, home.x, offset.x, in.grid.side.x, in.shape.length, in.grid.cells.x, in.groups.x,
           in.grid.periodic.x),
        y_(cell.y, home.y, offset.y, in.grid.side.y, in.shape.width, in.grid.cells.y, in.groups.y,
           in.grid.periodic.y),
        z_(cell.z, home.z, offset.z, in.grid.side.z, in.shape.width, in.grid.cells.z, in.groups.z,
           in.grid.periodic.z),
        reach_squared_(reach_squared) {}

  GroupsAlong<Pair> x_, y_, z_;
  Pair reach_squared_;
};

inline constexpr Index rows_of_groups = 9;         ///< around a particle
inline constexpr Index rows_of_groups_behind = 5;  ///< its own among them

/// Rows of the groups around a particle that are in reach and no images of others.
template <class Pair>
class RowsInReach {
 public:
  PENCILBOX_DEVICE_FUNCTION RowsInReach(const CellGroups<Pair>& in, const CellCoordinates& cell,
                                        const Vec3<Pair>& offset, Pair reach_squared)
      : RowsInReach(in, in.group_of(cell), GroupsAround<Pair>(in, cell, offset, reach_squared)) {}

  /// Calls visit(row) for each, [first, behind) by their numbers.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each(Visit&& visit) const {
    for_each_from(z_.first(reach_squared_), y_.first(reach_squared_), visit);
  }
  /// The same of its own row and those behind it: of two particles one sees the other.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each_behind(Visit&& visit) const {
    for_each_from(0, 0, visit);
  }

  PENCILBOX_DEVICE_FUNCTION bool have_images() const { return have_images_; }

 private:
  /// Along one direction, squared; infinite to where there is no group, or an image.
  struct Gaps {
    Pair before, behind;
    PENCILBOX_DEVICE_FUNCTION explicit Gaps(const OfThree<Pair>& gaps)
        : before(gaps.before), behind(gaps.behind) {}
    PENCILBOX_DEVICE_FUNCTION Pair operator[](int step) const {
      return step == 0 ? Pair(0) : (step < 0 ? before : behind);
    }
    PENCILBOX_DEVICE_FUNCTION int first(Pair reach) const { return before <= reach ? -1 : 0; }
    PENCILBOX_DEVICE_FUNCTION int last(Pair reach) const { return behind <= reach ? 1 : 0; }
  };

  PENCILBOX_DEVICE_FUNCTION RowsInReach(const CellGroups<Pair>& in, const CellCoordinates& home,
                                        const GroupsAround<Pair>& around)
      : x_(around.x().to_no_image()),
        y_(around.y().to_no_image()),
        z_(around.z().to_no_image()),
        reach_squared_(around.reach_squared()),
        home_(in.linear(home)),
        row_(in.groups.x),
        layer_(in.groups.x * in.groups.y),
        have_images_(around.have_images()) {}

  /// From row j of layer k on, layer by layer. Where a layer begins a compiler must not know: it
  /// would make code of its own for each case, and lanes would wait for each other.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each_from(int k, int j, Visit& visit) const {
    const int first = opaque(y_.first(reach_squared_)), last = opaque(y_.last(reach_squared_));
    const int last_layer = opaque(z_.last(reach_squared_));
    for (k = opaque(k); k <= last_layer; ++k) {
      for (j = opaque(j); j <= last; ++j) row(j, k, visit);
      j = first;
    }
  }

  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void row(int j, int k, Visit& visit) const {
    const Pair left = reach_squared_ - (y_[j] + z_[k]);
    if (left < Pair(0)) return;
    const Index home = home_ + j * row_ + k * layer_;
    visit(IndexRange{home + x_.first(left), home + x_.last(left) + 1});
  }

  Gaps x_, y_, z_;
  Pair reach_squared_;
  Index home_, row_, layer_;
  bool have_images_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
