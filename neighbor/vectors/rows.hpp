// Rows of sources for a CPU's vectors: plain data, and the kernels that fill and walk them, chosen
// once for the instruction set of the machine.
//
// A row has four targets of one cell that lie near each other, and all sources within reach of any
// of them, single ones, by their places in the neighbourhood of a pencil. The four targets stand in
// the lanes of a vector, and as many sources at a time as there are fours of lanes: so four sums
// are whole where the row ends.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "core/interactions/lennard_jones.hpp"
#include "neighbor/vectors/neighborhood.hpp"

namespace pencilbox::host {

inline constexpr int targets_of_a_row = 4;

/// Up to four targets of one cell. Lanes without a target of their own repeat the first.
struct RowTargets {
  std::array<Index, targets_of_a_row> particle{};
  Index count = 0;   ///< of targets
  Index length = 0;  ///< of the row: sources that are none of the targets
};

/// The rows that a cell needs.
inline Index rows_of_cell(Index particles_of_a_cell) {
  return (particles_of_a_cell + targets_of_a_row - 1) / targets_of_a_row;
}

/// A source by its place in the neighbourhood of the pencil.
using RowEntry = std::uint32_t;

/// Rows side by side, each with room for `capacity` sources and for one vector more: behind the
/// last source a kernel may write, but not read.
struct RowMemory {
  static constexpr Index room_behind = 16;

  RowEntry* entries;
  Index capacity;

  static std::int64_t entries_for(std::int64_t rows, Index capacity) {
    return rows * (std::int64_t{capacity} + room_behind);
  }
  RowEntry* row(std::int64_t number) const { return entries + entries_for(number, capacity); }
  RowMemory from(std::int64_t number) const { return {row(number), capacity}; }
};

/// A Lennard-Jones interaction as vectors look it up.
template <class Real>
struct VectorInteraction {
  const LennardJonesConstants<Real>* table;  ///< [types * types]
  std::int32_t types;
  LennardJonesForm form;
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

/// Memory that a thread works in; it grows as needed.
struct RowScratch {
  template <class Real>
  struct In {
    StagedNumbers<Real> staged;
    std::vector<RowForces<Real>> forces;
  };

  std::tuple<In<float>, In<double>> by_arithmetic;
  std::vector<float> square;                   ///< by place: of the distance from the middle
  std::vector<std::int32_t> type;              ///< by place
  std::vector<std::pair<float, Index>> along;  ///< particles of a cell along a curve
  std::vector<RowEnergies> energies;
  std::vector<RowPartners> partners;

  template <class Real>
  In<Real>& in() {
    return std::get<In<Real>>(by_arithmetic);
  }
};

/// `Real` is what positions are stored in, and the arithmetic of forces.
template <class Real>
struct RowKernels {
  /// Makes the rows of a pencil, cell by cell, `targets` and `rows` being its first; returns how
  /// long the longest is. What does not fit is not stored.
  Index (*build)(const PlacedParticles<Real>&, double radius, const Pencil&, RowTargets* targets,
                 const RowMemory& rows, RowScratch&);
  /// Of the rows of a pencil.
  void (*forces)(const PlacedParticles<Real>&, const VectorInteraction<Real>&, const Pencil&,
                 const RowTargets* targets, const RowMemory& rows, Index count,
                 RowForces<Real>* sums, RowScratch&);
  /// In double, from separations in double, whatever the arithmetic of forces.
  void (*energies)(const PlacedParticles<Real>&, const VectorInteraction<double>&, const Pencil&,
                   const RowTargets* targets, const RowMemory& rows, Index count, RowEnergies* sums,
                   RowScratch&);
  /// Likewise.
  void (*partners)(const PlacedParticles<Real>&, double cutoff, const Pencil&,
                   const RowTargets* targets, const RowMemory& rows, Index count, RowPartners* sums,
                   RowScratch&);
};

/// Those for the instruction set that is chosen now.
template <class Real>
RowKernels<Real> row_kernels();

}  // namespace pencilbox::host
