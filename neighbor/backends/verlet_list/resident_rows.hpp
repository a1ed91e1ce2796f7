// From one rebuild of the list to the next in one kernel, for what is small enough that all rows
// are on the device at once. What a lane knows of its target, position and velocity, stays in
// registers: of a step only the positions of others come from memory.
#pragma once

#include "neighbor/pair_sum.hpp"
#include "neighbor/walks/resident_list.hpp"
#include "neighbor/walks/shared_shifts.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision, class Interaction>
struct ResidentRows {
  static constexpr const char* name = "verlet-list: a cycle in one kernel";
  using Pair = typename Precision::Pair;
  using State = typename Precision::State;
  static constexpr int max_threads = sizeof(Pair) == sizeof(float) ? 1024 : 512;
  using Source = PackedPosition<Pair>;
  using Shifts = SharedShifts<Pair>;
  using Sum = TargetSum<Precision, Wanted::forces>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  ListRows rows;
  KickAndDrift<Precision> move;
  UnitsOfCycle<Precision> units;

  /// A lane's target; lanes of the last block may have none.
  struct Target {
    Index particle;
    bool is_there;
    Index row_length;
    std::int32_t type = 0;
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Shifts shift_of(block, particles.grid);
    ResidentEntries entries(block, rows);
    const std::int64_t thread = block.index() * block.threads() + block.thread();
    const Index particle = rows.row_of(thread), lane = rows.lane_of(thread);
    Target target{particle, particle < particles.count, 0};
    if (target.is_there) {
      target.row_length = rows.length[particle];
      target.type = static_cast<std::int32_t>(particles.packed[particle].type);
    }
    entries.fetch(rows, particle, lane, target.row_length);
    block.barrier();
    stay(block, target, lane, shift_of, entries);
  }

  /// All lanes of a row move its target, which costs no more than one.
  PENCILBOX_DEVICE_FUNCTION void stay(const Block& block, const Target& target, Index lane,
                                      const Shifts& shift_of,
                                      const ResidentEntries& entries) const {
    const bool shows = target.is_there && lane == 0;
    MovingParticle<Precision> self{};
    Source reference{};
    if (target.is_there) {
      self = move.particle(target.particle);
      reference = move.arrival.under_watch.read(target.particle);
    }
    const std::int32_t first_wanting_kicks = move.arrival.under_watch.first_wanting_kicks();
    for_each_unit(block, units, [&](std::int32_t k) {
      Sum sum =
          walk(target, self.position.template to<Pair>(), shift_of, entries, units.read_by(k));
      sum.add_lanes(block, rows.lanes);
      self.kick_and_drift(sum.force, static_cast<State>(move.timestep));
      if (shows) {
        if (k + 1 >= first_wanting_kicks) {
          move.arrival.under_watch.note_kick(target.particle, self.half_kick(sum.force).twice());
        }
        move.arrival.under_watch.in(units.read_by(k + 1))
            .show(target.particle, self.position, reference, k + 1);
      }
    });
    if (shows) move.store(target.particle, self);
  }

  /// Of the last chunk what is no padding only.
  PENCILBOX_DEVICE_FUNCTION Sum walk(const Target& target, const Vec3<Pair>& at,
                                     const Shifts& shift_of, const ResidentEntries& entries,
                                     const Source* mirror) const {
    Sum sum;
    for (Index chunk = 0; chunk * rows.chunk() < target.row_length; ++chunk) {
      const Index left = target.row_length - chunk * rows.chunk();
      const FourEntries now = entries[chunk];
      const Source first = mirror[now.first.index()];
      const Source second = mirror[now.second.index()];
      const Source third = mirror[now.third.index()];
      const Source fourth = mirror[now.fourth.index()];
      add(sum, target, at, shift_of[now.first.code()], first);
      if (left > rows.lanes) add(sum, target, at, shift_of[now.second.code()], second);
      if (left > 2 * rows.lanes) add(sum, target, at, shift_of[now.third.code()], third);
      if (left > 3 * rows.lanes) add(sum, target, at, shift_of[now.fourth.code()], fourth);
    }
    return sum;
  }

  PENCILBOX_DEVICE_FUNCTION void add(Sum& sum, const Target& target, const Vec3<Pair>& at,
                                     const Vec3<Pair>& shift, const Source& source) const {
    const auto not_asked = [] { return Vec3<double>{}; };  // forces take the plain separation
    sum.add_in_step(interaction, at, source.position, CellShift<Pair>{shift, {}}, not_asked,
                    target.type, static_cast<std::int32_t>(source.type), true);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
