// What benchmarks ask of a device beside simulations. It is not in the engine's DeviceApi, so that
// an engine knows nothing of benchmarks. Each device of the build implements it once, in
// device_benches.cpp.
#pragma once

#include <string>
#include <vector>

#include "app/bench/all_pairs_bench.hpp"
#include "app/bench/candidate_bench.hpp"
#include "app/bench/search_bench.hpp"
#include "app/engine/simulation.hpp"

namespace pencilbox {

/// The benchmarks of one device of this build.
class BenchDevice {
 public:
  virtual ~BenchDevice() = default;

  virtual std::string kind() const = 0;

  /// One row of a benchmark of the candidate kernels. Throws PhysicsError if a back end's sums are
  /// wrong, SystemError as DeviceApi::make() does.
  virtual CandidateResult time_candidates(const CandidateBench& bench) const = 0;

  /// The same for neighbour searches, gravity and histograms of distances.
  virtual SearchResult time_searches(const SearchBench& bench) const = 0;
  virtual GravityResult time_gravity(const GravityBench& bench) const = 0;
  virtual HistogramResult time_histograms(const HistogramBench& bench) const = 0;
};

/// Those of this build, host first.
const std::vector<const BenchDevice*>& bench_devices();

/// The benchmarks on the device that makes these simulations.
const BenchDevice& benches_on(const DeviceApi& device);

}  // namespace pencilbox
