// The host as a device: streams that are always done, memory that is malloc's, a grid of threads as
// an OpenMP loop at the machine's real speed, a grid of blocks on the emulator.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <omp.h>

#include "core/device/gate.hpp"
#include "core/device/host/block.hpp"
#include "core/device/host/emulator.hpp"
#include "core/device/host/tickets.hpp"
#include "core/device/launch_shape.hpp"
#include "core/device/properties.hpp"
#include "core/device/rehearsal.hpp"
#include "core/device/stream_options.hpp"
#include "core/error.hpp"
#include "core/pages.hpp"

namespace pencilbox::host {

inline constexpr const char* device_kind = "host";
inline constexpr bool emulates_blocks = true;

/// How often the host has waited for a stream or an event: a test holds the time loop to none.
inline std::atomic<std::int64_t> host_waits{0};

/// Work runs when it is enqueued; or, while a graph is made, is noted with its arguments as they
/// are now, as a GPU would note it: what the host changes afterwards does not reach it.
class Stream {
 public:
  using Work = std::function<void()>;

  explicit Stream(Priority = Priority::usual) {}  // one kernel runs after the other
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void synchronize() {
    refuse_while_noting("waiting for a stream");
    ++host_waits;
  }

  /// What kernels have to pass that are enqueued from now on; see GatedStream.
  void set_gate(const Gate& gate) { gate_ = gate; }
  const Gate& gate() const { return gate_; }

  void enqueue(Work work) {
    if (notes_ != nullptr) {
      notes_->push_back(std::move(work));
    } else {
      work();
    }
  }
  bool is_noting() const { return notes_ != nullptr; }
  void note_into(std::vector<Work>* notes) {
    notes_ = notes;
    any_is_noting = notes != nullptr;
  }
  /// Some stream of this thread notes: then nothing may be allocated, as on a GPU.
  inline static thread_local bool any_is_noting = false;
  void refuse_while_noting(const char* doing) const {
    if (notes_ != nullptr) {
      throw SystemError(std::string("host: ") + doing + ": not while a graph is made");
    }
  }

 private:
  Gate gate_;
  std::vector<Work>* notes_ = nullptr;
};

/// A point in time on a stream.
class Event {
 public:
  explicit Event(Timed = Timed::yes) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(Stream& stream) {
    stream.refuse_while_noting("recording an event");
    time_ = std::chrono::steady_clock::now();
  }
  void hold(Stream&) const {}
  void wait() const { ++host_waits; }
  bool ready() const { return true; }
  double seconds_since(const Event& earlier) const {
    return std::chrono::duration<double>(time_ - earlier.time_).count();
  }

 private:
  std::chrono::steady_clock::time_point time_;
};

/// Work that is enqueued again and again, launched as one: what `enqueue` puts on the stream is
/// noted once, here, with its arguments, and run by each replay. It may neither allocate nor wait.
class Graph {
 public:
  Graph(Stream& stream, const std::function<void()>& enqueue) {
    stream.note_into(&notes_);
    try {
      enqueue();
    } catch (...) {
      stream.note_into(nullptr);
      throw;
    }
    stream.note_into(nullptr);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void replay(Stream&) {
    for (const Stream::Work& work : notes_) work();
  }

 private:
  std::vector<Stream::Work> notes_;
};

/// Raw memory; Buffer and HostBuffer are what everybody uses.
namespace memory {

inline void* allocate(std::size_t bytes) {
  if (Stream::any_is_noting) {
    throw SystemError("host: allocating " + std::to_string(bytes) +
                      " bytes: not while a graph is made");
  }
  void* pointer = allocate_in_large_pages(bytes);
  if (pointer == nullptr) {
    throw SystemError("host: allocating " + std::to_string(bytes) + " bytes: out of memory");
  }
  return pointer;
}
inline void release(void* pointer) noexcept { std::free(pointer); }
inline void* allocate_pinned(std::size_t bytes) { return allocate(bytes); }
inline void release_pinned(void* pointer) noexcept { release(pointer); }
inline void refuse_gate(const Stream& stream) {
  if (stream.gate().word != nullptr) throw std::logic_error("a copy or fill passes no gate");
}
inline void copy(void* to, const void* from, std::size_t bytes, Stream& stream) {
  refuse_gate(stream);
  if (bytes == 0 || Rehearsal::goes_on()) return;
  stream.enqueue([=] { std::memcpy(to, from, bytes); });
}
inline void fill(void* pointer, int byte, std::size_t bytes, Stream& stream) {
  refuse_gate(stream);
  if (bytes == 0 || Rehearsal::goes_on()) return;
  stream.enqueue([=] { std::memset(pointer, byte, bytes); });
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

namespace detail {

/// Runs work(k) for k in [0, parts). Each thread begins with a stretch of its own, the same in
/// every loop over as many particles, so that it finds near it what it had before; then it helps
/// others.
template <class Work>
void share_out(Index parts, const Work& work) {
  struct alignas(64) Taken {  // a cache line each
    std::atomic<Index> count{0};
  };
  std::vector<Taken> taken(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    const int threads = omp_get_num_threads();
    const auto begin_of = [&](int thread) {
      return static_cast<Index>(std::int64_t{parts} * thread / threads);
    };
    for (int away = 0; away < threads; ++away) {
      const int thread = (omp_get_thread_num() + away) % threads;
      const Index begin = begin_of(thread), end = begin_of(thread + 1);
      std::atomic<Index>& next = taken[static_cast<std::size_t>(thread)].count;
      for (Index k = begin + next++; k < end; k = begin + next++) work(k);
    }
  }
}

/// `chunk`: of threads that one of the host's runs at a time.
template <class Kernel>
void run_grid_of_threads(Index count, const Kernel& kernel, Index chunk = 256) {
  const EmulatorSettings& settings = emulator_settings();
  if (settings.schedule != Schedule::forward) {
    const IndexOrder order(count, settings);
#pragma omp parallel for schedule(dynamic, chunk)
    for (std::int64_t k = 0; k < count; ++k) kernel(order(k));
    return;
  }
  const auto run = [&kernel](Index begin, Index end) {
    const TicketsAtOnce tickets;
    for (Index i = begin; i < end; ++i) kernel(i);
  };
  if (count <= 4 * chunk) return run(0, count);
  share_out(static_cast<Index>(divide_up(count, chunk)),
            [&](Index k) { run(k * chunk, std::min(count, (k + 1) * chunk)); });
}

}  // namespace detail

/// Runs kernel(i) for every i in [0, count). `threads` shapes a GPU's blocks only.
template <class Kernel>
void for_each(Stream& stream, Index count, const Kernel& kernel,
              [[maybe_unused]] int threads = 128) {
  if (count <= 0 || Rehearsal::goes_on()) return;
  const auto work = [count, kernel, gate = stream.gate()] {
    if (gate.is_open()) detail::run_grid_of_threads(count, kernel);
  };
  if (stream.is_noting()) return stream.enqueue(work);
  work();
}

/// Runs kernel(i) for i in [0, count()), which is asked when their turn has come; a few at a time,
/// as each takes long. For code of this device's own.
template <class Count, class Kernel>
void for_each_of(Stream& stream, const Count& count, const Kernel& kernel) {
  if (Rehearsal::goes_on()) return;
  const auto work = [count, kernel, gate = stream.gate()] {
    constexpr Index at_once = 8;
    if (gate.is_open()) detail::run_grid_of_threads(count(), kernel, at_once);
  };
  if (stream.is_noting()) return stream.enqueue(work);
  work();
}

/// Runs kernel(begin, end) for stretches of [0, count) of about `grain` each, by as many threads as
/// there are. For code of this device's own; each stretch is run by one thread from end to end.
template <class Kernel>
void for_each_stretch(Stream& stream, Index count, Index grain, const Kernel& kernel) {
  if (count <= 0 || Rehearsal::goes_on()) return;
  const auto work = [count, grain, kernel, gate = stream.gate()] {
    if (!gate.is_open()) return;
    const auto stretches = static_cast<Index>(divide_up(count, grain));
    const auto run = [&](Index k) {
      kernel(k * grain, k + 1 < stretches ? (k + 1) * grain : count);
    };
    if (stretches > 1) return detail::share_out(stretches, run);
    run(0);
  };
  if (stream.is_noting()) return stream.enqueue(work);
  work();
}

/// Runs kernel(block) for every block of the shape, on the emulator.
template <class Kernel>
void launch(Stream& stream, const LaunchShape& shape, const Kernel& kernel) {
  if (shape.blocks <= 0 || Rehearsal::goes_on()) return;
  const auto work = [shape, kernel, gate = stream.gate()] {
    if (gate.is_open()) {
      emulate(shape, Kernel::name, [&kernel](const Block& block) { kernel(block); });
    }
  };
  if (stream.is_noting()) return stream.enqueue(work);
  work();
}

/// Whether all blocks of the shape can run at once.
template <class Kernel>
bool fit_at_once(const LaunchShape& shape) {
  const EmulatorSettings& settings = emulator_settings();
  return shape.blocks * shape.threads <= settings.resident_threads &&
         static_cast<std::int64_t>(shape.shared_bytes) <= settings.shared_limit;
}

/// launch() with all blocks under way at a time: only then may they meet at Block::grid_barrier().
template <class Kernel>
void launch_at_once(Stream& stream, const LaunchShape& shape, const Kernel& kernel) {
  if (shape.blocks <= 0 || Rehearsal::goes_on()) return;
  const auto work = [shape, kernel, gate = stream.gate()] {
    if (gate.is_open()) {
      emulate_at_once(shape, Kernel::name, [&kernel](const Block& block) { kernel(block); });
    }
  };
  if (stream.is_noting()) return stream.enqueue(work);
  work();
}

/// A kernel of the host takes nothing that could be told.
inline KernelResources resources_of_last_launch() { return {}; }

DeviceProperties device_properties();

}  // namespace pencilbox::host
