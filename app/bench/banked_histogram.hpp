// The histogram of all distances, as fast as this program can: a block takes a tile of anchors,
// four of them in the registers of each thread, and a tile of others. Each lane of a warp counts in
// a copy of the histogram of its own, which lies in a memory bank of its own, so that lanes do not
// wait for each other. The bucket is that of the hardware's estimate of the root, and of the root
// itself where the estimate is too near an edge to tell.
#pragma once

#include <limits>

#include "app/bench/histogram_points.hpp"
#include "core/device/device.hpp"
#include "core/device/math.hpp"
#include "core/device/quick_floor.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Which tiles a block takes: all pairs of tiles once, the pairs of a tile with itself too.
struct TilePair {
  Index of_anchors, of_others;  ///< of_anchors <= of_others

  PENCILBOX_DEVICE_FUNCTION static std::int64_t before(std::int64_t others) {
    return others * (others + 1) / 2;
  }
  PENCILBOX_DEVICE_FUNCTION static TilePair number(std::int64_t k) {
    auto others =
        static_cast<std::int64_t>((square_root(8.0 * static_cast<double>(k) + 1.0) - 1.0) / 2.0);
    while (before(others) > k) --others;  // where the root was rounded
    while (before(others + 1) <= k) ++others;
    return {static_cast<Index>(k - before(others)), static_cast<Index>(others)};
  }
};

/// `is_within`: no distance is longer than the histogram.
template <bool is_within>
struct BankedHistogram {
  static constexpr const char* name = "pair-histogram: banked";
  static constexpr int max_threads = 512;
  static constexpr int min_blocks = 3;
  static constexpr Index anchors = 4;  ///< of a thread
  static constexpr Index tile = anchors * max_threads;

  Points points;
  Count* counts;  ///< [buckets]
  Index copies;   ///< of a block's histogram

  /// One more than buckets: what is farther apart, or on the outermost edge.
  static Index rows(Index buckets) { return buckets + 1; }

  static std::size_t shared_bytes(Index buckets, Index copies) {
    return max_threads * sizeof(StagedPoint) + static_cast<std::size_t>(rows(buckets)) *
                                                   static_cast<std::size_t>(copies) * sizeof(Index);
  }

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto staged = block.shared<StagedPoint>(block.threads());
    const Index size = (points.bucket.buckets + 1) * copies;
    const auto own = block.shared<Index>(size);
    for (Index k = block.thread(); k < size; k += block.threads()) own[k] = 0;
    const TilePair pair = TilePair::number(block.index());
    Anchors mine;
    mine.first = pair.of_anchors * tile + block.thread();
    for (Index a = 0; a < anchors; ++a) {
      const Index anchor = mine.first + a * block.threads();
      mine.position[a] = points.position[anchor < points.count ? anchor : points.count - 1];
    }
    const bool is_plain =
        pair.of_anchors < pair.of_others && (pair.of_others + 1) * tile <= points.count;
    for (Index part = 0; part < anchors; ++part) {
      const Index first = pair.of_others * tile + part * block.threads();
      const Index others = stage(block, staged, first);
      is_plain ? count<false>(block, own, mine, staged, first, others)
               : count<true>(block, own, mine, staged, first, others);
      block.barrier();  // they have been used
    }
    merge(block, own);
  }

 private:
  struct Anchors {
    Index first;  ///< the others follow a block's threads apart
    Vec3<float> position[anchors];
  };

  /// Points from `first` on, one for each thread; returns how many there were.
  PENCILBOX_DEVICE_FUNCTION Index stage(const Block& block, const SharedArray<StagedPoint>& staged,
                                        Index first) const {
    const Index left = points.count - first;
    const Index size = left < block.threads() ? left : block.threads();
    if (block.thread() < size) {
      staged[block.thread()] = StagedPoint{points.position[first + block.thread()], 0.0F};
    }
    block.barrier();
    return size;
  }

  /// `is_checked`: pairs come twice here, or there are fewer points than places.
  template <bool is_checked>
  PENCILBOX_DEVICE_FUNCTION void count(const Block& block, const SharedArray<Index>& own,
                                       const Anchors& mine, const SharedArray<StagedPoint>& staged,
                                       Index first, Index others) const {
    constexpr float doubt = 5.0F * std::numeric_limits<float>::epsilon();
    const float below = points.bucket.inverse_width * (1.0F - doubt);
    const float above = points.bucket.inverse_width * (1.0F + doubt);
    const float farthest = (static_cast<float>(points.bucket.buckets) + 0.5F) / above;
    const Index copy = block.lane() % copies;
    for (Index k = 0; k < others; ++k) {
      const StagedPoint other = staged[k];
      float squared[anchors];
      Index bucket[anchors];
      bool is_clear = true;
      for (Index a = 0; a < anchors; ++a) {
        const Vec3<float>& anchor = mine.position[a];
        squared[a] = DistanceBuckets::squared(
            anchor.x - other.position.x, anchor.y - other.position.y, anchor.z - other.position.z);
        float distance = quick_square_root(squared[a]);
        if constexpr (!is_within) distance = distance < farthest ? distance : farthest;
        bucket[a] = floor_of_product(distance, below);
        is_clear = is_clear && bucket[a] == floor_of_product(distance, above);
      }
      if (!is_clear) {
        for (Index a = 0; a < anchors; ++a) bucket[a] = points.bucket.of_squared(squared[a]);
      }
      for (Index a = 0; a < anchors; ++a) {
        if constexpr (is_checked) {
          const Index anchor = mine.first + a * block.threads();
          if (anchor >= first + k) continue;
        }
        block.atomic_add(own[bucket[a] * copies + copy], Index{1});
      }
    }
  }

  /// Each lane begins with another copy: the same ones of several rows share a bank.
  PENCILBOX_DEVICE_FUNCTION void merge(const Block& block, const SharedArray<Index>& own) const {
    const Index buckets = points.bucket.buckets;
    for (Index row = block.thread(); row <= buckets; row += block.threads()) {
      Index sum = 0;
      for (Index c = 0; c < copies; ++c) {
        sum += own[row * copies + (c + block.lane()) % copies];
      }
      if (sum > 0)
        atomic_add(counts + (row < buckets ? row : buckets - 1), static_cast<Count>(sum));
    }
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
