// Binning, once a step: particles move to the cells that they are in now.
//
//   assign   cell of each particle, wrapped; count per cell; rank within the cell
//   scan     counts -> offset of each cell
//   order    offset + rank -> which particle comes where
//   reorder  gather the particles in that order into the other set of arrays
//
// Few particles per cell, section 3, with one change: a particle keeps coordinates relative to its
// cell, so moving to the next cell subtracts a side and a periodic wrap is integer arithmetic.
//
// The rank is an atomic ticket, so the order within a cell changes from run to run. `deterministic`
// sorts by (cell, id) instead: an order that depends on nothing but the state.
#pragma once

#include <cstdint>

#include "core/particles.hpp"
#include "core/profile.hpp"
#include "neighbor/binned_particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// What went wrong on the device, read at the next observation.
struct BinningHealth {
  bool failed = false;           ///< a particle is non-finite or crossed a whole box in one step
  std::int64_t failed_step = 0;  ///< first such step, counted as `run` was told
  ParticleId failed_id = 0;      ///< smallest id at that step
  Index escaped = 0;  ///< particles more than a cell outside the grid (open directions), last step
  Index largest_cell = 0;  ///< most particles in one cell
};

template <class Precision>
class Binning {
 public:
  Binning(const CellGrid& grid, bool deterministic, Stream& stream);

  const CellGrid& grid() const { return grid_; }

  /// Bins and reorders. `step` is what a failure is reported with, in [0, 2^32).
  void run(Particles<Precision>& particles, std::int64_t step, Profiler& profiler, Stream& stream);

  BinnedParticles<Precision> view(const Particles<Precision>& particles) const;

  /// Waits for the stream.
  BinningHealth health(Stream& stream);

 private:
  void make_order(Particles<Precision>& particles, Stream& stream);

  CellGrid grid_;
  bool deterministic_;
  ParticleState<Precision> other_;
  Vec3Buffer<typename Precision::Pair> pair_position_;  // only where it differs from the state's
  Buffer<Index> counts_, offset_, rank_, order_;
  Buffer<std::uint64_t> keys_, failure_;
  Buffer<Index> escaped_, largest_;
  ExclusiveScan scan_;
  SortPairs<std::uint64_t> sort_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
