// The order of the particles around a brick: column by column, bin by bin along x. They are sorted
// by counting.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "neighbor/vectors/brick.hpp"

namespace pencilbox::host {

/// A place is a number in this order. It keeps its memory.
///
/// A column of the brick has three stretches: those before the brick, its own, and those behind it;
/// every other column has one. Behind each stretch there is room for a vector, where nobody is: who
/// looks through a stretch a vector at a time may look beyond its end.
class BrickOrder {
 public:
  static constexpr Index room_behind = 16;

  /// For so many particles, of no bins yet.
  void begin(const BrickLayout& layout, Index particles) {
    cells_ = {layout.x.cells(), layout.y.cells(), layout.z.cells()};
    own_y_ = layout.y.own();
    own_z_ = layout.z.own();
    there_ = layout.x.there();
    begin_x_ = layout.x.at(0);
    const auto cells = static_cast<double>(cells_.x * cells_.y * cells_.z);
    of_a_cell_ = static_cast<Index>(
        std::clamp(std::ceil(particles / (particles_of_a_bin * cells)), 1.0, most_bins));
    per_length_ = static_cast<float>(of_a_cell_ / layout.x.side());
    bin_.resize(static_cast<std::size_t>(particles + room_behind));
    particles_ = particles;
  }
  Index bins_of_a_cell() const { return of_a_cell_; }
  float bins_per_length() const { return per_length_; }
  /// The first of a cell.
  Index bin(const CellCoordinates& cell) const {
    return ((cell.z * cells_.y + cell.y) * cells_.x + cell.x) * of_a_cell_;
  }
  /// Of each particle 0, 1, ... its bin, to be filled in; a vector more may be written.
  std::int32_t* bins() { return bin_.data(); }

  /// Where bins begin; returns how many places there are, room included.
  Index count() {
    const Index of_a_column = cells_.x * of_a_cell_;
    const auto bins = static_cast<std::size_t>(of_a_column * cells_.y * cells_.z);
    next_.assign(bins, 0);
    begin_.resize(bins);
    gaps_.clear();
    for (Index k = 0; k < particles_; ++k) ++next_[of_particle(k)];
    Index place = 0;
    const auto place_bins = [&](Index from, Index to) {
      for (Index bin = from; bin < to; ++bin) {
        begin_[static_cast<std::size_t>(bin)] = place;
        place += std::exchange(next_[static_cast<std::size_t>(bin)], place);
      }
      gaps_.push_back(place);
      place += room_behind;
    };
    for (Index z = 0; z < cells_.z; ++z) {
      for (Index y = 0; y < cells_.y; ++y) {
        const Index first = bin({0, y, z}), end = first + of_a_column;
        if (!is_own(y, z)) {
          place_bins(first, end);
        } else {
          place_bins(first, first + of_a_cell_);
          place_bins(first + of_a_cell_, end - of_a_cell_);
          place_bins(end - of_a_cell_, end);
        }
      }
    }
    return place;
  }
  /// Of particle k, to be asked once for each, in turn.
  Index place(Index k) { return next_[of_particle(k)]++; }
  /// Where there is room behind a stretch.
  const std::vector<Index>& gaps() const { return gaps_; }

  bool is_own(Index y, Index z) const { return own_y_.has(y) && own_z_.has(z); }

  /// Bins between two coordinates, which may be beyond those where particles are.
  IndexRange between(float lower, float upper) const { return {bin_at(lower), bin_at(upper) + 1}; }
  /// Those of a column before the brick, of the brick, and behind it.
  IndexRange before() const { return {0, of_a_cell_}; }
  IndexRange own() const { return {of_a_cell_, (cells_.x - 1) * of_a_cell_}; }
  IndexRange behind() const { return {(cells_.x - 1) * of_a_cell_, cells_.x * of_a_cell_}; }
  IndexRange all() const { return {0, cells_.x * of_a_cell_}; }

  /// Places of some bins, of one stretch.
  IndexRange places(const IndexRange& bins, Index y, Index z) const {
    if (bins.begin >= bins.end) return {};
    const Index column = bin({0, y, z});
    return {begin_[static_cast<std::size_t>(column + bins.begin)],
            next_[static_cast<std::size_t>(column + bins.end - 1)]};
  }

 private:
  static constexpr double particles_of_a_bin = 1.5, most_bins = 64.0;

  std::size_t of_particle(Index k) const {
    return static_cast<std::size_t>(bin_[static_cast<std::size_t>(k)]);
  }
  Index bin_at(float x) const {
    const auto first = static_cast<float>(there_.begin * of_a_cell_);
    const auto last = static_cast<float>(there_.end * of_a_cell_ - 1);
    return static_cast<Index>(std::min(std::max(first, (x - begin_x_) * per_length_), last));
  }

  CellCoordinates cells_{};
  IndexRange own_y_, own_z_, there_;
  Index of_a_cell_ = 1, particles_ = 0;
  float begin_x_ = 0.0F, per_length_ = 0.0F;
  std::vector<std::int32_t> bin_;    ///< by particle
  std::vector<Index> begin_, next_;  ///< by bin; in the end `next_` is where it ends
  std::vector<Index> gaps_;
};

}  // namespace pencilbox::host
