// Inclusive prefix sum in a block's shared memory, in place, with no memory of its own.
// Few particles per cell, section 6, Algorithm 6 and Code 1: an upward pass builds the sums of a
// binary tree, a downward pass completes the elements in between.
//
// The paper's two listings differ in where the downward pass starts: Algorithm 6 at js/4, Code 1 at
// js/2. Only js/2 is right for every N: with N = 12 the other one never completes element 11.
#pragma once

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// values[i] becomes values[0] + ... + values[i] for i in [0, count). Every thread of the block
/// must call it; begins and ends with a barrier.
template <class T>
PENCILBOX_DEVICE_FUNCTION void block_inclusive_scan(const Block& block,
                                                    const SharedArray<T>& values, Index count) {
  const auto add_every = [&](Index first, Index stride, Index distance) {
    block.barrier();
    for (Index i = first + block.thread() * stride; i < count; i += block.threads() * stride) {
      values[i] += static_cast<T>(values[i - distance]);
    }
  };
  Index stride = 2;
  for (; stride <= count; stride *= 2) add_every(stride - 1, stride, stride / 2);
  for (stride /= 2; stride > 1; stride /= 2) {
    add_every(stride + stride / 2 - 1, stride, stride / 2);
  }
  block.barrier();
}

}  // namespace pencilbox::PENCILBOX_DEVICE
