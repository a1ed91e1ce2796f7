// Rows of sources for a CPU's vectors: plain data, and the kernels that fill and walk them, chosen
// once for the instruction set of the machine.
//
// A row has four targets of one pencil that lie near each other, and all sources within reach of
// any of them, single ones, by their places in the neighbourhood of a pencil. It is gathered once,
// its coordinates side by side, and then each of the four goes along it, a vector of sources at a
// time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "core/interactions/lennard_jones.hpp"
#include "neighbor/vectors/neighborhood.hpp"
#include "neighbor/vectors/pencil_curve.hpp"

namespace pencilbox::host {

inline constexpr int targets_of_a_row = 4;

/// Up to four targets of one pencil. Who are missing repeat the first.
struct RowTargets {
  std::array<Index, targets_of_a_row> particle{};
  Index count = 0;   ///< of targets
  Index length = 0;  ///< of the row: sources that are none of the targets
  Index begin = 0;   ///< of the row, among the entries of the pencil's
};

/// The rows that a pencil needs whose first cell has that number.
inline Index rows_needed(const Index* offset, Index first_cell, const Pencil& pencil) {
  const Index particles = offset[first_cell + pencil.length] - offset[first_cell];
  return (particles + targets_of_a_row - 1) / targets_of_a_row;
}

/// A source by its place in the neighbourhood of the pencil: how far its word is from the first, in
/// fourths of a word, which a machine multiplies on the way to an address. (To be multiplied apart,
/// sixteen of a vector, costs as much as their way into it.)
using RowEntry = std::uint32_t;
inline constexpr RowEntry entries_of_a_place = 4;
constexpr RowEntry entry_of(Index place) {
  return static_cast<RowEntry>(place) * entries_of_a_place;
}

/// As it is kept: rows are most of what a step reads. Where a neighbourhood has more places an
/// entry takes two of them.
using KeptEntry = std::uint16_t;
constexpr bool entries_are_wide(Index places) {
  return entry_of(places) > std::numeric_limits<KeptEntry>::max();
}
inline RowEntry wide_entry(const KeptEntry* row, Index k) {
  RowEntry entry;
  std::memcpy(&entry, row + 2 * k, sizeof(entry));
  return entry;
}

/// Memory of rows that follow each other without gaps, so that who walks them reads a stream. There
/// is room for `capacity` sources in each, for half as many and less where entries are wide. Before
/// them come the targets, or padding where one is missing, and behind them padding until the vector
/// is full; where a row is filled a vector more may be written.
struct RowMemory {
  static constexpr Index padding_behind = 16;

  KeptEntry* entries;  ///< of the first row
  Index capacity;

  /// From one row to the next: rows begin where a vector may.
  static constexpr Index entries_of(Index length) {
    constexpr Index aligned = 16;
    return (targets_of_a_row + length + padding_behind + aligned - 1) / aligned * aligned;
  }
  static std::int64_t entries_for(std::int64_t rows, Index capacity) {
    return rows * entries_of(capacity);
  }
  /// For rows that begin behind as many others.
  RowMemory behind(std::int64_t rows) const {
    return {entries + entries_for(rows, capacity), capacity};
  }

  /// The capacity that a row of this length needs where entries are wide, and the other way round.
  static constexpr Index capacity_for_wide(Index length) { return 2 * (length + entries_of(0)); }
  Index most_wide() const { return std::max(0, capacity / 2 - entries_of(0)); }
};

/// Numbers by the types of a pair: those of one target's type side by side, and room for a vector
/// to be read from the first of them.
template <class Real>
using NumbersByType = std::vector<Real>;
constexpr std::int32_t stride_of_types(std::int32_t types) {
  constexpr std::int32_t of_a_vector = 16;
  return std::max(types, of_a_vector);
}

/// A Lennard-Jones interaction as vectors look it up.
template <class Real>
struct VectorInteraction {
  LennardJonesConstants<Real> pair;  ///< of the first type, which may be the only one
  const LennardJonesConstants<NumbersByType<Real>>* by_type;
  std::int32_t types;
  LennardJonesForm form;
};

/// How many forces a number of 32 bits holds the sum of, if they are whole numbers of quanta.
struct QuantaLimits {
  Index pairs_of_a_lane;
  double largest;  ///< force [quanta]

  /// Of any system that is no gas; what a lane has summed goes to doubles from time to time.
  static constexpr QuantaLimits fine() { return {16, 1 << 27}; }
  /// Where forces are as large as those of a liquid: as many bits as a float has behind its first
  /// two, and all lanes of most rows fit together.
  static constexpr QuantaLimits by_anchor() { return {511, 1 << 22}; }
};

/// How forces in floats are summed in whole numbers: that is exact in any order, so what cancels
/// does so to the last bit, and costs less than sums in double. A pair nearer than a least
/// distance, whose force is too large for that, is left to double.
struct FixedPoint {
  double quantum;                              ///< that forces are multiples of [epsilon/sigma]
  const float* nearest_squared;                ///< by type [sigma^2]
  const LennardJonesConstants<double>* exact;  ///< [types * types] of those nearer than that
};

/// Sums of the four targets of a row.
template <class Real>
struct RowForces {
  std::array<Real, targets_of_a_row> x, y, z;
};
struct RowEnergies {
  std::array<double, targets_of_a_row> energy, virial;  ///< of whole pairs
};
struct RowPartners {
  std::array<double, targets_of_a_row> count;  ///< within the cutoff
};

/// Where to look for the sources of a row: vectors of places.
struct Candidates {
  std::vector<RowEntry> first;      ///< place of each
  std::vector<std::int32_t> lanes;  ///< of each that are meant
  Index count = 0;

  void clear() { count = 0; }
  void reserve(Index more) {
    const auto wanted = static_cast<std::size_t>(count + more);
    if (first.size() >= wanted) return;
    first.resize(2 * wanted);
    lanes.resize(2 * wanted);
  }
};

/// Of a number that is the same from pencil to pencil.
class SeventhRoot {
 public:
  double of(double number) {
    if (number != number_) {
      number_ = number;
      root_ = std::pow(number, 1.0 / 7.0);
    }
    return root_;
  }

 private:
  double number_ = 1.0, root_ = 1.0;
};

/// Memory that a thread works in; it grows as needed.
struct RowScratch {
  template <class Real>
  struct In {
    std::array<StagedWords<Real>, Pencils::most_tracks> staged;
    std::vector<PackedPosition<Real>> spread;  ///< a piece of a row with wide entries
    std::vector<RowForces<Real>> forces;
  };

  std::tuple<In<float>, In<double>> by_arithmetic;
  StagedNumbers around;       ///< by place: for the search
  std::vector<float> square;  ///< by place: of the distance from the middle
  StretchOrder order;         ///< of the pencil's particles along a curve
  Candidates candidates;      ///< for a row
  std::vector<RowEnergies> energies;
  std::vector<RowPartners> partners;
  SeventhRoot seventh_root;

  template <class Real>
  In<Real>& in() {
    return std::get<In<Real>>(by_arithmetic);
  }
};

/// The rows of a pencil.
struct RowsOfPencil {
  Pencil pencil;
  const RowTargets* targets;  ///< [count]
  const KeptEntry* entries;   ///< of the rows
  Index count;
  Index places_of_a_run;  ///< see NeighborhoodLayout
  bool is_next;  ///< to the pencil that this thread has just done the same with on its track

  const KeptEntry* row(Index number) const { return entries + targets[number].begin; }
};

/// `State`: what positions are stored in.
template <class State>
struct RowKernels {
  /// Makes the rows of a pencil, `targets` and `rows` being its first; returns the capacity that
  /// the longest needs. What does not fit is not stored.
  Index (*build)(const PlacedParticles<State>&, double radius, const Pencil&, Index places_of_a_run,
                 RowTargets* targets, const RowMemory& rows, RowScratch&);
  void (*forces)(const PlacedParticles<State>&, const VectorInteraction<State>&,
                 const RowsOfPencil&, RowForces<State>* sums, RowScratch&);
  /// In double, from separations in double, whatever the arithmetic of forces.
  void (*energies)(const PlacedParticles<State>&, const VectorInteraction<double>&,
                   const RowsOfPencil&, RowEnergies* sums, RowScratch&);
  /// Likewise.
  void (*partners)(const PlacedParticles<State>&, double cutoff, const RowsOfPencil&,
                   RowPartners* sums, RowScratch&);
};

/// Those for the instruction set that is chosen now.
template <class State>
RowKernels<State> row_kernels();

/// Forces of pairs in floats, summed in whole numbers.
using FixedPointForces = void (*)(const PlacedParticles<float>&, const VectorInteraction<float>&,
                                  const FixedPoint&, const RowsOfPencil&, RowForces<double>* sums,
                                  RowScratch&);
FixedPointForces fixed_point_forces();

}  // namespace pencilbox::host
