// A grid of a back end's own: for back ends that sort the particles themselves, as published, and
// so take them as if they came in any order. Here is what those have in common: in which own cell a
// particle lies and where in it, the reordered copy, and the walk of a target over 27 own cells.
// They differ in how they bring particles into the order of their cells.
//
// The own grid cuts the same stretch as the engine's, into as many cells or fewer. Nothing is ever
// measured from the corner of the box: from the centre of an engine's cell to the centre of the own
// one it is a whole number of steps of a fixed length, so no digits are lost in a big box.
#pragma once

#include <cmath>
#include <sstream>
#include <string>

#include "neighbor/pair_sum.hpp"
#include "neighbor/problem.hpp"
#include "neighbor/walks/cell_walk.hpp"
#include "neighbor/walks/target_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

inline OptionInfo own_cell_option() {
  return {"cell",
          "r",
          "side of a cell of its own grid; r: at least the cutoff, 2r: twice as much, as in FENNS, "
          "Table 4",
          {"r", "2r"}};
}

/// `r` is the engine's grid, `2r` half as many cells in each direction: floor(length / 2 r).
inline CellGrid own_grid_of(const Problem& problem, const BackendOptions& options) {
  return options.at("cell") == "2r" ? coarser_grid(problem.grid, 2) : problem.grid;
}

/// One direction of the own grid beside the engine's.
struct OwnAxis {
  Index cells = 1;
  Index engine_cells = 1;
  double side = 0.0;  ///< of an own cell [sigma]
  double step = 0.0;  ///< distances between centres of the two grids are multiples of it [sigma]
  bool periodic = false;

  OwnAxis(const CellGrid& own, const CellGrid& engine, std::size_t direction)
      : cells(own.cells[direction]),
        engine_cells(engine.cells[direction]),
        side(own.side[direction]),
        step(side / (2.0 * static_cast<double>(engine_cells))),
        periodic(own.periodic[direction]) {}

  struct Place {
    Index cell;
    double offset;  ///< from the cell's centre [sigma]
  };

  /// Where a particle lies that the engine has at `offset` from the centre of its cell: wrapped in
  /// a periodic direction, in the nearest cell in an open one. Two kernels ask, one for the cell
  /// and one for the offset, and must get one answer: so roundings are spelled out as fma, which
  /// no compiler does differently here and there.
  PENCILBOX_DEVICE_FUNCTION Place place(Index engine_cell, double engine_offset) const {
    const std::int64_t centre = 2 * std::int64_t{engine_cell} + 1;  // in half cells
    const Index cell = cells == engine_cells
                           ? engine_cell
                           : static_cast<Index>(centre * cells / (2 * std::int64_t{engine_cells}));
    const std::int64_t steps = centre * cells - (2 * std::int64_t{cell} + 1) * engine_cells;
    const double offset = std::fma(static_cast<double>(steps), step, engine_offset);
    double moved = std::floor(offset / side + 0.5);
    double target = cell + moved;
    if (periodic) {
      target -= cells * std::floor(target / cells);
    } else {
      target = target < 0.0 ? 0.0 : (target >= cells ? cells - 1.0 : target);
      moved = target - cell;
    }
    return {static_cast<Index>(target), std::fma(-moved, side, offset)};
  }
};

/// The particles as the engine gives them, seen from the own grid.
template <class Precision>
struct OwnPlaces {
  BinnedParticles<Precision> particles;
  OwnAxis x, y, z;

  struct Place {
    Index cell;           ///< linear
    Vec3<double> offset;  ///< from the cell's centre [sigma]
  };

  PENCILBOX_DEVICE_FUNCTION Place operator()(Index particle) const {
    const CellCoordinates cell = particles.grid.coordinates(particles.cell[particle]);
    const Vec3<double> offset = particles.state_position[particle].template to<double>();
    const OwnAxis::Place on_x = x.place(cell.x, offset.x);
    const OwnAxis::Place on_y = y.place(cell.y, offset.y);
    const OwnAxis::Place on_z = z.place(cell.z, offset.z);
    return {(on_z.cell * y.cells + on_y.cell) * x.cells + on_x.cell,
            {on_x.offset, on_y.offset, on_z.offset}};
  }
  /// By which CellSort sorts.
  PENCILBOX_DEVICE_FUNCTION Index key_of(Index particle) const { return (*this)(particle).cell; }
};

/// The particles in the order of the own cells: what the walk reads. A slot is a place in it.
template <class Precision>
struct ReorderedCopy {
  using Pair = typename Precision::Pair;
  Vec3View<Pair> position;  ///< [N] relative to the own cell's centre [sigma]
  std::int32_t* type;       ///< [N], null where there is one type only
  Index* order;             ///< [N] the engine's index of a slot's particle

  PENCILBOX_DEVICE_FUNCTION void fill(Index slot, Index particle,
                                      const OwnPlaces<Precision>& places) const {
    position.store(slot, places(particle).offset.template to<Pair>());
    if (type != nullptr) type[slot] = places.particles.type[particle];
  }
};

/// The slots of a cell. Two arrays: of Green's cellStart and cellEnd only the entries of cells with
/// particles are written; Hoetzlein's offsets are the first, and one cell on they are the end.
struct OwnCells {
  static constexpr Index empty = -1;
  const Index* first;  ///< [cells] or `empty`
  const Index* end;    ///< [cells]

  struct Slots {
    Index begin, end;
  };
  PENCILBOX_DEVICE_FUNCTION Slots operator()(Index cell) const {
    const Index begin = first[cell];
    return {begin, begin == empty ? begin : end[cell]};
  }
};

/// The sum of one target over 27 own cells: TargetWalk on a grid that the engine does not know.
template <class Precision, Wanted wanted, class Interaction>
struct OwnGridWalk {
  using Pair = typename Precision::Pair;
  using Sum = SumOf<Precision, wanted, Interaction>;

  BinnedParticles<Precision> engine;
  GridView<Pair> grid;
  OwnCells slots;
  ReorderedCopy<Precision> copy;
  Interaction interaction;
  SourceRuns runs;  ///< `merged` needs the first slot of every cell, of empty ones too

  struct Target {
    Index slot;
    Vec3<Pair> position;
    std::int32_t type;
  };

  PENCILBOX_DEVICE_FUNCTION Sum operator()(Index slot, const CellCoordinates& home) const {
    const Target target{slot, copy.position[slot], type_if_needed<Interaction>(copy.type, slot)};
    Sum sum;
    if (runs == SourceRuns::merged) {
      for_each_neighbor_run(grid, slots.first, home,
                            [&](const NeighborRun& run) { add_run(sum, target, run); });
    } else {
      for_each_neighbor_cell(grid, home, [&](Index cell, Index dx, Index dy, Index dz) {
        add_cell(sum, target, cell, grid.shift(dx, dy, dz), dx == 0 && dy == 0 && dz == 0);
      });
    }
    return sum;
  }

  PENCILBOX_DEVICE_FUNCTION void add_cell(Sum& sum, const Target& target, Index cell,
                                          const CellShift<Pair>& shift, bool own_cell) const {
    const Index skip = own_cell ? target.slot : Index{-1};
    const OwnCells::Slots sources = slots(cell);
    for (Index source = sources.begin; source < sources.end; ++source) {
      if (source != skip) add_source(sum, target, source, shift);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_run(Sum& sum, const Target& target,
                                         const NeighborRun& run) const {
    const CellShift<Pair> right = grid.shift(1, run.dy, run.dz);
    const bool own_row = run.dy == 0 && run.dz == 0;
    for (Index source = run.begin; source < run.end; ++source) {
      if (own_row && source == target.slot && run.dx(source) == 0) continue;
      add_source(sum, target, source, run.shift(source, right));
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_source(Sum& sum, const Target& target, Index source,
                                            const CellShift<Pair>& shift) const {
    const Vec3<Pair> position = copy.position[source];
    const auto exact = [&] {
      return exact_separation(target.slot, source, (target.position - position) - shift.rounded);
    };
    sum.add(interaction, target.position, position, shift, exact, target.type,
            type_if_needed<Interaction>(copy.type, source));
  }

  /// target - source in double, from the engine's positions: those are relative to the engine's
  /// cells, so their difference is off by whole sides of them. How many, the plain separation says.
  /// No copy in double is kept for it.
  PENCILBOX_DEVICE_FUNCTION Vec3<double> exact_separation(Index target, Index source,
                                                          const Vec3<Pair>& plain) const {
    const auto position = [&](Index slot) {
      return engine.state_position[copy.order[slot]].template to<double>();
    };
    const Vec3<double> offset = position(target) - position(source);
    const Vec3<double>& side = engine.grid.exact_side;
    return {by_whole_sides(offset.x, side.x, plain.x), by_whole_sides(offset.y, side.y, plain.y),
            by_whole_sides(offset.z, side.z, plain.z)};
  }

  /// `offset` and as many sides as bring it next to `near`.
  PENCILBOX_DEVICE_FUNCTION static double by_whole_sides(double offset, double side, Pair near) {
    return offset + side * std::floor((static_cast<double>(near) - offset) / side + 0.5);
  }
};

/// What both back ends own: the grid and the reordered copy, 16 bytes a particle in float, 28 in
/// double, and 4 more where there are several types.
template <class Precision>
class OwnGrid {
 public:
  using Pair = typename Precision::Pair;

  OwnGrid(const Problem& problem, const BackendOptions& options)
      : options_(options), engine_(problem.grid), grid_(own_grid_of(problem, options)) {
    position_.resize(problem.particles);
    order_.resize(problem.particles);
    if (types_of(problem.potential) > 1) type_.resize(problem.particles);
  }

  void box_changed(const Problem& problem) {
    engine_ = problem.grid;
    grid_ = own_grid_of(problem, options_);
  }

  Index cells() const { return grid_.count(); }
  GridView<Pair> view() const { return grid_.view<Pair>(); }
  Buffer<Index>& order() { return order_; }

  ReorderedCopy<Precision> copy() { return {position_.view(), type_.data(), order_.data()}; }

  OwnPlaces<Precision> places(const BinnedParticles<Precision>& particles) const {
    return {particles, OwnAxis(grid_, engine_, 0), OwnAxis(grid_, engine_, 1),
            OwnAxis(grid_, engine_, 2)};
  }

  template <Wanted wanted, class Functor>
  OwnGridWalk<Precision, wanted, Functor> walk(const BinnedParticles<Precision>& particles,
                                               const OwnCells& slots, const Functor& interaction,
                                               SourceRuns runs) {
    return {particles, view(), slots, copy(), interaction, runs};
  }

  std::string describe() const {
    std::ostringstream text;
    text << "one thread a target; own grid of " << grid_.cells[0] << " x " << grid_.cells[1]
         << " x " << grid_.cells[2] << " cells";
    return text.str();
  }

 private:
  BackendOptions options_;
  CellGrid engine_, grid_;
  Vec3Buffer<Pair> position_;
  Buffer<std::int32_t> type_;
  Buffer<Index> order_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
