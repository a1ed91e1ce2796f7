// `pencilbox info`: the build, its libraries, and the devices that answer.
#include <fmt/format.h>

#include "app/commands/program.hpp"
#include "app/processes/mpi_post.hpp"
#include "core/error.hpp"
#include "io/output/report.hpp"

namespace pencilbox {

namespace {

std::string describe(const DeviceApi& device) {
  try {
    const DeviceProperties p = device.properties();
    const std::string memory =
        fmt::format("memory {:.1f} GB", static_cast<double>(p.memory_bytes) / 1e9);
    const std::string head = fmt::format("{}: {}\n  {}kernels compiled by {}\n  ", p.kind, p.name,
                                         p.driver.empty() ? "" : p.driver + ", ", p.compiler);
    // What an emulator imitates of a GPU says nothing about a CPU.
    if (p.emulates_blocks) {
      return head + memory + ", back ends with blocks are emulated\n  " +
             "letters between ranks: through memory of the host, by MPI\n";
    }
    return head +
           fmt::format("multiprocessors {}, warp {}, shared memory {} KB (on request {} KB), {}\n",
                       p.multiprocessors, p.warp_size, p.shared_bytes / 1024,
                       p.shared_bytes_opt_in / 1024, memory) +
           "  letters between ranks: from device to device where GPUs of one machine reach each "
           "other's memory, else through memory of the host, by MPI\n";
  } catch (const SystemError& error) {
    return fmt::format("{}: none ({})\n", device.kind(), error.what());
  }
}

}  // namespace

void info_command() {
  std::string text = fmt::format("pencilbox {}\n", PENCILBOX_VERSION);
  for (const auto& [library, version] : library_versions()) {
    text += fmt::format("  {:14} {}\n", library, version);
  }
  text += fmt::format("  {:14} {}\n", "mpi", mpi_library());
  text += "devices of this build\n";
  for (const DeviceApi* device : devices()) text += describe(*device);
  text += fmt::format("auto chooses {}\n", choose_device("auto").kind());
  print(text);
}

}  // namespace pencilbox
