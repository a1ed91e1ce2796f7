// What kernels have in common that stay on the device from one rebuild of a list to the next: all
// rows at once, each multiprocessor with one block; entries in shared memory; between two units of
// the cycle a barrier of the grid in place of a launch.
#pragma once

#include <algorithm>

#include "neighbor/backend.hpp"
#include "neighbor/walks/list_rows.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// The rows' entries, each lane's own: it fetches them itself, so nobody waits for others.
class ResidentEntries {
 public:
  PENCILBOX_DEVICE_FUNCTION ResidentEntries(const Block& block, const ListRows& rows)
      : entries_(block.shared<FourEntries>(chunks(rows) * block.threads())),
        own_(block.thread()),
        threads_(block.threads()) {}

  PENCILBOX_DEVICE_FUNCTION void fetch(const ListRows& rows, Index row, Index lane, Index length) {
    const FourEntries* fours = rows.fours(row, lane);
    for (Index chunk = 0; chunk * rows.chunk() < length; ++chunk) {
      entries_[own_ + chunk * threads_] = *fours;
      fours += rows.stride();
    }
  }

  PENCILBOX_DEVICE_FUNCTION FourEntries operator[](Index chunk) const {
    return entries_[own_ + chunk * threads_];
  }

  static std::size_t bytes(const ListRows& rows, int threads) {
    return static_cast<std::size_t>(chunks(rows)) * static_cast<std::size_t>(threads) *
           sizeof(FourEntries);
  }

 private:
  PENCILBOX_DEVICE_FUNCTION static Index chunks(const ListRows& rows) {
    return rows.capacity / rows.chunk();
  }

  SharedArray<FourEntries> entries_;
  Index own_, threads_;
};

/// Runs body(k) for one unit after the other; every thread of the grid must call it. A unit lowers
/// the limit to the next one at least, so all blocks agree on where they end.
template <class Precision, class Body>
PENCILBOX_DEVICE_FUNCTION void for_each_unit(const Block& block,
                                             const UnitsOfCycle<Precision>& units, Body&& body) {
  for (std::int32_t k = 0; k < units.count; ++k) {
    if (k > 0) block.grid_barrier();
    if (k >= *units.limit) return;
    body(k);
  }
}

/// As many blocks for each multiprocessor, one if it can be, as hold all rows between them.
/// `bytes`: of a block's shared memory beside the entries.
inline LaunchShape resident_shape(const ListRows& rows, std::size_t bytes, int most_threads,
                                  const DeviceProperties& device) {
  const std::int64_t threads = rows.rows * rows.lanes;
  const std::int64_t multiple = std::max<std::int64_t>(device.warp_size, rows.lanes);
  const std::int64_t at_least = round_up(128, multiple);
  const std::int64_t all_blocks =
      device.multiprocessors *
      divide_up(threads, std::int64_t{device.multiprocessors} * (most_threads - multiple + 1));
  const std::int64_t each = std::max(at_least, round_up(divide_up(threads, all_blocks), multiple));
  LaunchShape shape;
  shape.threads = static_cast<int>(each);
  shape.blocks = divide_up(threads, each);
  shape.shared_bytes = bytes + ResidentEntries::bytes(rows, shape.threads);
  return shape;
}

/// Launches it if it fits the device; else false, with nothing enqueued.
template <class Kernel>
bool launch_resident(Stream& stream, const LaunchShape& shape, const Kernel& kernel) {
  if (!fit_at_once<Kernel>(shape)) return false;
  launch_at_once(stream, shape, kernel);
  return true;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
