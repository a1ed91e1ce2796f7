// Pairs whose energy and force stand in tables: rows at equal distances, between which the energy
// is the cubic that has the energies and forces of both rows (Hermite), and the force is exactly
// what that energy falls by, so that a run conserves it. With rows h apart the energy is off by at
// most h^4/384 max|u''''|, the force by an order less, h^3 sqrt(3)/216 max|u''''|. Stoer and
// Bulirsch, Introduction to Numerical Analysis, 3rd edition, section 2.1.5.
#pragma once

#include <cstddef>
#include <vector>

#include "core/interactions/pair_constants.hpp"

namespace pencilbox {

/// The energy between two rows, c0 + t (c1 + t (c2 + t c3)) with t from 0 to 1.
template <class Real>
struct alignas(4 * sizeof(Real)) TablePiece {
  Real c0, c1, c2, c3;
};

struct PairTable {
  double first = 0.0;           ///< distance of the first row [sigma]
  double spacing = 1.0;         ///< of the rows [sigma]
  double cutoff = 0.0;          ///< not beyond the last row [sigma]
  std::vector<double> energy;   ///< two rows or more
  std::vector<double> force{};  ///< -du/dr, as many

  double last() const { return first + spacing * static_cast<double>(energy.size() - 1); }
  TablePiece<double> piece(std::size_t row) const;
  /// At a distance between the first row and the last.
  PairTerm<double> at(double r) const;
};

struct TabulatedModel {
  int types = 1;
  std::vector<PairTable> tables{};
  std::vector<std::size_t> table_of{};  ///< types x types, row-major, symmetric

  const PairTable& table(int a, int b) const {
    return tables[table_of[static_cast<std::size_t>(a) * static_cast<std::size_t>(types) +
                           static_cast<std::size_t>(b)]];
  }
  double largest_cutoff() const;
  /// Nearer than this some pair has no table: a length below which nothing needs to be resolved.
  double nearest_row() const;
};

}  // namespace pencilbox
