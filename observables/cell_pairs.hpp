// Who is near whom, whatever back end runs: a walk over the cells that a distance reaches.
// Separations are in double whatever the precision of a run; whether a pair may be near enough is
// asked in the precision of the state before, since most are not.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "neighbor/walks/index_range.hpp"
#include "observables/observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// The number of an unordered pair of types: 00, 01, ..., 11, 12, ...
PENCILBOX_DEVICE_FUNCTION constexpr Index number_of_pair(Index a, Index b, Index types) {
  const Index low = a < b ? a : b;
  const Index high = a < b ? b : a;
  return low * types - low * (low - 1) / 2 + high - low;
}

template <class State>
struct CellPairs {
  Vec3View<const State> position;  ///< [N] relative to the cell's centre [sigma]
  const Index* cell;               ///< [N]
  const Index* offset;             ///< [cells + 1]
  GridView<double> grid;
  CellCoordinates reach;  ///< cells in each direction
  State distance;         ///< that is near enough [sigma]
  State error;            ///< of a rough distance, at most [sigma]

  /// Calls action(source, separation from target to source, its square) such that each pair of the
  /// system comes once: half of the cells around the target are looked at; those in the others look
  /// at it. Beside the pairs that are near there are others.
  template <class Action>
  PENCILBOX_DEVICE_FUNCTION void each_pair_once(Index target, const Action& action) const {
    half_around(grid.coordinates(cell[target]),
                [&](const CellCoordinates& away, const IndexRange& particles) {
                  const Index first = is_home(away) ? target + 1 : particles.begin;
                  look_at(target, {first, particles.end}, away, action);
                });
  }

  /// The same for all partners of the target, so that a pair comes to each of the two.
  template <class Action>
  PENCILBOX_DEVICE_FUNCTION void all_around(Index target, const Action& action) const {
    const CellCoordinates home = grid.coordinates(cell[target]);
    for (Index z = -reach.z; z <= reach.z; ++z) {
      for (Index y = -reach.y; y <= reach.y; ++y) {
        for (Index x = -reach.x; x <= reach.x; ++x) {
          const bool is_home = x == 0 && y == 0 && z == 0;
          look_at(target, particles_of(home, {x, y, z}), {x, y, z},
                  [&](Index source, const Vec3<double>& apart, double squared) {
                    if (!is_home || source != target) action(source, apart, squared);
                  });
        }
      }
    }
  }

  /// Calls visit(away, particles) for half of the cells around `home`, itself included: pairs of
  /// two cells come once.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void half_around(const CellCoordinates& home,
                                             const Visit& visit) const {
    for (Index z = 0; z <= reach.z; ++z) {
      for (Index y = z == 0 ? 0 : -reach.y; y <= reach.y; ++y) {
        for (Index x = z == 0 && y == 0 ? 0 : -reach.x; x <= reach.x; ++x) {
          visit(CellCoordinates{x, y, z}, particles_of(home, {x, y, z}));
        }
      }
    }
  }
  PENCILBOX_DEVICE_FUNCTION static bool is_home(const CellCoordinates& away) {
    return away.x == 0 && away.y == 0 && away.z == 0;
  }

  /// Where a target is, seen from the centre of the cell that is `away` from its own.
  PENCILBOX_DEVICE_FUNCTION Vec3<State> seen_from(Index target, const CellCoordinates& away) const {
    return position[target] - shift(away).template to<State>();
  }
  /// Of a pair that may be near enough: below it is the square of a rough distance.
  PENCILBOX_DEVICE_FUNCTION State near_squared() const {
    return (distance + error) * (distance + error);
  }
  PENCILBOX_DEVICE_FUNCTION Vec3<double> separation(Index target, Index source,
                                                    const CellCoordinates& away) const {
    const Vec3<double> from = position[target].template to<double>();
    return shift(away) + (position[source].template to<double>() - from);
  }

  /// Most cells that a target looks at.
  std::int64_t cells_of_a_target() const {
    const auto wide = [](Index cells) { return 2 * std::int64_t{cells} + 1; };
    return (wide(reach.x) * wide(reach.y) * wide(reach.z) + 1) / 2;
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Vec3<double> shift(const CellCoordinates& away) const {
    return grid.shift(away.x, away.y, away.z).exact;
  }

  /// Of the cell that is `away` from home; none where there is no such cell.
  PENCILBOX_DEVICE_FUNCTION IndexRange particles_of(const CellCoordinates& home,
                                                    const CellCoordinates& away) const {
    const CellCoordinates there{wrapped(home.x + away.x, grid.cells.x, grid.periodic.x),
                                wrapped(home.y + away.y, grid.cells.y, grid.periodic.y),
                                wrapped(home.z + away.z, grid.cells.z, grid.periodic.z)};
    if (there.x < 0 || there.y < 0 || there.z < 0) return {};
    const Index number = grid.linear(there);
    return {offset[number], offset[number + 1]};
  }

  template <class Action>
  PENCILBOX_DEVICE_FUNCTION void look_at(Index target, const IndexRange& sources,
                                         const CellCoordinates& away, const Action& action) const {
    const Vec3<State> from = seen_from(target, away);
    for (Index source = sources.begin; source < sources.end; ++source) {
      const Vec3<State> rough = position[source] - from;
      if (!(dot(rough, rough) < near_squared())) continue;
      const Vec3<double> apart = separation(target, source, away);
      action(source, apart, dot(apart, apart));
    }
  }

  /// Any number of boxes away; -1 beyond an open face.
  PENCILBOX_DEVICE_FUNCTION static Index wrapped(Index coordinate, Index cells, bool is_periodic) {
    if (coordinate >= 0 && coordinate < cells) return coordinate;
    if (!is_periodic) return -1;
    const Index rest = coordinate % cells;
    return rest < 0 ? rest + cells : rest;
  }
};

/// How many cells away in a direction a particle may be that is nearer than `distance`. (One that
/// rounding has put beyond its cell's face could be nearer than that by the same rounding: where
/// the last bin ends.) One that is outside an open face lies in the cell at the border, which is
/// no farther from the others' cells than it is from them.
inline Index reach_of(const CellGrid& grid, std::size_t direction, double distance, double stray) {
  const double cells = std::ceil((distance + 2.0 * stray) / grid.side[direction]);
  const Index others = grid.cells[direction] - 1;
  return grid.periodic[direction] ? static_cast<Index>(cells)
                                  : static_cast<Index>(std::min(cells, double(others)));
}

/// How far a distance in the precision of the state may be from the true one, for pairs that are
/// near enough: their coordinates are not larger than the cells that the distance reaches, and the
/// distance.
template <class State>
double error_of_distance(double distance, const CellGrid& grid, const CellCoordinates& reach,
                         double stray) {
  const double largest = (reach.x + 1) * grid.side[0] + (reach.y + 1) * grid.side[1] +
                         (reach.z + 1) * grid.side[2] + distance + stray;
  constexpr double roundings = 4.0;
  return roundings * double{std::numeric_limits<State>::epsilon()} * largest;
}

/// All that are nearer than `distance`, and others.
template <class Precision>
CellPairs<typename Precision::State> pairs_within(double distance,
                                                  const ObservedState<Precision>& state) {
  using State = typename Precision::State;
  const auto& particles = state.particles.state;
  const CellCoordinates reach{reach_of(state.grid, 0, distance, state.stray),
                              reach_of(state.grid, 1, distance, state.stray),
                              reach_of(state.grid, 2, distance, state.stray)};
  return {particles.position.view(),
          particles.cell.data(),
          state.offset,
          state.grid.template view<double>(),
          reach,
          static_cast<State>(distance),
          static_cast<State>(error_of_distance<State>(distance, state.grid, reach, state.stray))};
}

/// Of the cells, as it is now.
inline double volume_of(const CellGrid& grid) {
  double volume = 1.0;
  for (std::size_t d = 0; d < 3; ++d) volume *= grid.side[d] * grid.cells[d];
  return volume;
}

/// The shortest that reads back: what is named as allowed has to be.
inline std::string shortest_text(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.begin(), text.end(), number).ptr;
  return {text.begin(), end};
}

/// Beyond half of a periodic side a particle would meet images of one and the same other. Throws
/// ObservableRefusal.
inline void require_nearest_images(const ObservableSettings& settings) {
  const Box& box = settings.system.box;
  const double distance = settings.parameter("max_distance");
  double most = distance;
  for (std::size_t d = 0; d < 3; ++d) {
    if (box.periodic[d]) most = std::min(most, 0.5 * box.edges[d]);
  }
  if (distance <= most) return;
  throw ObservableRefusal(settings.choice.name, "max_distance",
                          "more than half of the shortest side of the box", shortest_text(distance),
                          "at most " + shortest_text(most));
}

/// That parameter, which several observables have.
inline ParameterInfo max_distance_parameter() {
  return {.name = "max_distance",
          .description =
              "Pairs farther apart are not counted; at most half of the shortest side of "
              "the box",
          .unit = "sigma",
          .minimum = 1e-6,
          .maximum = 1e7};
}

/// Likewise.
inline ParameterInfo bins_parameter() {
  return {.name = "bins",
          .description = "Equal parts of what is looked at",
          .unit = "",
          .minimum = 1.0,
          .maximum = 100000.0,
          .default_value = "250",
          .is_integer = true};
}

}  // namespace pencilbox::PENCILBOX_DEVICE
