// What a device says about itself. Names no vendor, so everybody may read it.
#pragma once

#include <cstdint>
#include <string>

namespace pencilbox {

struct DeviceProperties {
  std::string kind;                              ///< the word in decks: host, cuda or hip
  std::string name;                              ///< "NVIDIA H200", "2 CPU threads"
  std::string driver;                            ///< version of driver and runtime, or empty
  int multiprocessors = 1;                       ///< compute units; CPU threads on the host
  int warp_size = 32;                            ///< threads that run in lockstep
  int max_threads = 1024;                        ///< per block
  std::int64_t shared_bytes = 48 * 1024;         ///< per block, without asking for more
  std::int64_t shared_bytes_opt_in = 48 * 1024;  ///< per block, on request
  std::int64_t memory_bytes = 0;
  bool emulates_blocks = false;  ///< kernels with barriers are emulated: right, but slow
};

}  // namespace pencilbox
