// Watches, whenever the host looks, that the numbers of a run still resolve what they stand for:
// particles that have flown far from all cells (open directions), and numbers that a frame in float
// cannot hold. One pass over the particles; the host looks closer only where that found something.
#pragma once

#include "core/particles.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
class ResolutionWatch {
 public:
  explicit ResolutionWatch(const Potential& potential);

  /// Throws PhysicsError with the name of a particle that the precision cannot follow.
  void look(const Particles<Precision>& particles, const CellGrid& grid, std::int64_t step,
            Stream& stream);

  /// Whether the last look found a particle halfway there: a grid that covers it would help.
  bool wants_new_grid() const { return wants_new_grid_; }

  /// Whether a grid laid anew for these positions would help: of `escaped` particles outside the
  /// old one it leaves half or fewer outside, or the particles that wanted it are fine in it.
  bool is_helped_by(const CellGrid& grid, const std::vector<Double3>& positions,
                    Index escaped) const;

 private:
  Resolution resolution_;
  double cutoff_;
  bool wants_new_grid_ = false;
  Buffer<Index> far_;
  Buffer<std::uint64_t> too_large_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
