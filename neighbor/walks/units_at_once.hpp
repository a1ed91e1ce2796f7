// All units of a cycle in one launch: every block does its part of a unit, waits for the others,
// and goes on to the next. Between two units there is a barrier in place of a launch, which for a
// small system is most of the time. All blocks have to be on the device at once.
#pragma once

#include "neighbor/backend.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// `Kernel` does one unit: operator()(block), after turn_to(unit). What it reads of other particles
/// are their mirrors, of which it writes the other one.
template <class Kernel>
struct UnitsAtOnce {
  static constexpr const char* name = Kernel::name;
  static constexpr int max_threads = Kernel::max_threads;
  static constexpr int min_blocks = Kernel::min_blocks;
  using Precision = typename Kernel::PrecisionOfPairs;

  Kernel kernel;
  UnitsOfCycle<Precision> units;

  /// A unit lowers the limit to the next one at least, so all blocks agree on where they end.
  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    for (std::int32_t k = 0; k < units.count; ++k) {
      if (k > 0) block.grid_barrier();
      if (k >= *units.limit) return;
      Kernel unit = kernel;
      unit.turn_to(units.mirrors_of(k));
      unit(Block(block));
    }
  }
};

/// False, with nothing enqueued, where the blocks do not fit the device at once.
template <class Kernel>
bool launch_units(Stream& stream, const LaunchShape& shape, const Kernel& kernel,
                  const UnitsOfCycle<typename Kernel::PrecisionOfPairs>& units) {
  using Units = UnitsAtOnce<Kernel>;
  if (!fit_at_once<Units>(shape)) return false;
  launch_at_once(stream, shape, Units{kernel, units});
  return true;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
