// What lies around a pencil, a few cells that follow each other in x, as a thread of a CPU keeps it
// in its nearest memory: particles of the pencil and of all cells next to it, relative to the
// centre of its middle cell, run by run along x. Whatever is in a row of sources is known by its
// place here. A run keeps its places from pencil to pencil along y, so that who goes that way
// fetches three runs of nine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/grid_view.hpp"
#include "core/particles.hpp"
#include "core/vec3.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox::host {

/// Particles sorted by cell, each relative to the centre of its own.
template <class Real>
struct PlacedParticles {
  Vec3View<const Real> position;       ///< [N] [sigma]
  const PackedPosition<Real>* packed;  ///< [N] the same with the type; may be null
  const std::int32_t* type;            ///< [N] 0-based
  const Index* offset;                 ///< [cells + 1] first particle of a cell
  GridView<double> grid;
  double lattice = 0.0;  ///< spacing that coordinates and sides are multiples of, or 0 [sigma]
};

/// Cells [first, first + length) in x.
struct Pencil {
  /// The more cells, the less there is around each, but all of it has to stay near.
  static constexpr Index most_cells = 12;
  /// Where the nearest memory has 32 KB; and in doubles as they come, as in floats: a coordinate is
  /// not to lose a digit for it.
  static constexpr Index most_cells_in_little_memory = 6, most_cells_in_doubles = 6,
                         most_cells_in_floats = 3;

  CellCoordinates first;
  Index length = 1;
  Index middle_y = 0;  ///< of some pencils side by side, whose particles may be told from there
  Index track = 0;     ///< of those that follow each other in x

  bool is_next_to(const Pencil& before) const {
    return first.x == before.first.x && first.y == before.first.y + 1 &&
           first.z == before.first.z && middle_y == before.middle_y;
  }
};

/// How the cells of a grid make pencils: all rows of cells in the same parts. Who goes from one to
/// the next goes along y on a few tracks at a time, so that a track fetches what is new around its
/// next pencil, while the particles of all tracks follow each other in memory.
class Pencils {
 public:
  static constexpr Index most_tracks = 4;
  /// With one middle: no particle around them is farther from it than from that of a pencil.
  static constexpr Index most_side_by_side = 6;
  static_assert(most_side_by_side <= Pencil::most_cells);

  Pencils(const CellCoordinates& cells, Index most_cells)
      : cells_(cells), of_a_row_((cells.x + most_cells - 1) / most_cells) {
    const Index turns = (of_a_row_ + most_tracks - 1) / most_tracks;
    tracks_ = (of_a_row_ + turns - 1) / turns;
  }

  Index count() const { return of_a_row_ * cells_.y * cells_.z; }
  Index tracks() const { return tracks_; }

  Pencil operator[](Index number) const {
    const Index of_a_layer = of_a_row_ * cells_.y, of_a_turn = tracks_ * cells_.y;
    const Index in_layer = number % of_a_layer, first_part = in_layer / of_a_turn * tracks_;
    const Index tracks = std::min(tracks_, of_a_row_ - first_part);
    const Index in_turn = in_layer % of_a_turn;
    const Index track = in_turn % tracks, y = in_turn / tracks;
    const Index begin = begin_of(first_part + track);
    return {{begin, y, number / of_a_layer},
            begin_of(first_part + track + 1) - begin,
            y / most_side_by_side * most_side_by_side + most_side_by_side / 2,
            track};
  }

 private:
  Index begin_of(Index part) const {
    return static_cast<Index>(std::int64_t{cells_.x} * part / of_a_row_);
  }

  CellCoordinates cells_;
  Index of_a_row_;
  Index tracks_ = 1;
};

/// Where the cells around a pencil are. Runs: one for each of nine steps in y and z; cells of a
/// run: from one before the pencil to one behind it. Runs of one row of cells are at the same
/// places for all pencils that it is around, if these have as many for each run.
class NeighborhoodLayout {
 public:
  static constexpr Index runs = 9;
  static constexpr Index run_of_pencil = 4;
  static constexpr Index most_cells = Pencil::most_cells + 2;

  /// `places_of_a_run`: as many as any needs, of places_needed().
  template <class Real>
  NeighborhoodLayout(const PlacedParticles<Real>& placed, const Pencil& pencil,
                     Index places_of_a_run)
      : pencil_(pencil), places_of_a_run_(places_of_a_run) {
    for (Index run = 0; run < runs; ++run) {
      Run& here = run_[static_cast<std::size_t>(run)];
      Index place = first_place(run);
      for (Index x = 0; x < cells(); ++x) {
        const IndexRange range = particles_at(placed, pencil, run, x);
        here.particles[static_cast<std::size_t>(x)] = range;
        here.begin[static_cast<std::size_t>(x)] = place;
        place += range.count();
        most_in_a_cell_ = std::max(most_in_a_cell_, range.count());
      }
      here.begin[static_cast<std::size_t>(cells())] = place;
    }
  }

  template <class Real>
  static IndexRange particles_at(const PlacedParticles<Real>& placed, const Pencil& pencil,
                                 Index run, Index x) {
    const auto& grid = placed.grid;
    const CellCoordinates cell{grid.wrap_x(pencil.first.x + x - 1),
                               grid.wrap_y(pencil.first.y + steps_y(run)),
                               grid.wrap_z(pencil.first.z + steps_z(run))};
    if (cell.x < 0 || cell.y < 0 || cell.z < 0) return {};
    const Index number = grid.linear(cell);
    return {placed.offset[number], placed.offset[number + 1]};
  }

  /// For the longest run around a pencil, and for what is written behind its end.
  template <class Real>
  static Index places_needed(const PlacedParticles<Real>& placed, const Pencil& pencil) {
    constexpr Index of_the_widest_vector = 16;
    Index longest = 0;
    for (Index run = 0; run < runs; ++run) {
      Index length = 0;
      for (Index x = 0; x < pencil.length + 2; ++x) {
        length += particles_at(placed, pencil, run, x).count();
      }
      longest = std::max(longest, length);
    }
    return (longest / of_the_widest_vector + 2) * of_the_widest_vector;
  }

  const Pencil& pencil() const { return pencil_; }
  Index places() const { return runs * places_of_a_run_; }
  /// A place more, where nobody is near anybody.
  Index padding() const { return places(); }
  Index cells() const { return pencil_.length + 2; }  ///< of a run
  Index most_in_a_cell() const { return most_in_a_cell_; }

  IndexRange particles(Index run, Index x) const {
    return run_[static_cast<std::size_t>(run)].particles[static_cast<std::size_t>(x)];
  }
  IndexRange places(Index run) const { return {begin(run, 0), begin(run, cells())}; }
  /// The first place of a cell; one behind the last: the end of the run.
  Index begin(Index run, Index x) const {
    return run_[static_cast<std::size_t>(run)].begin[static_cast<std::size_t>(x)];
  }

  /// From the middle cell of the pencil to another [cells].
  Index steps_x(Index x) const { return x - 1 - pencil_.length / 2; }
  static Index steps_y(Index run) { return run % 3 - 1; }
  static Index steps_z(Index run) { return run / 3 - 1; }
  /// From the middle of the pencils side by side.
  Index steps_y_from_middle(Index run) const {
    return pencil_.first.y + steps_y(run) - pencil_.middle_y;
  }
  /// Those that the pencil before in y does not have.
  static bool is_new_in_y(Index run) { return steps_y(run) == 1; }

  /// Particles of the pencil, which follow each other, and their places.
  Index first_own() const { return particles(run_of_pencil, 1).begin; }
  Index own() const { return begin(run_of_pencil, cells() - 1) - begin(run_of_pencil, 1); }
  Index place_of_own(Index particle) const {
    return begin(run_of_pencil, 1) + (particle - first_own());
  }

 private:
  struct Run {
    std::array<IndexRange, most_cells> particles;
    std::array<Index, most_cells + 1> begin;
  };

  /// Rows of cells take turns.
  Index first_place(Index run) const {
    const Index turn = (pencil_.first.y + steps_y(run) + 3) % 3;
    return (run / 3 * 3 + turn) * places_of_a_run_;
  }

  Pencil pencil_;
  Index places_of_a_run_;
  Index most_in_a_cell_ = 0;
  std::array<Run, runs> run_;
};

/// Of coordinates in a neighbourhood: numbers as they come, or whole numbers of 32 bits, by the
/// spacing of a lattice. What is whole is exact in every neighbourhood that sees a pair: its two
/// separations differ in the sign alone.
/// Floats hold whole ones as well if they are told from near by and their spacing is that of a
/// lattice coarse enough: from a row's first target, when its sources are gathered.
enum class Digits { as_they_come, whole, whole_in_floats };
constexpr bool are_whole(Digits digits) { return digits != Digits::as_they_come; }

/// Coordinates as whole numbers of a spacing: a power of two, so that nothing but the last digit of
/// a coordinate is lost, and finer than a float of what is relative to a cell.
class WholeCoordinates {
 public:
  /// Where nobody is: differences with it fit too.
  static constexpr std::int32_t far = 1 << 30;

  explicit WholeCoordinates(const Vec3<double>& side) {
    constexpr double steps = Pencil::most_cells / 2 + 1;
    constexpr int bits = 29;
    const double farthest = (steps + 1.0) * std::max({side.x, side.y, side.z});
    int exponent = 0;
    const bool is_power_of_two = std::frexp(farthest, &exponent) == 0.5;
    spacing_ = std::ldexp(1.0, (is_power_of_two ? exponent - 1 : exponent) - bits);
  }
  /// On a lattice that they are on anyway, if they are.
  template <class Real>
  explicit WholeCoordinates(const PlacedParticles<Real>& placed)
      : WholeCoordinates(placed.grid.exact_side) {
    if (placed.lattice > 0.0) spacing_ = placed.lattice;
  }
  double spacing() const { return spacing_; }
  std::int32_t nearest(double x) const {
    return static_cast<std::int32_t>(std::nearbyint(x / spacing_));
  }

 private:
  double spacing_;
};

/// The numbers of a neighbourhood, by place.
struct StagedNumbers {
  /// Readable and writable behind the last place, so that a vector may begin at any.
  static constexpr Index room_behind = 16;

  std::vector<float> x, y, z;  ///< [sigma]

  void reserve(Index places) {
    const auto wanted = static_cast<std::size_t>(places + room_behind);
    if (x.size() >= wanted) return;
    for (auto* numbers : {&x, &y, &z}) numbers->resize(wanted + wanted / 4);
  }
};

/// The same, each place a word of its own: who gathers a row reads one for a source. Whole numbers
/// stand in the bits of floats: words are moved, not computed with.
template <class Real>
struct StagedWords {
  static constexpr Index room_behind = 16;

  std::vector<PackedPosition<Real>> word;

  void reserve(Index places) {
    const auto wanted = static_cast<std::size_t>(places + room_behind);
    if (word.size() < wanted) word.resize(wanted + wanted / 4);
  }
};

}  // namespace pencilbox::host
