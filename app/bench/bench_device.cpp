#include "app/bench/bench_device.hpp"

#include <stdexcept>

namespace pencilbox {

const BenchDevice& benches_on(const DeviceApi& device) {
  for (const BenchDevice* benches : bench_devices()) {
    if (benches->kind() == device.kind()) return *benches;
  }
  throw std::logic_error("no benchmarks on " + device.kind());
}

}  // namespace pencilbox
