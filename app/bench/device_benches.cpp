// The benchmarks of one device, under one name.
#include "app/bench/bench_device.hpp"
#include "app/bench/time_all_pairs.hpp"
#include "app/bench/time_candidates.hpp"
#include "app/bench/time_searches.hpp"
#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

class DeviceBenches final : public BenchDevice {
 public:
  std::string kind() const override { return device_kind; }

  CandidateResult time_candidates(const CandidateBench& bench) const override {
    return PENCILBOX_DEVICE::time_candidates(bench);
  }
  SearchResult time_searches(const SearchBench& bench) const override {
    return PENCILBOX_DEVICE::time_searches(bench);
  }
  GravityResult time_gravity(const GravityBench& bench) const override {
    return PENCILBOX_DEVICE::time_gravity(bench);
  }
  HistogramResult time_histograms(const HistogramBench& bench) const override {
    return PENCILBOX_DEVICE::time_histograms(bench);
  }
};

}  // namespace

const BenchDevice& bench_device() {
  static const DeviceBenches benches;
  return benches;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
