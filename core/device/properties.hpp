// What a device says about itself. Names no vendor, so everybody may read it.
#pragma once

#include <cstdint>
#include <string>

namespace pencilbox {

struct DeviceProperties {
  std::string kind;                              ///< the word in decks: host, cuda or hip
  std::string name;                              ///< "NVIDIA H200", "2 CPU threads"
  std::string driver;                            ///< versions of driver and runtime, or empty
  std::string compiler;                          ///< what compiled its kernels: "nvcc 13.0.88"
  int multiprocessors = 1;                       ///< compute units; CPU threads on the host
  int warp_size = 32;                            ///< threads that run in lockstep
  int max_threads = 1024;                        ///< per block
  std::int64_t shared_bytes = 48 * 1024;         ///< per block, without asking for more
  std::int64_t shared_bytes_opt_in = 48 * 1024;  ///< per block, on request
  std::int64_t memory_bytes = 0;
  bool emulates_blocks = false;  ///< kernels with barriers are emulated: right, but slow

  // Ceilings, from what the device says of its clocks; 0 where it does not say.
  double issue_per_s = 0.0;         ///< instructions of single threads: lanes a clock times clock
  double memory_bytes_per_s = 0.0;  ///< to and from device memory, at its clock
};

/// What a kernel takes of a multiprocessor. On the host nothing is known.
struct KernelResources {
  std::string kernel;            ///< its name; empty: not known
  int registers = 0;             ///< of a thread
  std::int64_t local_bytes = 0;  ///< of a thread in device memory: what did not fit in registers
  double occupancy = 0.0;        ///< resident warps by the most that a multiprocessor holds
};

}  // namespace pencilbox
