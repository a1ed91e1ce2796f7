// What the benchmarks of all pairs compute on every device that answers; on the host under every
// schedule of the emulator.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "app/bench/bench_device.hpp"
#include "core/device/host/emulator.hpp"
#include "core/error.hpp"
#include "core/plummer_sphere.hpp"
#include "core/random_start.hpp"

namespace pencilbox::testing {
namespace {

std::vector<const DeviceApi*> devices_that_answer() {
  std::vector<const DeviceApi*> answering;
  for (const DeviceApi* device : devices()) {
    try {
      (void)device->properties();
      answering.push_back(device);
    } catch (const SystemError&) {
    }
  }
  return answering;
}

/// Puts the emulator's settings back.
class EmulatorSettingsGuard {
 public:
  ~EmulatorSettingsGuard() { host::emulator_settings() = before_; }

 private:
  host::EmulatorSettings before_ = host::emulator_settings();
};

HistogramBench histogram_bench(std::int64_t points, Index buckets, int block) {
  HistogramBench bench;
  bench.points = make_random_start({points, {1, 1, 1}, 5, 0.0}, {false, false, false}).position;
  bench.longest = std::sqrt(3.0);
  bench.buckets = buckets;
  bench.block = block;
  bench.patience = {1, 1, 0.0, 1.0};
  return bench;
}

std::vector<std::uint64_t> counted_by_hand(const HistogramBench& bench) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(bench.buckets), 0);
  const auto x = [&](std::size_t i, std::size_t d) {
    return static_cast<float>(bench.points[i][d]);
  };
  for (std::size_t i = 0; i < bench.points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      ++counts[static_cast<std::size_t>(
          buckets_of(bench)(x(i, 0) - x(j, 0), x(i, 1) - x(j, 1), x(i, 2) - x(j, 2)))];
    }
  }
  return counts;
}

TEST(PairHistogram, AllWaysCountTheSame) {
  for (const DeviceApi* device : devices_that_answer()) {
    for (const std::int64_t points : {2, 31, 128, 129, 400, 4100}) {
      const HistogramBench bench = histogram_bench(points, 50, 128);
      const auto truth = counted_by_hand(bench);
      for (const HistogramTiming& timing : benches_on(*device).time_histograms(bench)) {
        EXPECT_EQ(timing.counts, truth) << device->kind() << ", " << points << " points";
        EXPECT_GT(timing.seconds.median, 0.0);
      }
    }
  }
}

TEST(PairHistogram, InEveryOrderOfThreadsAndBlocks) {
  const EmulatorSettingsGuard guard;
  const HistogramBench bench = histogram_bench(150, 20, 64);
  const auto truth = counted_by_hand(bench);
  for (const host::Schedule schedule :
       {host::Schedule::forward, host::Schedule::reverse, host::Schedule::random}) {
    host::emulator_settings().schedule = schedule;
    host::emulator_settings().seed = 7;
    for (const HistogramTiming& timing : bench_devices().front()->time_histograms(bench)) {
      EXPECT_EQ(timing.counts, truth);
    }
  }
}

TEST(PairHistogram, WhatIsFartherThanTheLastBucketCountsInIt) {
  for (const DeviceApi* device : devices_that_answer()) {
    HistogramBench bench = histogram_bench(300, 40, 64);
    bench.longest = 0.6;
    const auto truth = counted_by_hand(bench);
    EXPECT_GT(truth.back(), truth[38]);
    for (const HistogramTiming& timing : benches_on(*device).time_histograms(bench)) {
      EXPECT_EQ(timing.counts, truth) << device->kind();
    }
  }
}

TEST(PairHistogram, MoreBucketsThanThreadsAndOneBucket) {
  for (const Index buckets : {1, 1000}) {
    const HistogramBench bench = histogram_bench(70, buckets, 32);
    const auto truth = counted_by_hand(bench);
    EXPECT_EQ(std::accumulate(truth.begin(), truth.end(), std::uint64_t{0}), 70U * 69U / 2U);
    for (const HistogramTiming& timing : bench_devices().front()->time_histograms(bench)) {
      EXPECT_EQ(timing.counts, truth);
    }
  }
}

TEST(GravityTiming, TheNaiveKernelAndTheTiledOneAreRight) {
  for (const DeviceApi* device : devices_that_answer()) {
    GravityBench bench;
    bench.start = make_plummer_sphere({300, 1.0, 2});
    bench.patience = {1, 1, 0.0, 1.0};
    for (const BackendInfo& info : device->backends()) {
      if (info.name == "all-pairs" || info.name == "x-pencil") {
        bench.backends.push_back({info.name, default_options(info)});
      }
    }
    const GravityResult result = benches_on(*device).time_gravity(bench);
    EXPECT_GT(result.naive.seconds.median, 0.0);
    EXPECT_LT(result.naive.largest_error, 1e-5);
    ASSERT_EQ(result.backends.size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) {
      const bool tiled = bench.backends[k].name == "all-pairs";
      EXPECT_EQ(result.backends[k].refusal.has_value(), !tiled) << bench.backends[k].name;
      EXPECT_LT(result.backends[k].largest_error, 1e-5);
    }
  }
}

SearchBench search_bench(Index cells) {
  SearchBench bench;
  bench.start = make_random_start({500, {10, 10, 10}, 3, 0.0}, {false, false, false});
  bench.radius = 1.0;
  bench.patience = {1, 1, 0.0, 1.0};
  for (const BackendInfo& info : devices().front()->backends()) {
    const bool sorts = info.name == "fenns" || info.name == "green" || info.name == "hoetzlein" ||
                       info.name == "sort-and-search" || info.name == "linked-cells";
    if (!sorts && info.name != "par-part-loop") continue;
    bench.methods.push_back({{info.name, default_options(info)}, cells, sorts});
    if (info.name == "fenns") bench.methods.back().choice.options["coarse_cells"] = "2";
  }
  return bench;
}

TEST(SearchTiming, EveryMethodFindsTheNeighbours) {
  for (const DeviceApi* device : devices_that_answer()) {
    const SearchBench bench = search_bench(10);
    const SearchResult result = benches_on(*device).time_searches(bench);
    double pairs = 0.0;
    for (const Double3& a : bench.start.position) {
      for (const Double3& b : bench.start.position) {
        pairs += std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < 1.0 ? 1.0 : 0.0;
      }
    }
    EXPECT_DOUBLE_EQ(result.neighbors_per_particle, pairs / 500.0 - 1.0);
    ASSERT_EQ(result.methods.size(), 6U);
    for (const SearchTiming& timing : result.methods) {
      EXPECT_FALSE(timing.refusal);
      EXPECT_GT(timing.seconds.median, 0.0);
      EXPECT_GT(timing.device_bytes, 0);
      EXPECT_GE(timing.candidates_per_particle, result.neighbors_per_particle);
    }
  }
}

TEST(SearchTiming, CellsNarrowerThanTheRadiusMissNeighboursAndAreFoundOut) {
  try {
    (void)bench_devices().front()->time_searches(search_bench(14));
    FAIL() << "nothing was noticed";
  } catch (const PhysicsError& error) {
    EXPECT_NE(std::string(error.what()).find(": particle "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(" neighbours, there are "), std::string::npos);
  }
}

}  // namespace
}  // namespace pencilbox::testing
