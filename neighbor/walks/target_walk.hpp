// The sum of one target over the cells around it, sources read from device memory: what the back
// ends without shared memory have in common. They differ in which thread takes which target.
#pragma once

#include <type_traits>

#include "neighbor/pair_sum.hpp"
#include "neighbor/walks/cell_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// How the sources of a row are walked.
enum class SourceRuns {
  cells,   ///< cell by cell, as published
  merged,  ///< three cells along x as one run: a third of the loops, a comparison more a source
};

inline SourceRuns source_runs_of(const BackendOptions& options) {
  return options.at("runs") == "merged" ? SourceRuns::merged : SourceRuns::cells;
}

inline OptionInfo source_runs_option() {
  return {"runs",
          "cells",
          "how a row of sources is walked; cells: one by one, merged: three as one run",
          {"cells", "merged"}};
}

/// Calls run(constant): kernels are compiled for one way or the other, because the registers of
/// both would cost occupancy.
template <class Run>
void dispatch_runs(SourceRuns runs, Run&& run) {
  if (runs == SourceRuns::merged) {
    run(std::integral_constant<SourceRuns, SourceRuns::merged>{});
  } else {
    run(std::integral_constant<SourceRuns, SourceRuns::cells>{});
  }
}

template <class Precision, Wanted wanted, class Interaction, SourceRuns runs>
struct TargetWalk {
  using Pair = typename Precision::Pair;
  using Sum = SumOf<Precision, wanted, Interaction>;

  BinnedParticles<Precision> particles;
  Interaction interaction;

  struct Target {
    Index particle;
    Vec3<Pair> position;
    std::int32_t type;
  };

  /// Of the sources of each run those with number `lane`, `lane` + `lanes`, ...: all with (0, 1).
  PENCILBOX_DEVICE_FUNCTION Sum operator()(Index particle, const CellCoordinates& home,
                                           Index lane = 0, Index lanes = 1) const {
    const Target target{particle, particles.position[particle],
                        type_if_needed<Interaction>(particles.type, particle)};
    Sum sum;
    if constexpr (runs == SourceRuns::merged) {
      for_each_neighbor_run(particles.grid, particles.offset, home, [&](const NeighborRun& run) {
        add_run(sum, target, run, lane, lanes);
      });
    } else {
      for_each_neighbor_cell(particles.grid, home, [&](Index cell, Index dx, Index dy, Index dz) {
        add_cell(sum, target, cell, particles.grid.shift(dx, dy, dz), dx == 0 && dy == 0 && dz == 0,
                 lane, lanes);
      });
    }
    return sum;
  }

  PENCILBOX_DEVICE_FUNCTION void add_cell(Sum& sum, const Target& target, Index cell,
                                          const CellShift<Pair>& shift, bool own_cell, Index lane,
                                          Index lanes) const {
    const Index skip = own_cell ? target.particle : Index{-1};
    const Index end = particles.offset[cell + 1];
    for (Index source = particles.offset[cell] + lane; source < end; source += lanes) {
      if (source != skip) add_source(sum, target, source, shift);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_run(Sum& sum, const Target& target, const NeighborRun& run,
                                         Index lane, Index lanes) const {
    const CellShift<Pair> right = particles.grid.shift(1, run.dy, run.dz);
    const bool own_row = run.dy == 0 && run.dz == 0;
    for (Index source = run.begin + lane; source < run.end; source += lanes) {
      const CellShift<Pair> shift = run.shift(source, right);
      if (own_row && source == target.particle && run.dx(source) == 0) continue;
      add_source(sum, target, source, shift);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_source(Sum& sum, const Target& target, Index source,
                                            const CellShift<Pair>& shift) const {
    const auto exact = [&] { return exact_separation(particles, target.particle, source, shift); };
    sum.add(interaction, target.position, particles.position[source], shift, exact, target.type,
            type_if_needed<Interaction>(particles.type, source));
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
