#include <fstream>

#include <omp.h>
#include <unistd.h>

#include "core/device/host/instruction_sets.hpp"
#include "core/device/host/runtime.hpp"

namespace pencilbox::host {

namespace {

/// Clang names itself in its version, GCC does not.
#if defined(__clang__)
constexpr const char* compiler = __VERSION__;
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

}  // namespace

DeviceProperties device_properties() {
  DeviceProperties properties;
  properties.kind = device_kind;
  properties.compiler = compiler;
  properties.multiprocessors = omp_get_max_threads();
  properties.name = processor_name() + ", " + std::to_string(properties.multiprocessors) +
                    (properties.multiprocessors == 1 ? " thread, " : " threads, ") +
                    instruction_set();
  properties.warp_size = emulator_settings().warp_size;
  properties.max_threads = 1024;
  properties.shared_bytes_opt_in = emulator_settings().shared_limit;
  properties.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
  properties.emulates_blocks = true;
  return properties;
}

}  // namespace pencilbox::host
