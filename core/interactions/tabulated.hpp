// Tabulated pairs on a device: a functor as lennard_jones.hpp says what one is.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/device/macros.hpp"
#include "core/device/math.hpp"
#include "core/interactions/tabulated_model.hpp"

namespace pencilbox {

/// Of a pair of types. Its pieces begin with one that stands for what is nearer than the first row:
/// there is no number for that, so a run ends there, in words.
template <class Real>
struct TableOfTypes {
  Real before_first;  ///< a spacing before the first row, where that piece begins [sigma]
  Real inverse_spacing;
  Real cutoff_squared;
  std::int32_t begin;  ///< of its pieces
  std::int32_t last;   ///< of its pieces, counted from the first
};

/// Always by the types of a pair: one functor for all models.
template <class RealType>
struct TabulatedPairs {
  using Real = RealType;
  static constexpr bool needs_types = true;

  const TableOfTypes<Real>* tables;  ///< [types][types]
  const TablePiece<Real>* pieces;
  std::int32_t types;
  Real cutoff_squared;
  Real near_squared;

  PENCILBOX_DEVICE_FUNCTION bool in_range(Real r2) const { return r2 < cutoff_squared; }
  PENCILBOX_DEVICE_FUNCTION bool near_range(Real r2) const { return r2 < near_squared; }

  PENCILBOX_DEVICE_FUNCTION PairTerm<Real> operator()(Real r2, std::int32_t type_a,
                                                      std::int32_t type_b) const {
    const TableOfTypes<Real>& table = tables[type_a * types + type_b];
    if (!(r2 < table.cutoff_squared)) return {Real(0), Real(0)};
    const Real r = square_root(r2);
    const Real x = (r - table.before_first) * table.inverse_spacing;
    std::int32_t row = x > Real(0) ? static_cast<std::int32_t>(x) : 0;
    if (row > table.last) row = table.last;
    const Real t = x - static_cast<Real>(row);
    const TablePiece<Real> c = pieces[table.begin + row];
    const Real slope = times_plus(t, times_plus(t, Real(3) * c.c3, Real(2) * c.c2), c.c1);
    const Real energy = times_plus(t, times_plus(t, times_plus(t, c.c3, c.c2), c.c1), c.c0);
    return {-slope * table.inverse_spacing * reciprocal(r), energy};
  }
  PENCILBOX_DEVICE_FUNCTION Real force_over_r(Real r2, std::int32_t type_a,
                                              std::int32_t type_b) const {
    return (*this)(r2, type_a, type_b).force_over_r;
  }
};

template <class Real>
struct TablesAndPieces {
  std::vector<TableOfTypes<Real>> tables;
  std::vector<TablePiece<Real>> pieces;
};

template <class Real>
TablesAndPieces<Real> tables_and_pieces(const TabulatedModel& model) {
  constexpr Real none = std::numeric_limits<Real>::quiet_NaN();
  TablesAndPieces<Real> all;
  std::vector<TableOfTypes<Real>> each;
  for (const PairTable& table : model.tables) {
    const auto rows = static_cast<std::int32_t>(table.energy.size());
    each.push_back({static_cast<Real>(table.first - table.spacing),
                    static_cast<Real>(1.0 / table.spacing),
                    static_cast<Real>(table.cutoff * table.cutoff),
                    static_cast<std::int32_t>(all.pieces.size()), rows - 1});
    all.pieces.push_back({none, none, none, none});
    for (std::int32_t row = 0; row + 1 < rows; ++row) {
      const TablePiece<double> piece = table.piece(static_cast<std::size_t>(row));
      all.pieces.push_back({static_cast<Real>(piece.c0), static_cast<Real>(piece.c1),
                            static_cast<Real>(piece.c2), static_cast<Real>(piece.c3)});
    }
  }
  for (const std::size_t index : model.table_of) all.tables.push_back(each[index]);
  return all;
}

}  // namespace pencilbox
