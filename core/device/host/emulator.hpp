// The block emulator: how a machine without a GPU proves a kernel right. Each thread of a block is
// a fiber; a barrier is a switch to the scheduler. It poisons shared memory, checks the bounds of
// shared arrays, runs threads and blocks in forward, reverse or seeded random order, and reports,
// with the kernel's name:
//   - an access outside a shared array, or to an element that nobody wrote;
//   - two accesses to one element, one of them a write, that no barrier orders (a removed barrier);
//   - a barrier or warp operation that some threads reach and others do not;
//   - a barrier of the grid that a block does not reach, or in a grid that is larger than what can
//     run at once.
// What it does not see: effects of the memory model, and races in global memory that the schedule
// does not happen to expose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <stdexcept>
#include <string>

#include "core/device/launch_shape.hpp"

namespace pencilbox::host {

class Block;

enum class Schedule { forward, reverse, random };

/// How blocks are emulated; set by tests before a launch, never during one.
struct EmulatorSettings {
  int warp_size = 32;  ///< 32 or 64
  Schedule schedule = Schedule::forward;
  std::uint64_t seed = 1;           ///< of the random schedule
  double yield_probability = 0.02;  ///< of an access to shared memory, in the random schedule
  std::int64_t shared_limit = 227 * 1024;  ///< most bytes a block may ask for
  std::int64_t resident_threads = 4096;    ///< of all blocks that run at once
};

EmulatorSettings& emulator_settings();

/// A kernel broke the rules of a grid of blocks. `what()` names the kernel.
class EmulatorError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Runs body(block) for every thread of every block; throws EmulatorError for the first violation.
void emulate(const LaunchShape& shape, const char* kernel,
             const std::function<void(const Block&)>& body);

/// The same with all blocks under way at a time, in turns from one barrier of the grid to the next.
void emulate_at_once(const LaunchShape& shape, const char* kernel,
                     const std::function<void(const Block&)>& body);

namespace detail {

/// One element of shared memory for the race check: who touched it last, and when.
struct AccessRecord {
  std::int64_t write_epoch = -1;
  std::int64_t read_epoch = -1;
  std::int32_t write_warp_epoch = 0;
  std::int32_t read_warp_epoch = 0;
  std::int16_t writer = -1;
  std::int16_t reader = -1;
  std::int16_t reader_warp = -1;
  bool several_readers = false;
  bool write_was_atomic = false;
};

enum class Access { read, write, atomic };

class BlockRun;

/// What a thread of the emulated block asks of the scheduler.
class ThreadContext {
 public:
  void barrier(const std::source_location& where);
  void grid_barrier(const std::source_location& where);
  void warp_barrier(const std::source_location& where);
  void* shared(std::size_t element_bytes, std::size_t alignment, Index count, std::size_t& used);
  void check_index(Index i, Index count, const std::source_location& where) const;
  void record(const void* element, Access access);
  void maybe_yield();

  /// Hands `value` to the warp and returns a table of what every lane handed in.
  const void* exchange(const void* value, std::size_t bytes, const std::source_location& where);

  BlockRun* run = nullptr;
  int thread = 0;
  int warp_epoch = 0;
  int exchanges = 0;
};

inline constexpr std::size_t exchange_slot_bytes = 16;

}  // namespace detail
}  // namespace pencilbox::host
