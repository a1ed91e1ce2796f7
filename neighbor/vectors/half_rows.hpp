// Rows that have each pair of a brick once: plain data, and the kernels, chosen once for the
// instruction set of the machine.
//
// A row has four targets of a brick (brick.hpp) that follow each other, and as sources those who
// come after them in the brick and are near any of the four, then whoever is near and outside of
// the brick. What the targets do to the former is summed up too, in memory of the thread; the
// latter do the same elsewhere. So a thread writes nobody's sums but its brick's, and their order
// depends on nothing but that of the particles.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "neighbor/vectors/brick_order.hpp"
#include "neighbor/vectors/rows.hpp"

namespace pencilbox::host {

/// Three numbers of a place, and one that is not read.
template <class Number>
struct alignas(4 * sizeof(Number)) NumbersOfPlace {
  std::array<Number, 4> number{};
};

/// Four targets of a column, or fewer, by their places.
struct RowInColumn {
  std::array<Index, targets_of_a_row> place{};
  Index count = 0;
  float lower = 0.0F, upper = 0.0F;  ///< of their x
};

/// Where some rows look for sources: the first places of vectors, those inside of the brick before
/// those outside.
struct PlacesToTest {
  std::vector<Index> first;
  Index inside = 0, count = 0;

  void clear() { inside = count = 0; }
  void reserve(Index more) {
    const auto wanted = static_cast<std::size_t>(count + more);
    if (first.size() < wanted) first.resize(2 * wanted);
  }
};

/// What a pair did beyond what is summed in whole numbers.
struct ForceBeyond {
  Index place;
  Vec3<double> force;  ///< [epsilon/sigma]
};

/// Memory that a thread works in; it grows as needed.
struct BrickScratch {
  template <class Real>
  struct Words {
    std::vector<PackedPosition<Real>> arrived;  ///< cell by cell
    StagedWords<Real> staged;                   ///< by place
  };

  std::tuple<Words<float>, Words<double>> words;
  BrickOrder order;
  std::vector<Index> particle;    ///< by place
  StagedNumbers around;           ///< by place: for the search
  std::vector<float> square;      ///< by place: of the distance from the middle
  StretchOrder along_a_curve;     ///< of the particles of a column
  std::vector<RowInColumn> rows;  ///< of a column
  StretchOrder along_x;           ///< of these
  PlacesToTest to_test;
  SeventhRoot seventh_root;
  std::vector<RowEntry> row;
  /// What the sources of a row have from its targets, in its order.
  std::tuple<std::vector<NumbersOfPlace<std::int32_t>>, std::vector<NumbersOfPlace<float>>,
             std::vector<NumbersOfPlace<double>>>
      reaction;
  /// By place, of the brick's own.
  std::tuple<std::vector<NumbersOfPlace<float>>, std::vector<NumbersOfPlace<double>>> sums;
  std::vector<ForceBeyond> beyond;
};

/// Forces of the particles of a brick, stored by particle.
template <class Real>
using ForcesOfBrick = void (*)(const PlacedParticles<Real>&, const VectorInteraction<Real>&,
                               double cutoff, const Brick&, const Vec3View<Real>& force,
                               BrickScratch&);
template <class Real>
ForcesOfBrick<Real> forces_of_brick();

/// The same of pairs in floats, summed in whole numbers.
using FixedPointForcesOfBrick = void (*)(const PlacedParticles<float>&,
                                         const VectorInteraction<float>&, const FixedPoint&,
                                         double cutoff, const Brick&, const Vec3View<double>& force,
                                         BrickScratch&);
FixedPointForcesOfBrick fixed_point_forces_of_brick();

}  // namespace pencilbox::host
