// Whether a list misses a pair. Two particles that are not in it were farther apart than cutoff
// plus skin when it was made, at the places that it was made of. So to be a pair now they have gone
// more than the skin together, and one of them more than half of it: a stray, as few are
// (core/strays.hpp). Around each stray all cells are looked through that can hold a partner of it
// (around_strays.hpp).
#pragma once

#include "neighbor/cells/around_strays.hpp"
#include "neighbor/walks/end_to_end.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// By teams of threads.
template <class Precision>
struct FindMissedPairs {
  static constexpr const char* name = "binning: find missed pairs";
  using State = typename Precision::State;
  using Neighbor = NeighborOfStray<State>;
  static constexpr int max_threads = 128;
  static constexpr Index cells_around = 27;
  static constexpr Index at_once = 3;  ///< of a lane's candidates

  AroundStrays<Precision> around;

  /// A team a stray, with a lane a cell, and then all lanes for the particles of what is left.
  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Index number = around.strays.number(around.unit);
    const auto teams = static_cast<Index>(block.blocks()) * Team::count(block);
    Index k = static_cast<Index>(block.index()) * Team::count(block) + Team::number(block);
    for (; block.ballot(k < number) != 0; k += teams) {
      const Stray<State> stray = k < number ? around.stray(k) : Stray<State>{};
      Neighbor neighbor{};
      if (k < number && Team::lane(block) < cells_around) {
        neighbor = neighbor_of(stray, Team::lane(block));
      }
      look_through(block, stray, neighbor);
    }
    // What came of those of the unit before is known.
    if (block.index() == 0 && block.thread() == 0) around.strays.forget(around.unit + 1);
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Neighbor neighbor_of(const Stray<State>& stray, Index which) const {
    return around.neighbor(stray, around.along_x(stray, which % 3 - 1),
                           around.along_y(stray, which / 3 % 3 - 1),
                           around.along_z(stray, which / 9 - 1));
  }

  struct Candidate {
    Index particle = 0;
    Vec3<State> centre;  ///< of its cell
    bool is_one = false;
  };

  /// All lanes of the warp must call it.
  PENCILBOX_DEVICE_FUNCTION void look_through(const Block& block, const Stray<State>& stray,
                                              const Neighbor& of_lane) const {
    const EndToEnd neighbors(block, of_lane.particles);
    Index number = Team::lane(block);
    for (; block.ballot(number < neighbors.total()) != 0; number += at_once * Team::lanes) {
      Candidate candidates[at_once];
      for (Index k = 0; k < at_once; ++k) {
        candidates[k] = candidate(neighbors, of_lane.centre, number + k * Team::lanes);
      }
      if (is_any_missed(stray, candidates)) around.make_list_due();
    }
  }

  PENCILBOX_DEVICE_FUNCTION static Candidate candidate(const EndToEnd& neighbors,
                                                       const Vec3<State>& centre, Index number) {
    const Index lane = neighbors.lane_of(number);
    return {
        neighbors.index(number, lane),
        {neighbors.of(centre.x, lane), neighbors.of(centre.y, lane), neighbors.of(centre.z, lane)},
        number < neighbors.total()};
  }

  /// Reads wait for each other's: first all positions, then the places that matter.
  PENCILBOX_DEVICE_FUNCTION bool is_any_missed(const Stray<State>& stray,
                                               Candidate (&candidates)[at_once]) const {
    for (Candidate& one : candidates) {
      if (one.is_one) one.is_one = around.may_be_missed(stray, one.particle, one.centre);
    }
    bool is_missed = false;
    for (const Candidate& one : candidates) {
      if (one.is_one) is_missed |= around.is_not_listed(stray, one.particle, one.centre);
    }
    return is_missed;
  }
};

/// By a thread a stray, where a core runs it.
template <class Precision>
struct FindMissedPairsOfOne {
  static constexpr const char* name = "binning: find missed pairs of a stray";
  using State = typename Precision::State;
  using Step = typename AroundStrays<Precision>::Step;

  AroundStrays<Precision> around;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index k) const {
    const Stray<State> stray = around.stray(k);
    Step along_x[3], along_y[3];
    for (Index step = 0; step < 3; ++step) {
      along_x[step] = around.along_x(stray, step - 1);
      along_y[step] = around.along_y(stray, step - 1);
    }
    for (Index step = -1; step <= 1; ++step) {
      const Step z = around.along_z(stray, step);
      for (const Step& y : along_y) {
        for (const Step& x : along_x) {
          if (is_any_missed(stray, around.neighbor(stray, x, y, z))) return around.make_list_due();
        }
      }
    }
  }

 private:
  PENCILBOX_DEVICE_FUNCTION bool is_any_missed(const Stray<State>& stray,
                                               const NeighborOfStray<State>& neighbor) const {
    for (Index i = neighbor.particles.begin; i < neighbor.particles.end; ++i) {
      if (!around.may_be_missed(stray, i, neighbor.centre)) continue;
      if (around.is_not_listed(stray, i, neighbor.centre)) return true;
    }
    return false;
  }
};

/// What came of those of the unit before is known.
struct ForgetStrays {
  static constexpr const char* name = "binning: forget strays";
  StraysView strays;
  std::int32_t unit;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const { strays.forget(unit); }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
