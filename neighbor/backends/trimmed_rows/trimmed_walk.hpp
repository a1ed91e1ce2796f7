// The way over nine rows of cells around a target, each as far as the sphere of the cutoff goes
// through it, and what the sources there add to the target's sum.
#pragma once

#include "core/device/opaque.hpp"
#include "core/device/quick_floor.hpp"
#include "core/interactions/force_units.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/walks/cell_walk.hpp"
#include "neighbor/walks/target_quanta.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Sources that are on their way at once; so many less one are read behind the last row.
inline constexpr int sources_at_once = 4;

/// Along a periodic x a row is one run of sources, whatever cells they are in.
template <class PairArithmetic>
struct RowsOnRing {
  using Pair = PairArithmetic;
  using Source = RingPosition<Pair>;
  static constexpr bool has_runs_of_cells = false;

  const Source* on_ring;  ///< [rows + behind_the_last]

  template <class Interaction>
  PENCILBOX_DEVICE_FUNCTION Source fetch(Index number) const {
    return on_ring[number];
  }
  /// Where it is along x, in so many slices of its cell from the lower face. `column`: that cell's.
  PENCILBOX_DEVICE_FUNCTION static Pair slice(const Source& at, Index column, Index slices, Pair) {
    const auto into_cell = at.x - static_cast<typename Source::Whole>(column) * Source::cell;
    const auto of_a_unit = static_cast<Pair>(slices) / static_cast<Pair>(Source::cell);
    return static_cast<Pair>(static_cast<typename Source::Signed>(into_cell)) * of_a_unit;
  }
};

/// Along an open one each of its cells is a run: those who have left the grid may be anywhere, and
/// a coordinate is one of its cell.
template <class PairArithmetic>
struct RowsOfCells {
  using Pair = PairArithmetic;
  using Source = PackedPosition<Pair>;
  static constexpr bool has_runs_of_cells = true;

  Vec3View<const Pair> position;  ///< [rows]
  const std::int32_t* type;       ///< [rows]
  Index last;

  /// Behind the last stands the last.
  template <class Interaction>
  PENCILBOX_DEVICE_FUNCTION Source fetch(Index number) const {
    const Index i = smaller(number, last);
    return {position[i], static_cast<typename Source::Type>(type_if_needed<Interaction>(type, i))};
  }
  PENCILBOX_DEVICE_FUNCTION static Pair slice(const Source& at, Index, Index slices,
                                              Pair slices_of_length) {
    return at.position.x * slices_of_length + Pair(0.5) * static_cast<Pair>(slices);
  }
};

template <class Precision, Wanted wanted, class Interaction, class Rows>
struct TrimmedWalk {
  using Pair = typename Precision::Pair;
  using Source = typename Rows::Source;
  using Sum = TargetSum<Precision, wanted>;
  static constexpr bool in_quanta = is_in_quanta<Interaction>;
  static constexpr bool forces_in_quanta = in_quanta && wanted == Wanted::forces;
  static constexpr Index slices = CellParts::of_slices;
  static_assert(sources_at_once - 1 <= RingPosition<Pair>::behind_the_last);

  BinnedParticles<Precision> particles;
  Rows rows;
  Interaction interaction;
  Pair reach_squared;     ///< of the rows [sigma^2]
  Pair slices_of_length;  ///< [1/sigma]
  Pair unit;              ///< of a whole number [sigma]

  struct Target {
    Index particle;
    CellCoordinates home;
    Source at;
    Pair slice;                 ///< where it is along x, in slices from the lower face of its cell
    Index lane = 0, lanes = 1;  ///< of those that share it, each every so many groups of a run
  };

  PENCILBOX_DEVICE_FUNCTION Target fetch(Index number, Index lane = 0, Index lanes = 1) const {
    const Source at = rows.template fetch<Interaction>(number);
    const CellCoordinates home = particles.grid.coordinates(particles.cell[number]);
    return {number, home, at, Rows::slice(at, home.x, slices, slices_of_length), lane, lanes};
  }

  /// What each source takes of a walk in quanta. A compiler fetches a kernel's arguments anew for
  /// every few sources; what comes from memory stays in registers.
  struct Constants {
    float unit, balance, cutoff_squared, anchor;
  };
  PENCILBOX_DEVICE_FUNCTION Constants constants() const {
    return {unit, interaction.balance, interaction.cutoff_squared, interaction.anchor};
  }
  PENCILBOX_DEVICE_FUNCTION TrimmedWalk with(const Constants& constants) const {
    TrimmedWalk walk = *this;
    walk.unit = constants.unit;
    walk.interaction.balance = constants.balance;
    walk.interaction.cutoff_squared = constants.cutoff_squared;
    walk.interaction.anchor = constants.anchor;
    return walk;
  }

  /// Of the sources that are this lane's; the force in the interaction's units.
  PENCILBOX_DEVICE_FUNCTION Sum sum_of(const Target& target) const {
    if constexpr (in_quanta) {
      return sum_of_quanta(target);
    } else {
      Sum sum;
      const auto add = [&](const Seen& seen, int, const Source& source, const auto& exact,
                           bool counts) {
        sum.add_in_step(interaction, seen.from(source, unit), position(source), seen.shift, exact,
                        static_cast<std::int32_t>(target.at.type),
                        static_cast<std::int32_t>(source.type), counts);
      };
      for_each_source(target, add, [] {});
      return sum;
    }
  }

  /// Whole again.
  template <class Sink>
  PENCILBOX_DEVICE_FUNCTION void store(Sum& sum, const Sink& sink, Index number) const {
    if constexpr (wanted != Wanted::counts) sum.force = out_of_force_units(interaction, sum.force);
    sum.store(sink, number);
  }

 private:
  /// By how many cells from the target's a run is met, by which image of its row along x, and where
  /// that row begins.
  struct Met {
    Index dx, image, dy, dz, row;
  };

  /// Sources [begin, end). Where `is_roomy`, those read behind the last lie in the same row, less
  /// than half of a ring away: they are out of range, and nobody has to know that they are none.
  struct Run {
    Index begin, end;
    bool is_roomy = false;
  };

  /// Where the target is for the sources of a run. On a ring its x is what is between the two.
  struct Seen {
    Vec3<Pair> at;
    CellShift<Pair> shift;
    typename RingPosition<Pair>::Whole x;

    PENCILBOX_DEVICE_FUNCTION Vec3<Pair> from(const PackedPosition<Pair>&, Pair) const {
      return at;
    }
    PENCILBOX_DEVICE_FUNCTION Vec3<Pair> from(const RingPosition<Pair>& source, Pair unit) const {
      return {RingPosition<Pair>::apart(x, source.x, unit), at.y, at.z};
    }
  };

  PENCILBOX_DEVICE_FUNCTION Sum sum_of_quanta(const Target& target) const {
    using Quanta = TargetQuanta<Precision, wanted, Interaction>;
    const auto separation = [&](const Seen& seen, const Source& source) {
      return seen.from(source, unit) - position(source);
    };
    Quanta sum;
    const auto add = [&](const Seen& seen, int number, const Source& source, const auto& exact,
                         bool counts) {
      sum.add_in_step(interaction, number, separation(seen, source), exact, counts);
    };
    for_each_source(target, add, [&] { sum.carry(interaction); });
    Sum whole = sum.whole(interaction);
    if (!sum.needs_correction(interaction)) return whole;
    Quanta far;
    Vec3<double> near;
    const auto correct = [&](const Seen& seen, int, const Source& source, const auto&,
                             bool counts) {
      const Vec3<float> apart = separation(seen, source);
      far.add_if_far(interaction, apart, counts);
      near += Quanta::force_if_near(interaction, apart, counts);
    };
    for_each_source(target, correct, [&] { far.carry(interaction); });
    whole.force = far.whole(interaction).force + near;
    return whole;
  }

  /// Every source of the target that is this lane's, in the same order whoever asks: rows, then
  /// what of them wraps. Calls add(seen, number of the source in its group, source, its exact
  /// separation, whether it counts); and carry() before a sum in quanta may be full.
  template <class Add, class Carry>
  PENCILBOX_DEVICE_FUNCTION void for_each_source(const Target& target, const Add& add,
                                                 const Carry& carry) const {
    const auto visit = [&](const Met& met, const Run& run) {
      if constexpr (in_quanta) {
        const Index most = TargetQuanta<Precision, wanted, Interaction>::most_at_once *
                           target.lanes;  // so many whole groups
        for (Index begin = run.begin; begin < run.end; begin += most) {
          const Index end = opaque(smaller(begin + most, run.end));
          add_run(target, met, {begin, end, run.is_roomy}, add);
          carry();
        }
      } else {
        add_run(target, met, run, add);
      }
    };
    for_each_run(target, visit);
    for_each_image(target, visit);
  }

  /// Calls visit(met, run of sources): z outermost, the order of memory. Pieces of rows that wrap
  /// come behind all others: for_each_image().
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each_run(const Target& target, Visit&& visit) const {
    for_each_row(target, [&](const Met& met, Pair first, Pair last) {
      if constexpr (Rows::has_runs_of_cells) {
        visit_cells(target, met, first, last, visit);
      } else {
        visit_piece(met, whole_slices(target, first, last), visit);
      }
    });
  }

  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each_image(const Target& target, Visit&& visit) const {
    const Index x = target.home.x, cells = particles.grid.cells.x;
    if (Rows::has_runs_of_cells || (x > 0 && x < cells - 1)) return;
    for_each_row(target, [&](Met met, Pair first, Pair last) {
      const IndexRange of_row = whole_slices(target, first, last);
      for (met.image = -1; met.image <= 1; met.image += 2) visit_piece(met, of_row, visit);
    });
  }

  template <class Add>
  PENCILBOX_DEVICE_FUNCTION void add_run(const Target& target, const Met& met, const Run& run,
                                         const Add& add) const {
    const bool holds_target = met.dx == 0 && met.image == 0 && met.dy == 0 && met.dz == 0;
    if (holds_target || !run.is_roomy) {
      const Index itself = holds_target ? target.particle : -1;
      add_groups(
          target, met, run, [&](Index source) { return source < run.end && source != itself; },
          add);
    } else {
      add_groups(
          target, met, run, [](Index) { return true; }, add);
    }
  }

  /// Calls visit(met, first, last) for each row that is in reach: from slice to slice, counted from
  /// the lower face of the target's cell.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void for_each_row(const Target& target, Visit&& visit) const {
    const auto& grid = particles.grid;
    const Vec3<Pair> at = position(target.at);
    const NeighborSpan along_y(target.home.y, grid.cells.y, grid.periodic.y);
    const NeighborSpan along_z(target.home.z, grid.cells.z, grid.periodic.z);
    for (Index z = along_z.first; z <= along_z.last; ++z) {
      for (Index y = along_y.first; y <= along_y.last; ++y) {
        const Index dy = y - target.home.y, dz = z - target.home.z;
        const Pair gap_y = gap(dy, at.y, grid.side.y), gap_z = gap(dz, at.z, grid.side.z);
        const Pair half_squared = (reach_squared - gap_y * gap_y) - gap_z * gap_z;  // of a chord
        if (!(half_squared > Pair(0))) continue;
        const auto root = static_cast<Pair>(quick_square_root(static_cast<float>(half_squared)));
        const Pair half = root * slices_of_length;
        const Index row = grid.linear({0, grid.wrap_y(y), grid.wrap_z(z)});
        visit(Met{0, 0, dy, dz, row}, target.slice - half, target.slice + half);
      }
    }
  }

  /// Where both sides of a pair must have the same last bit the shift comes after the difference,
  /// or all coordinates are on a lattice.
  PENCILBOX_DEVICE_FUNCTION Seen seen_from(const Target& target, const Vec3<Pair>& to_run,
                                           Index image) const {
    constexpr bool once = !pairs_must_cancel<Precision> || in_quanta;
    const Vec3<Pair> at = position(target.at);
    return {once ? at - to_run : at, {once ? Vec3<Pair>{} : to_run, {}}, x_of(target.at, image)};
  }

  /// `counts`: whether who has this number is a source of the run.
  template <class Counts, class Add>
  PENCILBOX_DEVICE_FUNCTION void add_groups(const Target& target, const Met& met, const Run& run,
                                            const Counts& counts, const Add& add) const {
    const auto& side = particles.grid.side;
    const Vec3<Pair> to_run{static_cast<Pair>(met.dx) * side.x, static_cast<Pair>(met.dy) * side.y,
                            static_cast<Pair>(met.dz) * side.z};
    const Seen seen = seen_from(target, to_run, met.image);
    const Index first = run.begin + target.lane * sources_at_once,
                stride = target.lanes * sources_at_once;
    for (Index begin = first; begin < run.end; begin += stride) {
      Source source[sources_at_once];
      for (int s = 0; s < sources_at_once; ++s) {
        source[s] = rows.template fetch<Interaction>(begin + s);
      }
      for (int s = 0; s < sources_at_once; ++s) {
        const Index number = begin + s;
        const auto exact = [&] { return separation(target, number, met); };
        add(seen, s, source[s], exact, counts(number));
      }
    }
  }

  /// How far it is at least to the cells on that side.
  PENCILBOX_DEVICE_FUNCTION static Pair gap(Index step, Pair at, Pair side) {
    const Pair to_face = Pair(0.5) * side + (step < 0 ? at : -at);
    return step != 0 && to_face > Pair(0) ? to_face : Pair(0);
  }

  /// From the first to behind the last, counted from the beginning of the row; before it or behind
  /// its end in other images.
  PENCILBOX_DEVICE_FUNCTION static IndexRange whole_slices(const Target& target, Pair first,
                                                           Pair last) {
    const Index to_home = slices * target.home.x;
    return {to_home + larger(static_cast<Index>(std::floor(first)), -slices),
            to_home + smaller(static_cast<Index>(std::floor(last)), 2 * slices - 1) + 1};
  }

  /// What of these slices is in the image.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void visit_piece(const Met& met, const IndexRange& of_row,
                                             Visit&& visit) const {
    const Index all = slices * particles.grid.cells.x;
    const Index begin = larger(of_row.begin - met.image * all, 0);
    const Index end = smaller(of_row.end - met.image * all, all);
    if (begin >= end) return;
    const Index* const offset = particles.part_offset;
    const Index to_row = slices * met.row;
    const Run run{offset[to_row + begin], offset[to_row + end]};
    const bool is_roomy = wanted != Wanted::counts && offset[to_row + smaller(end + slices, all)] >=
                                                          run.end + sources_at_once - 1;
    visit(met, Run{run.begin, run.end, is_roomy});
  }

  /// Whoever has left the grid is in the first or the last slice of a row, which is asked in any
  /// case.
  template <class Visit>
  PENCILBOX_DEVICE_FUNCTION void visit_cells(const Target& target, Met met, Pair first, Pair last,
                                             Visit&& visit) const {
    const Index cells = particles.grid.cells.x;
    for (met.dx = -1; met.dx <= 1; ++met.dx) {
      const Index x = target.home.x + met.dx;
      if (x < 0 || x >= cells) continue;
      const Pair from = first - Pair(slices * met.dx), to = last - Pair(slices * met.dx);
      const bool is_at_face = x == 0 || x == cells - 1;
      if (!is_at_face && !(to >= Pair(0) && from < Pair(slices))) continue;
      const Index* const offset = particles.part_offset;
      const Index to_cell = slices * (met.row + x);
      visit(met, Run{offset[to_cell + slice_at(from)], offset[to_cell + slice_at(to) + 1]});
    }
  }

  /// The nearest of a cell.
  PENCILBOX_DEVICE_FUNCTION static Index slice_at(Pair x) {
    if (!(x > Pair(0))) return 0;
    return x < Pair(slices) ? static_cast<Index>(x) : slices - 1;
  }

  PENCILBOX_DEVICE_FUNCTION static Vec3<Pair> position(const PackedPosition<Pair>& one) {
    return one.position;
  }
  PENCILBOX_DEVICE_FUNCTION static Vec3<Pair> position(const RingPosition<Pair>& one) {
    return {0, one.y, one.z};
  }
  PENCILBOX_DEVICE_FUNCTION static typename RingPosition<Pair>::Whole x_of(
      const PackedPosition<Pair>&, Index) {
    return 0;
  }
  PENCILBOX_DEVICE_FUNCTION typename RingPosition<Pair>::Whole x_of(
      const RingPosition<Pair>& target, Index image) const {
    return target.farther(-image * particles.grid.cells.x);
  }

  PENCILBOX_DEVICE_FUNCTION Vec3<double> separation(const Target& target, Index source,
                                                    const Met& met) const {
    const auto& grid = particles.grid;
    const Index column = particles.cell[source] - met.row + met.image * grid.cells.x;
    return exact_separation(particles, target.particle, source,
                            grid.shift(column - target.home.x, met.dy, met.dz));
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
