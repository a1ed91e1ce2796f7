// What the benchmarks of all pairs ask of a device, and what the device answers: gravity, and the
// histogram of distances.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/candidate_bench.hpp"
#include "app/bench/measurement.hpp"
#include "core/device/macros.hpp"
#include "core/interactions/softened_gravity.hpp"

namespace pencilbox {

/// Gravity between all bodies; an open box.
struct GravityBench {
  StartState start;
  SoftenedGravityModel gravity;
  std::vector<BackendChoice> backends;  ///< which can act at any distance
  Patience patience;
};

struct GravityTiming {
  std::optional<std::string> refusal;  ///< then the rest is empty
  Spread seconds;                      ///< of one evaluation of all forces
  std::string note;
  double largest_error = 0.0;  ///< of a force, by the largest force
};

struct GravityResult {
  GravityTiming naive;                  ///< one thread a target, sources from device memory
  std::vector<GravityTiming> backends;  ///< in the order asked
};

enum class HistogramMethod { naive, tiled, privatised, banked };
inline constexpr std::array<const char*, 4> histogram_method_names{"naive", "tiled", "privatised",
                                                                   "banked"};

/// Buckets of equal width from 0 to `longest`; what is farther apart counts in the last.
struct HistogramBench {
  std::vector<Double3> points;  ///< taken in float
  double longest = 1.0;
  Index buckets = 500;
  int block = 128;  ///< threads, and points of a tile; `banked` has its own
  Patience patience;
};

struct HistogramTiming {
  Spread seconds;
  std::vector<std::uint64_t> counts;  ///< [buckets], each pair once
};

/// One for each HistogramMethod.
using HistogramResult = std::array<HistogramTiming, histogram_method_names.size()>;

/// The bucket of a squared distance. Every method and the host must come to the same: so roundings
/// are spelled out.
struct DistanceBuckets {
  float inverse_width;
  Index buckets;

  PENCILBOX_DEVICE_FUNCTION Index operator()(float dx, float dy, float dz) const {
    return of_squared(squared(dx, dy, dz));
  }
  PENCILBOX_DEVICE_FUNCTION static float squared(float dx, float dy, float dz) {
    return fmaf(dz, dz, fmaf(dy, dy, dx * dx));
  }
  PENCILBOX_DEVICE_FUNCTION Index of_squared(float squared) const {
    const auto bucket = static_cast<Index>(sqrtf(squared) * inverse_width);
    return bucket < buckets ? bucket : buckets - 1;
  }
};

inline DistanceBuckets buckets_of(const HistogramBench& bench) {
  return {static_cast<float>(bench.buckets / bench.longest), bench.buckets};
}

}  // namespace pencilbox
