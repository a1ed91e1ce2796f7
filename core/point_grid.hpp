// Is there already a point within a distance of this one? A hash grid over a box of any size, O(1)
// a question, periodic where the box is.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/box.hpp"

namespace pencilbox {

class PointGrid {
 public:
  /// For questions of the radius `distance` > 0 and about `expected` points. `cell_side` >=
  /// `distance` is the side of a grid cell. Points of a periodic direction must lie in the box.
  PointGrid(const Box& box, double distance, double cell_side, std::int64_t expected)
      : box_(box), distance_(distance) {
    for (std::size_t d = 0; d < 3; ++d) {
      cells_[d] = std::max(std::floor(box.edges[d] / cell_side), 1.0);
      side_[d] = box.edges[d] / cells_[d];
    }
    std::size_t buckets = 16;
    while (buckets < 2 * static_cast<std::size_t>(expected)) buckets *= 2;
    first_.assign(buckets, none);
    point_.reserve(static_cast<std::size_t>(expected));
    next_.reserve(static_cast<std::size_t>(expected));
  }

  /// Adds a point; points are numbered from 0 in the order they come.
  void insert(const Double3& point) {
    Cell cell{};
    for (std::size_t d = 0; d < 3; ++d) cell[d] = cell_of(point[d], d);
    std::int64_t& first = first_[bucket(cell)];
    next_.push_back(first);
    first = static_cast<std::int64_t>(point_.size());
    point_.push_back(point);
  }

  /// The number of a point nearer than `distance` to `point` (nearest image), if there is one.
  std::optional<std::int64_t> find_near(const Double3& point) const {
    const CellRange x = range(point[0], 0);
    const CellRange y = range(point[1], 1);
    const CellRange z = range(point[2], 2);
    for (double k = 0.0; k <= z.more; ++k) {
      for (double j = 0.0; j <= y.more; ++j) {
        for (double i = 0.0; i <= x.more; ++i) {
          const Cell cell{wrap(x.low + i, 0), wrap(y.low + j, 1), wrap(z.low + k, 2)};
          for (std::int64_t number = first_[bucket(cell)]; number != none;
               number = next_[static_cast<std::size_t>(number)]) {
            if (near(point, point_[static_cast<std::size_t>(number)])) return number;
          }
        }
      }
    }
    return std::nullopt;
  }

 private:
  // Whole numbers kept in doubles: an open direction has no bound that an integer would respect.
  using Cell = std::array<double, 3>;
  static constexpr std::int64_t none = -1;

  double wrap(double cell, std::size_t d) const {
    return box_.periodic[d] ? cell - std::floor(cell / cells_[d]) * cells_[d] : cell;
  }
  double cell_of(double x, std::size_t d) const {
    return wrap(std::floor((x - box_.lower[d]) / side_[d]), d);
  }
  /// The first and how many more. Not the last: far out one cell more is the same double.
  struct CellRange {
    double low, more;
  };

  /// Cells within the distance, each once: no more than there are in a periodic direction.
  CellRange range(double x, std::size_t d) const {
    const double low = std::floor((x - distance_ - box_.lower[d]) / side_[d]);
    const double high = std::floor((x + distance_ - box_.lower[d]) / side_[d]);
    return {low, box_.periodic[d] ? std::min(high - low, cells_[d] - 1.0) : high - low};
  }
  bool near(const Double3& a, const Double3& b) const {
    double square = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      double difference = a[d] - b[d];
      if (box_.periodic[d]) {
        difference -= std::round(difference / box_.edges[d]) * box_.edges[d];
      }
      square += difference * difference;
    }
    return square < distance_ * distance_;
  }
  std::size_t bucket(const Cell& cell) const {
    std::uint64_t hash = 0;
    for (const double c : cell) {
      // 2^64 divided by the golden ratio: neighbouring cells fall far apart (Knuth, vol. 3, 6.4).
      hash = (hash ^ static_cast<std::uint64_t>(
                         static_cast<std::int64_t>(std::clamp(c, -0x1p62, 0x1p62)))) *
             0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash) & (first_.size() - 1);
  }

  Box box_;
  double distance_;
  Double3 cells_{};
  Double3 side_{};
  std::vector<std::int64_t> first_;
  std::vector<std::int64_t> next_;
  std::vector<Double3> point_;
};

}  // namespace pencilbox
