// Prefix sums by shuffles: over the lanes of a warp, and over an array in a block's shared memory.
// Any width of a warp, also a last warp with fewer lanes.
#pragma once

#include <cstdint>

#include "core/device/device.hpp"
#include "core/device/math.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Of the votes of a ballot those of lanes below this one.
PENCILBOX_DEVICE_FUNCTION inline Block::Votes lanes_below(const Block& block, Block::Votes votes) {
  return votes & ((Block::Votes{1} << block.lane()) - 1U);
}

PENCILBOX_DEVICE_FUNCTION inline Index warps_of(const Block& block) {
  return (block.threads() + block.warp_size() - 1) / block.warp_size();
}

/// The sum of `value` over this lane and those below it. Every lane of the warp must call it.
PENCILBOX_DEVICE_FUNCTION inline Index warp_inclusive_sum(const Block& block, Index value) {
  const int lane = block.lane();
  for (int distance = 1; distance < block.warp_size(); distance *= 2) {
    const Index below = block.shuffle(value, lane >= distance ? lane - distance : lane);
    if (lane >= distance) value += below;
  }
  return value;
}

/// values[i] becomes values[0] + ... + values[i - 1] for i in [0, count]: values[count] is the sum
/// of all. Each thread adds up a chunk, the chunks' sums go through shuffles. `warp_sums` has one
/// element for each warp. Every thread of the block must call it, with values already ordered by a
/// barrier; ends with a barrier.
PENCILBOX_DEVICE_FUNCTION inline void block_exclusive_sum(const Block& block,
                                                          const SharedArray<Index>& values,
                                                          Index count,
                                                          const SharedArray<Index>& warp_sums) {
  // An odd chunk: neighbouring lanes then read from different banks of shared memory.
  const Index chunk = (count + block.threads() - 1) / block.threads() | 1;
  const Index wanted_begin = block.thread() * chunk;
  const Index begin = wanted_begin < count ? wanted_begin : count;
  const Index end = begin + chunk < count ? begin + chunk : count;
  Index sum = 0;
  for (Index i = begin; i < end; ++i) sum += values[i];
  const Index inclusive = warp_inclusive_sum(block, sum);
  const bool last_thread = block.thread() == block.threads() - 1;
  if (last_thread || block.lane() == block.warp_size() - 1) warp_sums[block.warp()] = inclusive;
  block.barrier();
  Index before = inclusive - sum;
  for (Index warp = 0; warp < block.warp(); ++warp) before += warp_sums[warp];
  for (Index i = begin; i < end; ++i) {
    const Index value = values[i];
    values[i] = before;
    before += value;
  }
  if (last_thread) values[count] = before;
  block.barrier();
}

}  // namespace pencilbox::PENCILBOX_DEVICE
