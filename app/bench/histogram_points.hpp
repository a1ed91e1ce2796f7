// What every histogram of distances counts, and in what.
#pragma once

#include "app/bench/all_pairs_bench.hpp"
#include "core/device/device.hpp"
#include "core/vec3.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Wide enough for all pairs in one bucket; the spelling that atomics of every device take.
using Count = unsigned long long;

struct Points {
  Index count;
  Vec3View<const float> position;  ///< [N]
  DistanceBuckets bucket;

  PENCILBOX_DEVICE_FUNCTION Index bucket_of(const Vec3<float>& a, const Vec3<float>& b) const {
    return bucket(a.x - b.x, a.y - b.y, a.z - b.z);
  }
};

/// A point in shared memory; sixteen bytes, which a GPU reads at once.
struct alignas(16) StagedPoint {
  Vec3<float> position;
  float unused;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
