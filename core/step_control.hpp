// What the device itself knows of the steps that were enqueued: how far they have come, whether a
// rebuild is due, and which of them may still run. The host writes it when a batch begins and reads
// it when one has ended.
//
// Steps are enqueued in cycles. A cycle is the rebuild of what outlives a step (order, list), which
// runs only if it is due, and then a number of units: forces, and the move to the next positions.
// Unit k runs while k < limit (a Gate on `limit`). A move that carries a particle too far lowers
// the limit to the unit that comes next: so no force is ever taken from a list that is too old. A
// list whose rows were too short is made once more, in the order and of the places of the first.
#pragma once

#include <cstdint>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

struct StepControl {
  std::int32_t limit = 0;      ///< units of this cycle that may run
  std::int32_t due = 0;        ///< 1: rebuild before the next forces
  std::int32_t order_due = 0;  ///< 1: likewise, in a new order
  std::int32_t left = 0;   ///< units of the batch that have not run, those of this cycle included
  std::int32_t done = 0;   ///< units of the batch that had run when this cycle began
  std::int32_t final = 0;  ///< 1: the batch's last evaluation is still to come
  std::int32_t odd = 0;  ///< 1: the mirror of odd units holds the positions, and no rebuild is due

  std::int32_t age = 0;          ///< evaluations since the last rebuild when this cycle began
  std::int32_t age_before = 0;   ///< that the rebuild before has reached; 0: there was none
  std::int32_t rebuilds = 0;     ///< since the host last read it
  std::int32_t shortest = 0;     ///< interval between two of them [steps]; 0: none yet
  std::int32_t longest = 0;      ///< likewise
  std::int32_t intervals = 0;    ///< sum of these intervals [steps]
  std::int32_t longest_row = 0;  ///< of the list that was built last: entries wanted
  std::int32_t full = 0;         ///< 1: it was longer than its row, so nothing runs
};

/// The step that a kernel works for, counted from the beginning of the batch: what is known when it
/// is enqueued, and where the cycle began, which only the device knows.
struct StepNumber {
  const StepControl* control = nullptr;  ///< null: `offset` is all
  std::int32_t offset = 0;

  PENCILBOX_DEVICE_FUNCTION std::int32_t operator()() const {
    return offset + (control != nullptr ? control->done : 0);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
