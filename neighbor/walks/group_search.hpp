// Searches of particles that come in no order, by groups of cells (cell_groups.hpp): what they put
// down of a particle, and how they pass those that may be near it.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "core/device/read_ahead.hpp"
#include "core/device/shared_cursor.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/walks/cell_groups.hpp"
#include "neighbor/walks/reach.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// What a search reads of a particle, in two pieces of 16 bytes in float. Where it is tells who may
/// be a partner, to as many digits as the box leaves; how far apart two partners are is taken from
/// where they are in their cells.
template <class Pair>
struct alignas(16) Place {
  Vec3<Pair> in_grid;  ///< from its lower corner [sigma]
  Index link;          ///< to another particle, or to its own row in the engine's order
};
template <class Pair>
struct alignas(16) Offset {
  Vec3<Pair> in_cell;  ///< from its centre [sigma]
  std::int32_t type;
};
template <class Pair>
struct GroupedParticle {
  Place<Pair> place;
  Offset<Pair> offset;
};

/// The particles as the engine gives them.
template <class Precision>
struct Ungrouped {
  using Pair = typename Precision::Pair;
  BinnedParticles<Precision> particles;
  CellGroups<Pair> groups;
  bool has_types;

  PENCILBOX_DEVICE_FUNCTION CellCoordinates cell(Index i) const {
    return groups.cell(particles.cell[i]);
  }
  /// The number of its group.
  PENCILBOX_DEVICE_FUNCTION Index key_of(Index i) const {
    return groups.linear(groups.group_of(cell(i)));
  }
  PENCILBOX_DEVICE_FUNCTION GroupedParticle<Pair> operator()(Index i, Index link) const {
    const Vec3<Pair> offset = particles.position[i];
    return {{groups.centre(cell(i)) + offset, link}, {offset, has_types ? particles.type[i] : 0}};
  }
};

/// The smallest groups of which there are at most so many for each particle: as wide as high, and
/// as long or twice as long. More groups are more to count, larger ones have more candidates.
inline GroupShape shape_of_groups(const Problem& problem, double groups_per_particle) {
  constexpr double countable = std::numeric_limits<Index>::max() - 1;
  const double most = std::clamp(groups_per_particle * problem.particles, 1.0, countable);
  const auto& cells = problem.grid.cells;
  const auto groups = [&](const GroupShape& shape) {
    const auto along = [](Index of_cells, Index of_group) {
      return static_cast<double>(divide_up(of_cells, of_group));
    };
    return along(cells[0], shape.length) * along(cells[1], shape.width) *
           along(cells[2], shape.width);
  };
  GroupShape shape;
  while (groups(shape) > most) {
    if (shape.length == shape.width) {
      shape.length *= 2;
    } else {
      ++shape.width;
      shape.length = shape.width;
    }
  }
  return shape;
}
/// For the report of a launch.
inline std::string words(std::int64_t groups, const GroupShape& shape) {
  const std::string width = std::to_string(shape.width);
  return "one thread a target; " + std::to_string(groups) + " groups of at most " +
         std::to_string(shape.length) + " x " + width + " x " + width + " cells";
}

inline constexpr int most_threads_of_search = 256;  ///< of a block
inline OptionInfo search_block_option() {
  OptionInfo block = block_option("64");
  block.choices = {"32", "64", "128", "256"};
  return block;
}

/// The reason, in words, why places do not tell how many cells two particles are apart.
template <class Pair>
std::optional<std::string> row_too_long(const Problem& problem) {
  constexpr Index most = sizeof(Pair) == sizeof(float) ? Index{1} << 18 : Index{1} << 30;
  const auto& cells = problem.grid.cells;
  const Index longest = *std::max_element(cells.begin(), cells.end());
  if (longest <= most) return {};
  return "in this precision it tells " + std::to_string(most) +
         " cells of a row apart; here a row has " + std::to_string(longest);
}

/// What a thread notes first and goes through afterwards, the latest first, all of it in one loop,
/// so that lanes do not wait for each other at the end of each piece. In shared memory,
/// [most][threads of the block].
template <class T, Index most>
class Notes {
 public:
  static constexpr std::size_t bytes_of_a_thread = most * sizeof(T);

  PENCILBOX_DEVICE_FUNCTION explicit Notes(const Block& block)
      : Notes(block, block.shared<T>(most * block.threads())) {}

  PENCILBOX_DEVICE_FUNCTION bool any() const { return !(next_ == first_); }
  PENCILBOX_DEVICE_FUNCTION bool are_full() const { return next_ == end_; }
  PENCILBOX_DEVICE_FUNCTION void add(const T& note) {
    *next_ = note;
    next_.move(stride_);
  }
  PENCILBOX_DEVICE_FUNCTION T take() {
    next_.move(-stride_);
    return *next_;
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Notes(const Block& block, const SharedArray<T>& notes)
      : stride_(block.threads()),
        first_(notes, block.thread()),
        next_(first_),
        end_(notes, block.thread() + most * stride_) {}

  Index stride_;
  SharedCursor<T> first_, next_, end_;
};

/// Slots of candidates that were found near, before they are evaluated.
using NearSlots = Notes<Index, 4>;

/// Who is near a particle, of those that are put down.
template <class Precision>
struct GroupSearch {
  using Pair = typename Precision::Pair;
  using Grouped = GroupedParticle<Pair>;

  BinnedParticles<Precision> particles;
  CellGroups<Pair> groups;
  const Grouped* grouped;  ///< [N]
  Pair reach_of_groups;    ///< squared, and a little more [sigma^2]
  Pair reach_of_places;    ///< the same, and what places may be off by

  GroupSearch(const BinnedParticles<Precision>& of_particles, const GroupShape& shape,
              const Grouped* put_down, double cutoff)
      : particles(of_particles),
        groups(particles.grid, shape),
        grouped(put_down),
        reach_of_groups(reach_squared_of<Pair>(cutoff)),
        reach_of_places(reach_of_places_in(particles.grid, cutoff)) {}

  PENCILBOX_DEVICE_FUNCTION Grouped read(Index slot) const {
    return {read_ahead(&grouped[slot].place), read_ahead(&grouped[slot].offset)};
  }
  PENCILBOX_DEVICE_FUNCTION Offset<Pair> offset_of(Index slot) const {
    return read_ahead(&grouped[slot].offset);
  }

  PENCILBOX_DEVICE_FUNCTION RowsInReach<Pair> rows_around(const Grouped& target) const {
    return {groups, cell_of(target), target.offset.in_cell, reach_of_groups};
  }
  PENCILBOX_DEVICE_FUNCTION GroupsAround<Pair> around(const Grouped& target) const {
    return {groups, cell_of(target), target.offset.in_cell, reach_of_groups};
  }

  /// Passes all candidates, of which there is one more as long as `candidates` is true, and its
  /// slot and place are what take() gives. Calls add(slot) for those that may be partners, of which
  /// a few are noted first: lanes that have found one do not keep all others waiting. Returns how
  /// many candidates there were.
  template <class Candidates, class Add>
  PENCILBOX_DEVICE_FUNCTION Index pass(Candidates& candidates, const Place<Pair>& target,
                                       NearSlots& found, Add&& add) const {
    Index looked_at = 0;
    while (candidates) {
      while (!found.are_full() && candidates) {
        Index slot = 0;
        const Place<Pair> place = candidates.take(grouped, slot);
        if (may_be_partner(target, place) && candidates.is_other(slot)) found.add(slot);
        ++looked_at;
      }
      while (found.any()) add(found.take());
    }
    return looked_at;
  }

  PENCILBOX_DEVICE_FUNCTION bool may_be_partner(const Place<Pair>& target,
                                                const Place<Pair>& source) const {
    const Vec3<Pair> plain = target.in_grid - source.in_grid;
    return dot(plain, plain) <= reach_of_places;
  }

  /// Seen from a box that is so many away.
  PENCILBOX_DEVICE_FUNCTION Grouped seen_from(const Vec3<Index>& image, Grouped target) const {
    target.place.in_grid = target.place.in_grid - groups.boxes(image);
    return target;
  }

  /// From the target's cell to the source's: what cells are apart is what places are and offsets
  /// are not.
  PENCILBOX_DEVICE_FUNCTION CellShift<Pair> shift(const Grouped& target,
                                                  const Grouped& source) const {
    const Vec3<Pair> apart = source.place.in_grid - target.place.in_grid;
    return groups.whole_cells(apart - (source.offset.in_cell - target.offset.in_cell));
  }

 private:
  PENCILBOX_DEVICE_FUNCTION CellCoordinates cell_of(const Grouped& target) const {
    return groups.cell_around(target.place.in_grid - target.offset.in_cell);
  }

  /// Places are as fine as the box leaves them; outside of it as offsets are, whose rounding is far
  /// below a thousandth of the cutoff (neighbor/cells/resolution.hpp).
  static Pair reach_of_places_in(const GridView<Pair>& grid, double cutoff) {
    const Vec3<double>& side = grid.exact_side;
    const double longest =
        std::max({grid.cells.x * side.x, grid.cells.y * side.y, grid.cells.z * side.z});
    return reach_squared_of<Pair>(1.001 * cutoff +
                                  16.0 * std::numeric_limits<Pair>::epsilon() * longest);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
