// The host as a device: streams that are always done, memory that is malloc's, a grid of threads as
// an OpenMP loop at the machine's real speed, a grid of blocks on the emulator.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include <omp.h>

#include "core/device/host/block.hpp"
#include "core/device/host/emulator.hpp"
#include "core/device/launch_shape.hpp"
#include "core/device/properties.hpp"
#include "core/device/rehearsal.hpp"
#include "core/error.hpp"

namespace pencilbox::host {

inline constexpr const char* device_kind = "host";

/// How often the host has waited for a stream: a test holds the time loop to none.
inline std::atomic<std::int64_t> host_waits{0};

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void synchronize() { ++host_waits; }
};

/// A point in time on a stream.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(Stream&) { time_ = std::chrono::steady_clock::now(); }
  void hold(Stream&) const {}
  void wait() const {}
  bool ready() const { return true; }
  double seconds_since(const Event& earlier) const {
    return std::chrono::duration<double>(time_ - earlier.time_).count();
  }

 private:
  std::chrono::steady_clock::time_point time_;
};

/// Work that is enqueued again and again, launched as one: what `enqueue` puts on the stream is run
/// by each replay, and not here. It may neither allocate nor wait, and must enqueue the same every
/// time. (On a GPU it is called once, here, and what it enqueues is noted.)
class Graph {
 public:
  Graph(Stream&, std::function<void()> enqueue) : enqueue_(std::move(enqueue)) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void replay(Stream&) { enqueue_(); }

 private:
  std::function<void()> enqueue_;
};

/// Raw memory; Buffer and HostBuffer are what everybody uses.
namespace memory {

inline void* allocate(std::size_t bytes) {
  void* pointer = ::operator new (bytes, std::align_val_t{64}, std::nothrow);
  if (pointer == nullptr) {
    throw SystemError("host: allocating " + std::to_string(bytes) + " bytes: out of memory");
  }
  return pointer;
}
inline void release(void* pointer) noexcept { ::operator delete (pointer, std::align_val_t{64}); }
inline void* allocate_pinned(std::size_t bytes) { return allocate(bytes); }
inline void release_pinned(void* pointer) noexcept { release(pointer); }
inline void copy(void* to, const void* from, std::size_t bytes, Stream&) {
  if (bytes > 0 && !Rehearsal::goes_on()) std::memcpy(to, from, bytes);
}
inline void fill(void* pointer, int byte, std::size_t bytes, Stream&) {
  if (bytes > 0 && !Rehearsal::goes_on()) std::memset(pointer, byte, bytes);
}

}  // namespace memory

namespace detail {

/// The k-th index that a schedule runs: as it comes, backwards, or in a seeded permutation.
class IndexOrder {
 public:
  IndexOrder(Index count, const EmulatorSettings& settings) : count_(count) {
    if (settings.schedule == Schedule::reverse) {
      multiplier_ = count - 1;
      offset_ = count - 1;
    }
    if (settings.schedule == Schedule::random) {
      multiplier_ = static_cast<std::int64_t>(settings.seed % 1000003U) * 2654435761LL % count;
      while (std::gcd(multiplier_, static_cast<std::int64_t>(count)) != 1) ++multiplier_;
      offset_ = static_cast<std::int64_t>(settings.seed % static_cast<std::uint64_t>(count));
    }
  }
  Index operator()(std::int64_t k) const {
    return static_cast<Index>((k * multiplier_ + offset_) % count_);
  }

 private:
  std::int64_t count_;
  std::int64_t multiplier_ = 1;
  std::int64_t offset_ = 0;
};

}  // namespace detail

/// Runs kernel(i) for every i in [0, count). `threads` shapes a GPU's blocks only.
template <class Kernel>
void for_each(Stream&, Index count, const Kernel& kernel, [[maybe_unused]] int threads = 128) {
  if (count <= 0 || Rehearsal::goes_on()) return;
  constexpr Index chunk = 256;
  const EmulatorSettings& settings = emulator_settings();
  if (settings.schedule != Schedule::forward) {
    const detail::IndexOrder order(count, settings);
#pragma omp parallel for schedule(dynamic, chunk)
    for (std::int64_t k = 0; k < count; ++k) kernel(order(k));
    return;
  }
#pragma omp parallel for schedule(dynamic, chunk) if (count > 4 * chunk)
  for (Index i = 0; i < count; ++i) kernel(i);
}

/// Runs kernel(block) for every block of the shape, on the emulator.
template <class Kernel>
void launch(Stream&, const LaunchShape& shape, const Kernel& kernel) {
  if (shape.blocks <= 0 || Rehearsal::goes_on()) return;
  emulate(shape, Kernel::name, [&kernel](const Block& block) { kernel(block); });
}

/// A kernel of the host takes nothing that could be told.
inline KernelResources resources_of_last_launch() { return {}; }

DeviceProperties device_properties();

}  // namespace pencilbox::host
