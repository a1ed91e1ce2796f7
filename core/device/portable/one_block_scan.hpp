// Exclusive scan of a short array by one block: each thread sums a chunk, the chunks' sums are
// scanned by shuffles within warps and by the threads over warps.
#pragma once

#include "core/device/launch_shape.hpp"
#include "core/device/macros.hpp"

namespace pencilbox::PENCILBOX_DEVICE::portable {

inline constexpr Index most_for_one_block = 8192;

struct ScanInOneBlock {
  static constexpr const char* name = "scan: one block";
  static constexpr int max_threads = 1024;
  const Index* in;
  Index* out;
  Index count;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto warp_sums = block.shared<Index>(block.threads() / block.warp_size());
    const Index chunk = (count + block.threads() - 1) / block.threads();
    const Index begin = block.thread() * chunk < count ? block.thread() * chunk : count;
    const Index end = begin + chunk < count ? begin + chunk : count;
    Index sum = 0;
    for (Index i = begin; i < end; ++i) sum += in[i];
    Index inclusive = sum;
    for (int distance = 1; distance < block.warp_size(); distance *= 2) {
      const int lane = block.lane();
      const Index below = block.shuffle(inclusive, lane >= distance ? lane - distance : lane);
      if (lane >= distance) inclusive += below;
    }
    if (block.lane() == block.warp_size() - 1) warp_sums[block.warp()] = inclusive;
    block.barrier();
    Index before = inclusive - sum;
    for (Index warp = 0; warp < block.warp(); ++warp) before += warp_sums[warp];
    for (Index i = begin; i < end; ++i) {
      const Index value = in[i];
      out[i] = before;
      before += value;
    }
  }
};

/// As few threads as give each some elements: at most 1,024, whole warps of 64 lanes.
inline void scan_in_one_block(const Index* in, Index* out, Index count, Stream& stream) {
  constexpr int whole_warps = 64;
  LaunchShape shape;
  shape.threads = static_cast<int>(round_up(count, whole_warps));
  if (shape.threads > ScanInOneBlock::max_threads) shape.threads = ScanInOneBlock::max_threads;
  shape.shared_bytes = sizeof(Index) * 32;  // warps of 32 lanes at least
  launch(stream, shape, ScanInOneBlock{in, out, count});
}

}  // namespace pencilbox::PENCILBOX_DEVICE::portable
