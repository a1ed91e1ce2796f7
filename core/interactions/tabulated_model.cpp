#include "core/interactions/tabulated_model.hpp"

#include <algorithm>

namespace pencilbox {

TablePiece<double> PairTable::piece(std::size_t row) const {
  const double from = energy[row], to = energy[row + 1];
  const double slope = -spacing * force[row], end_slope = -spacing * force[row + 1];
  return {from, slope, 3.0 * (to - from) - 2.0 * slope - end_slope,
          2.0 * (from - to) + slope + end_slope};
}

PairTerm<double> PairTable::at(double r) const {
  const double x = (r - first) / spacing;
  const auto row =
      std::min(static_cast<std::size_t>(std::max(x, 0.0)), energy.size() - std::size_t{2});
  const double t = x - static_cast<double>(row);
  const auto [c0, c1, c2, c3] = piece(row);
  const double slope = (c1 + t * (2.0 * c2 + t * 3.0 * c3)) / spacing;
  return {-slope / r, c0 + t * (c1 + t * (c2 + t * c3))};
}

double TabulatedModel::largest_cutoff() const {
  double largest = 0.0;
  for (const PairTable& table : tables) largest = std::max(largest, table.cutoff);
  return largest;
}

double TabulatedModel::nearest_row() const {
  const auto nearer = [](const PairTable& a, const PairTable& b) { return a.first < b.first; };
  return std::min_element(tables.begin(), tables.end(), nearer)->first;
}

}  // namespace pencilbox
