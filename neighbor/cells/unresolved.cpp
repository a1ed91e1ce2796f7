#include "neighbor/cells/unresolved.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace pencilbox {

namespace {

// Binning counts the sides between a particle and its cell in an Index.
constexpr double most_sides = 9.9e8;

/// Distance from the centre of the border cell, the largest of the open directions.
double open_offset(const CellGrid& grid, const GridPlace& place) {
  double largest = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!grid.periodic[d]) largest = std::max(largest, std::abs(place.offset[d]));
  }
  return largest;
}

bool beyond_counting(const CellGrid& grid, const GridPlace& place) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (!grid.periodic[d] && !(std::abs(place.offset[d]) < most_sides * grid.side[d])) return true;
  }
  return false;
}

double separation_along(const CellGrid& grid, const GridPlace& a, const GridPlace& b,
                        std::size_t d) {
  const double separation = (a.cell[d] - b.cell[d]) * grid.side[d] + (a.offset[d] - b.offset[d]);
  if (!grid.periodic[d]) return separation;
  return std::remainder(separation, grid.side[d] * static_cast<double>(grid.cells[d]));
}

double distance(const CellGrid& grid, const GridPlace& a, const GridPlace& b) {
  return std::hypot(separation_along(grid, a, b, 0), separation_along(grid, a, b, 1),
                    separation_along(grid, a, b, 2));
}

/// Pairs near each other among few particles that are strewn over a long way: sorted along the
/// direction in which they spread most.
class FarPairs {
 public:
  FarPairs(const CellGrid& grid, const std::vector<GridPlace>& places,
           std::vector<std::size_t> rows)
      : grid_(grid), places_(places), rows_(std::move(rows)) {
    double widest = -1.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto [least, most] =
          std::minmax_element(rows_.begin(), rows_.end(),
                              [&](auto a, auto b) { return coordinate(a, d) < coordinate(b, d); });
      const double spread = coordinate(*most, d) - coordinate(*least, d);
      if (grid.periodic[d] || spread <= widest) continue;
      widest = spread;
      direction_ = d;
    }
    std::sort(rows_.begin(), rows_.end(), [&](auto a, auto b) {
      return coordinate(a, direction_) < coordinate(b, direction_);
    });
  }

  /// Calls visit(row, row) until it returns true.
  template <class Visit>
  void visit_within(double reach, Visit visit) const {
    for (auto one = rows_.begin(); one != rows_.end(); ++one) {
      for (auto other = one + 1; other != rows_.end(); ++other) {
        const double along = coordinate(*other, direction_) - coordinate(*one, direction_);
        if (along > reach) break;
        if (distance(grid_, places_[*one], places_[*other]) <= reach && visit(*one, *other)) return;
      }
    }
  }

 private:
  double coordinate(std::size_t row, std::size_t d) const {
    return places_[row].cell[d] * grid_.side[d] + places_[row].offset[d];
  }

  const CellGrid& grid_;
  const std::vector<GridPlace>& places_;
  std::vector<std::size_t> rows_;
  std::size_t direction_ = 0;
};

}  // namespace

std::optional<Unresolved> first_unresolved(const CellGrid& grid, double cutoff,
                                           const std::vector<GridPlace>& places,
                                           const Resolution& resolution) {
  const double limit = resolution.farthest_with_partner();
  const double reach = 2.0 * cutoff;
  std::vector<std::size_t> outer;  // far ones, and who could be a partner of one
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double offset = open_offset(grid, places[i]);
    if (offset > resolution.farthest() || beyond_counting(grid, places[i])) {
      return Unresolved{i, {}, offset};
    }
    if (offset > limit - reach) outer.push_back(i);
  }
  if (std::isinf(limit) || outer.size() < 2) return {};
  std::optional<Unresolved> found;
  FarPairs(grid, places, std::move(outer)).visit_within(reach, [&](auto one, auto other) {
    if (open_offset(grid, places[one]) < open_offset(grid, places[other])) std::swap(one, other);
    const double offset = open_offset(grid, places[one]);
    if (offset > limit) found = Unresolved{one, other, offset};
    return found.has_value();
  });
  return found;
}

std::string in_words(const Unresolved& found, const CellGrid& grid,
                     const std::vector<GridPlace>& places, const std::vector<ParticleId>& id,
                     Precision precision) {
  GridPlace place = places[found.row];
  std::ostringstream text;
  text << "particle " << id[found.row] << " at " << text_of(position_of(grid, place)) << " is "
       << found.offset << " away from the cells of the others";
  if (found.partner) text << ", with particle " << id[*found.partner] << " beside it";
  text << ", too far to be followed in " << name_of(precision) << " precision";
  if (precision != Precision::double_) text << " (run.precision: double reaches farther)";
  return text.str();
}

std::vector<GridPlace> places_of(const CellGrid& grid, const std::vector<Double3>& positions) {
  std::vector<GridPlace> places(positions.size());
  std::transform(positions.begin(), positions.end(), places.begin(),
                 [&grid](const Double3& position) { return place(grid, position); });
  return places;
}

std::string text_of(const Double3& position) {
  std::ostringstream text;
  text << '(' << position[0] << ", " << position[1] << ", " << position[2] << ')';
  return text.str();
}

}  // namespace pencilbox
