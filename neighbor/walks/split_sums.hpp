// The sums of several targets, each spread over the lanes of a warp or a part of one, on their way
// to one lane each: half of the sums goes to the other half of the lanes at every step, so four
// targets take 18 shuffles of forces where one after the other took 60.
#pragma once

#include "neighbor/pair_sum.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Lanes `distance` apart share out two sums: the lower gets `low`, the upper gets `high`.
template <class Sum>
PENCILBOX_DEVICE_FUNCTION Sum share_out(const Block& block, const Sum& low, const Sum& high,
                                        int distance) {
  const bool upper = (block.lane() & distance) != 0;
  return Sum::of_both(low, high, [&](auto a, auto b) {
    return (upper ? b : a) + block.shuffle_xor(upper ? a : b, distance);
  });
}

/// Of `size` sums over `lanes` neighbouring lanes (two powers of two) each lane gets a whole one:
/// the k-th of them number k / (lanes / size). In a fixed order. Every lane of the warp must call
/// it.
template <class Sum, int size>
PENCILBOX_DEVICE_FUNCTION Sum sum_over_lanes(const Block& block, Sum (&sums)[size], int lanes) {
  int distance = lanes / 2;
  for (int left = size; left > 1; left /= 2) {
    for (int i = 0; i < left / 2; ++i) {
      sums[i] = share_out(block, sums[i], sums[i + left / 2], distance);
    }
    distance /= 2;
  }
  sums[0].add_lanes(block, 2 * distance);
  return sums[0];
}

}  // namespace pencilbox::PENCILBOX_DEVICE
