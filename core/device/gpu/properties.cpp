#include <algorithm>
#include <cctype>
#include <fstream>

#include "core/device/gpu/runtime.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// The first word of the driver's file that is numbers between points: "580.159.04"; empty if the
/// system does not show that file.
std::string driver_release() {
  std::ifstream file(vendor::driver_release_file);
  std::string word;
  while (file >> word) {
    const auto is_part = [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; };
    const bool has_point = word.find('.') != std::string::npos;
    if (has_point && std::all_of(word.begin(), word.end(), is_part)) return word;
  }
  return {};
}

std::string driver_in_words() {
  int driver = 0;
  int runtime = 0;
  check(vendor::driver_version(&driver), "reading the driver's version");
  check(vendor::runtime_version(&runtime), "reading the runtime's version");
  const std::string release = driver_release();
  return "driver " + (release.empty() ? "" : release + " ") + "for " +
         vendor::version_in_words(driver) + ", runtime " + vendor::version_in_words(runtime);
}

/// A number that a device may not tell: then 0.
double told(vendor::Error (*ask)(int*)) {
  int value = 0;
  if (ask(&value) == vendor::success) return value;
  (void)vendor::last_error();  // has been dealt with
  return 0.0;
}

}  // namespace

DeviceProperties device_properties() {
  int count = 0;
  check(vendor::device_count(&count), "looking for a device");
  if (count == 0) throw SystemError(std::string(vendor::kind) + ": no device found");
  vendor::Properties raw{};
  check(vendor::properties(&raw), "reading a device's properties");
  DeviceProperties properties;
  properties.kind = vendor::kind;
  properties.name = raw.name;
  properties.driver = driver_in_words();
  properties.compiler = vendor::compiler();
  properties.multiprocessors = raw.multiProcessorCount;
  properties.warp_size = raw.warpSize;
  properties.max_threads = raw.maxThreadsPerBlock;
  properties.shared_bytes = static_cast<std::int64_t>(raw.sharedMemPerBlock);
  properties.shared_bytes_opt_in = static_cast<std::int64_t>(vendor::opt_in_shared_bytes(raw));
  properties.memory_bytes = static_cast<std::int64_t>(raw.totalGlobalMem);
  properties.issue_per_s = 1e3 * told(vendor::clock_khz) * raw.multiProcessorCount *
                           static_cast<double>(vendor::issue_lanes(raw));
  properties.memory_bytes_per_s =  // two transfers a clock
      2e3 * told(vendor::memory_clock_khz) * told(vendor::memory_bus_bits) / 8.0;
  return properties;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
