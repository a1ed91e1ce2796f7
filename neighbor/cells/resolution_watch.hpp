// Watches, whenever the host looks, that the numbers of a run still resolve what they stand for:
// particles that have flown far from all cells (open directions), and numbers that a frame in float
// cannot hold. One pass over the particles; the host looks closer only where that found something.
#pragma once

#include <functional>

#include "core/exact_state.hpp"
#include "core/own_rows.hpp"
#include "core/particles.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// What a look counts; several ranks, each of its own particles.
struct LookedAt {
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::int64_t far = 0;            ///< so far from their cell that digits may be lost
  std::int64_t escaped = 0;        ///< more than a cell outside the grid, in open directions
  std::uint64_t too_large = none;  ///< smallest id with a number that frames cannot hold

  LookedAt& operator+=(const LookedAt& more);
};

template <class Precision>
class ResolutionWatch {
 public:
  explicit ResolutionWatch(const Potential& potential);

  /// Of all particles, or of a rank's own. `grid`: that of all.
  LookedAt count(const Particles<Precision>& particles, const CellGrid& grid, Stream& stream);
  LookedAt count_own(const Particles<Precision>& particles, const OwnRows& own,
                     const CellGrid& grid, Stream& stream);

  /// Throws PhysicsError with the name of a particle that the precision cannot follow. `exact`: of
  /// all particles, asked for only where the count says that one may be.
  void judge(const LookedAt& seen, const CellGrid& grid, std::int64_t step,
             const std::function<ExactState()>& exact);

  /// Whether the last look found a particle halfway there, or more than a few of `particles`
  /// outside all cells: right, but slow.
  bool wants_new_grid(std::int64_t particles) const;

  /// Whether a grid laid anew for these positions would help: of those outside the old one it
  /// leaves half or fewer outside, or the particles that wanted it are fine in it.
  bool is_helped_by(const CellGrid& grid, const std::vector<Double3>& positions) const;

 private:
  template <class IsCounted>
  LookedAt count_those(const Particles<Precision>& particles, const IsCounted& is_counted,
                       const CellGrid& grid, Stream& stream);

  Resolution resolution_;
  double cutoff_;
  bool has_far_ = false;
  std::int64_t escaped_ = 0;
  Buffer<Index> outside_;
  Buffer<std::uint64_t> too_large_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
