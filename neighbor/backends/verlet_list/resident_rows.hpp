// From one rebuild of the list to the next in one kernel, for what is small enough that all rows
// are on the device at once. Rows lie in shared memory, and what a lane knows of its target,
// position and velocity, in registers: of a step only the positions of others come from memory.
// Between two steps there is a barrier of the grid in place of a launch.
#pragma once

#include "neighbor/pair_sum.hpp"
#include "neighbor/walks/list_rows.hpp"
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
  const RoundedShift<Pair>* shifts;  ///< [27]
  KickAndDrift<Precision> move;
  UnitsOfCycle<Precision> units;

  /// So many threads that each multiprocessor has one block. Nothing where that is too many.
  static std::optional<LaunchShape> shape_for(Index targets, const ListRows& rows,
                                              const DeviceProperties& device) {
    const std::int64_t threads = std::int64_t{targets} * rows.lanes;
    const int at_least = 4 * device.warp_size;
    LaunchShape shape;
    shape.threads = std::max(
        at_least, static_cast<int>(round_up(divide_up(threads, device.multiprocessors),
                                            std::max<std::int64_t>(device.warp_size, rows.lanes))));
    if (shape.threads > max_threads) return {};
    shape.blocks = divide_up(threads, shape.threads);
    shape.shared_bytes = Shifts::bytes + static_cast<std::size_t>(rows.capacity / rows.chunk()) *
                                             static_cast<std::size_t>(shape.threads) *
                                             sizeof(FourEntries);
    return shape;
  }

  /// One row, as a lane of it sees it.
  struct Row {
    Index target;
    bool is_there;
    Index length;
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Shifts shift_of(block, shifts);
    const SharedArray<FourEntries> entries =
        block.shared<FourEntries>(rows.capacity / rows.chunk() * block.threads());
    const std::int64_t thread = block.index() * block.threads() + block.thread();
    const auto target = static_cast<Index>(thread / rows.lanes);
    const auto lane = static_cast<Index>(thread % rows.lanes);
    const Row row{target, target < particles.count,
                  target < particles.count ? rows.length[target] : 0};
    fetch(block, row, lane, entries);
    block.barrier();
    stay(block, row, lane, shift_of, entries);
  }

  /// Each lane what it will read itself.
  PENCILBOX_DEVICE_FUNCTION void fetch(const Block& block, const Row& row, Index lane,
                                       const SharedArray<FourEntries>& entries) const {
    const FourEntries* fours = rows.fours(row.target, lane);
    Index place = block.thread();
    for (Index left = row.length; left > 0; left -= rows.chunk()) {
      entries[place] = *fours;
      place += block.threads();
      fours += rows.stride();
    }
  }

  /// Unit after unit. A unit lowers the limit to the next one at least, so all blocks agree on
  /// where they end.
  PENCILBOX_DEVICE_FUNCTION void stay(const Block& block, const Row& row, Index lane,
                                      const Shifts& shift_of,
                                      const SharedArray<FourEntries>& entries) const {
    MovingParticle<Precision> self{};
    Vec3<State> reference;
    std::int32_t type = 0;
    if (row.is_there) {
      self = move.particle(row.target);
      reference = move.arrival.under_watch.reference[row.target];
      type = static_cast<std::int32_t>(particles.packed[row.target].type);
    }
    for (std::int32_t k = 0; k < units.count; ++k) {
      if (k > 0) block.grid_barrier();
      if (k >= *units.limit) break;
      Sum sum = walk(block, row, self.position.template to<Pair>(), type, shift_of, entries,
                     units.read_by(k));
      sum.add_lanes(block, rows.lanes);
      self.kick_and_drift(sum.force, static_cast<State>(move.timestep));
      if (row.is_there && lane == 0) {
        UnderWatch<Precision> watch = move.arrival.under_watch;
        watch.packed = units.read_by(k + 1);
        watch.show(row.target, self.position, reference, type, k + 1);
      }
    }
    if (row.is_there && lane == 0) move.store(row.target, self);
  }

  /// Of a row the fours of this lane; of the last chunk what is no padding only.
  PENCILBOX_DEVICE_FUNCTION Sum walk(const Block& block, const Row& row, const Vec3<Pair>& at,
                                     std::int32_t type, const Shifts& shift_of,
                                     const SharedArray<FourEntries>& entries,
                                     const Source* mirror) const {
    Sum sum;
    Index place = block.thread();
    for (Index left = row.length; left > 0; left -= rows.chunk()) {
      const FourEntries now = entries[place];
      place += block.threads();
      const Source first = mirror[now.first.index()];
      const Source second = mirror[now.second.index()];
      const Source third = mirror[now.third.index()];
      const Source fourth = mirror[now.fourth.index()];
      add(sum, at, type, shift_of[now.first.code()], first);
      if (left > rows.lanes) add(sum, at, type, shift_of[now.second.code()], second);
      if (left > 2 * rows.lanes) add(sum, at, type, shift_of[now.third.code()], third);
      if (left > 3 * rows.lanes) add(sum, at, type, shift_of[now.fourth.code()], fourth);
    }
    return sum;
  }

  PENCILBOX_DEVICE_FUNCTION void add(Sum& sum, const Vec3<Pair>& at, std::int32_t type,
                                     const Vec3<Pair>& shift, const Source& source) const {
    const auto not_asked = [] { return Vec3<double>{}; };  // forces take the plain separation
    sum.add_in_step(interaction, at, source.position, CellShift<Pair>{shift, {}}, not_asked, type,
                    static_cast<std::int32_t>(source.type), true);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
