// The device's part of the benchmarks of all pairs.
#pragma once

#include "app/bench/all_pairs_bench.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Gravity by the naive kernel and by back ends, in float. Forces are held against `reference` in
/// double first: PhysicsError, naming method and body, where they differ by more than 1e-4 of the
/// largest.
GravityResult time_gravity(const GravityBench& bench);

/// The three histograms. Nothing is checked here: the counts are handed out.
HistogramResult time_histograms(const HistogramBench& bench);

}  // namespace pencilbox::PENCILBOX_DEVICE
