// Streams, events, memory and launches on a GPU, over the vendor table. Every call that fails
// throws SystemError with the device's own text.
#pragma once

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>

#include "core/device/gate.hpp"
#include "core/device/gpu/block.hpp"
#include "core/device/gpu/vendor.hpp"
#include "core/device/launch_shape.hpp"
#include "core/device/properties.hpp"
#include "core/device/rehearsal.hpp"
#include "core/device/stream_options.hpp"
#include "core/error.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

inline constexpr const char* device_kind = vendor::kind;
inline constexpr bool emulates_blocks = false;

inline void check(vendor::Error error, const char* doing) {
  if (error != vendor::success) {
    throw SystemError(std::string(vendor::kind) + ": " + doing + ": " + vendor::error_text(error));
  }
}

/// How often the host has waited for a stream or an event: a test holds the time loop to none.
inline std::atomic<std::int64_t> host_waits{0};

class Stream {
 public:
  explicit Stream(Priority priority = Priority::usual) {
    const bool is_high = priority == Priority::high;
    check(is_high ? vendor::create_with_high_priority(&handle_) : vendor::create(&handle_),
          "creating a stream");
  }
  ~Stream() { (void)vendor::destroy(handle_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void synchronize() {
    ++host_waits;
    check(vendor::synchronize(handle_), "waiting for a stream");
  }
  vendor::StreamHandle handle() const { return handle_; }

  /// What kernels have to pass that are enqueued from now on; see GatedStream.
  void set_gate(const Gate& gate) { gate_ = gate; }
  const Gate& gate() const { return gate_; }

 private:
  vendor::StreamHandle handle_{};
  Gate gate_;
};

/// A point in time on a stream. Where nobody asks when it was (`Timed::no`) passing it costs less.
class Event {
 public:
  explicit Event(Timed timed = Timed::yes) {
    check(timed == Timed::yes ? vendor::create(&handle_) : vendor::create_without_time(&handle_),
          "creating an event");
  }
  ~Event() { (void)vendor::destroy(handle_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(Stream& stream) {
    check(vendor::record(handle_, stream.handle()), "recording an event");
  }

  /// What is enqueued on `stream` from now on begins when the device has passed this event.
  void hold(Stream& stream) const {
    check(vendor::hold(stream.handle(), handle_), "making a stream wait for an event");
  }

  /// Waits until the device has passed it; from any thread.
  void wait() const {
    ++host_waits;
    check(vendor::synchronize_event(handle_), "waiting for an event");
  }

  /// Whether the device has passed it; does not wait.
  bool ready() const {
    const vendor::Error state = vendor::query(handle_);
    if (state == vendor::not_ready) {
      (void)vendor::last_error();  // it counts as one, and is none
      return false;
    }
    check(state, "looking at an event");
    return true;
  }

  /// Waits for this event; `earlier` must have been recorded before it.
  double seconds_since(const Event& earlier) const {
    if (!ready()) wait();
    float milliseconds = 0.0F;
    check(vendor::elapsed(&milliseconds, earlier.handle_, handle_), "timing");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  vendor::EventHandle handle_{};
};

/// Work that is enqueued again and again, launched as one: what `enqueue` puts on the stream is
/// noted once, here, and run by each replay. It may neither allocate nor wait.
class Graph {
 public:
  Graph(Stream& stream, const std::function<void()>& enqueue) {
    const Captured captured(stream, enqueue);
    check(vendor::make_ready(&ready_, captured.graph), "making a graph ready");
  }
  ~Graph() { (void)vendor::destroy(ready_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void replay(Stream& stream) {
    check(vendor::replay(ready_, stream.handle()), "launching a graph");
  }

 private:
  /// The stream leaves the capture whatever happens in it.
  struct Captured {
    vendor::GraphHandle graph{};

    Captured(Stream& stream, const std::function<void()>& enqueue) {
      check(vendor::begin_capture(stream.handle()), "beginning to capture a stream");
      try {
        enqueue();
      } catch (...) {
        (void)vendor::end_capture(stream.handle(), &graph);
        if (graph != nullptr) (void)vendor::destroy(graph);
        (void)vendor::last_error();  // has been told
        throw;
      }
      check(vendor::end_capture(stream.handle(), &graph), "capturing a stream");
    }
    ~Captured() { (void)vendor::destroy(graph); }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;
  };

  vendor::ReadyGraphHandle ready_{};
};

/// Raw memory; Buffer and HostBuffer are what everybody uses.
namespace memory {

inline void* allocate(std::size_t bytes) {
  void* pointer = nullptr;
  const std::string doing = "allocating " + std::to_string(bytes) + " bytes";
  check(vendor::allocate(&pointer, bytes), doing.c_str());
  return pointer;
}
inline void release(void* pointer) noexcept { (void)vendor::release(pointer); }
/// Of the host, in place for good, so that the device copies to and from it by itself.
inline void* allocate_pinned(std::size_t bytes) {
  void* pointer = nullptr;
  const std::string doing = "allocating " + std::to_string(bytes) + " bytes of pinned host memory";
  check(vendor::allocate_pinned(&pointer, bytes), doing.c_str());
  return pointer;
}
inline void release_pinned(void* pointer) noexcept { (void)vendor::release_pinned(pointer); }
inline void refuse_gate(const Stream& stream) {
  if (stream.gate().word != nullptr) throw std::logic_error("a copy or fill passes no gate");
}
inline void copy(void* to, const void* from, std::size_t bytes, Stream& stream) {
  refuse_gate(stream);
  if (Rehearsal::goes_on()) return;
  check(vendor::copy(to, from, bytes, stream.handle()), "copying memory");
}
inline void fill(void* pointer, int byte, std::size_t bytes, Stream& stream) {
  refuse_gate(stream);
  if (Rehearsal::goes_on()) return;
  check(vendor::fill(pointer, byte, bytes, stream.handle()), "filling memory");
}

}  // namespace memory

namespace entry {

template <class Kernel>
__global__ void grid_of_threads(Index count, Kernel kernel, Gate gate) {
  vendor::wait_for_kernels_before();
  if (!gate.is_open()) return;
  const std::int64_t i =
      static_cast<std::int64_t>(blockIdx.x) * blockDim.x + static_cast<std::int64_t>(threadIdx.x);
  if (i < count) kernel(static_cast<Index>(i));
}

/// Most threads that a kernel is ever launched with; fewer leave it more registers.
template <class Kernel>
constexpr int max_threads() {
  if constexpr (requires { Kernel::max_threads; }) {
    return Kernel::max_threads;
  } else {
    return 1024;
  }
}

/// How many blocks of most threads a multiprocessor should hold: more leave a thread less
/// registers.
template <class Kernel>
constexpr int min_blocks() {
  if constexpr (requires { Kernel::min_blocks; }) {
    return Kernel::min_blocks;
  } else {
    return 1;
  }
}

template <class Kernel>
__global__ void __launch_bounds__(max_threads<Kernel>(), min_blocks<Kernel>())
    grid_of_blocks(Kernel kernel, Gate gate) {
  vendor::wait_for_kernels_before();
  if (gate.is_open()) kernel(Block{});
}

}  // namespace entry

/// The kernel that was launched last, by the one thread that launches.
struct LastLaunch {
  const void* entry = nullptr;
  const char* name = "";
  int threads = 0;
  std::size_t shared_bytes = 0;
};
inline LastLaunch last_launch;

/// What a rehearsal does with a kernel.
inline void load(const void* entry, const char* name) {
  vendor::KernelAttributes attributes{};
  check(vendor::attributes(&attributes, entry), name);
}

/// Runs kernel(i) for every i in [0, count).
template <class Kernel>
void for_each(Stream& stream, Index count, const Kernel& kernel, int threads = 128) {
  if (count <= 0) return;
  const auto* entry = reinterpret_cast<const void*>(&entry::grid_of_threads<Kernel>);
  if (Rehearsal::goes_on()) return load(entry, Kernel::name);
  Kernel its_kernel = kernel;
  Gate gate = stream.gate();
  void* arguments[] = {&count, &its_kernel, &gate};
  static const bool comes_early = vendor::waits_by_itself(entry);
  check(vendor::launch(entry, static_cast<unsigned>(divide_up(count, threads)),
                       static_cast<unsigned>(threads), arguments, 0, stream.handle(), comes_early),
        Kernel::name);
  last_launch = {entry, Kernel::name, threads, 0};
}

/// So much that a kernel has to ask for it.
template <class Kernel>
vendor::Error grant_shared_bytes(const LaunchShape& shape) {
  constexpr std::size_t granted_without_asking = 48 * 1024;
  if (shape.shared_bytes <= granted_without_asking) return vendor::success;
  return vendor::allow_shared_bytes(&entry::grid_of_blocks<Kernel>, shape.shared_bytes);
}

/// Runs kernel(block) for every block of the shape.
template <class Kernel>
void launch(Stream& stream, const LaunchShape& shape, const Kernel& kernel) {
  if (shape.blocks <= 0) return;
  check(grant_shared_bytes<Kernel>(shape), Kernel::name);
  const auto* entry = reinterpret_cast<const void*>(&entry::grid_of_blocks<Kernel>);
  if (Rehearsal::goes_on()) return load(entry, Kernel::name);
  Kernel its_kernel = kernel;
  Gate gate = stream.gate();
  void* arguments[] = {&its_kernel, &gate};
  static const bool comes_early = vendor::waits_by_itself(entry);
  check(vendor::launch(entry, static_cast<unsigned>(shape.blocks),
                       static_cast<unsigned>(shape.threads), arguments, shape.shared_bytes,
                       stream.handle(), comes_early),
        Kernel::name);
  last_launch = {entry, Kernel::name, shape.threads, shape.shared_bytes};
}

/// Whether all blocks of the shape can run at once.
template <class Kernel>
bool fit_at_once(const LaunchShape& shape) {
  static const int multiprocessors = [] {
    vendor::Properties device{};
    check(vendor::properties(&device), "reading a device's properties");
    return device.multiProcessorCount;
  }();
  if (grant_shared_bytes<Kernel>(shape) != vendor::success) {
    (void)vendor::last_error();  // a device that has not so much says so
    return false;
  }
  int blocks = 0;
  const auto* entry = reinterpret_cast<const void*>(&entry::grid_of_blocks<Kernel>);
  check(vendor::resident_blocks(&blocks, entry, shape.threads, shape.shared_bytes), Kernel::name);
  return shape.blocks <= std::int64_t{blocks} * multiprocessors;
}

/// launch() with all blocks on the device at a time: only then may they meet at
/// Block::grid_barrier(). They must fit_at_once().
template <class Kernel>
void launch_at_once(Stream& stream, const LaunchShape& shape, const Kernel& kernel) {
  if (shape.blocks <= 0) return;
  const auto* entry = reinterpret_cast<const void*>(&entry::grid_of_blocks<Kernel>);
  if (Rehearsal::goes_on()) return load(entry, Kernel::name);
  Kernel first_argument = kernel;
  Gate second_argument = stream.gate();
  void* arguments[] = {&first_argument, &second_argument};
  check(vendor::launch_at_once(entry, static_cast<unsigned>(shape.blocks),
                               static_cast<unsigned>(shape.threads), arguments, shape.shared_bytes,
                               stream.handle()),
        Kernel::name);
  last_launch = {entry, Kernel::name, shape.threads, shape.shared_bytes};
}

/// What the kernel that was launched last takes, in the shape that it was launched with.
inline KernelResources resources_of_last_launch() {
  if (last_launch.entry == nullptr) return {};
  vendor::KernelAttributes attributes{};
  check(vendor::attributes(&attributes, last_launch.entry), last_launch.name);
  int blocks = 0;
  check(vendor::resident_blocks(&blocks, last_launch.entry, last_launch.threads,
                                last_launch.shared_bytes),
        last_launch.name);
  vendor::Properties device{};
  check(vendor::properties(&device), "reading a device's properties");
  const auto warps = [&](int threads) { return divide_up(threads, device.warpSize); };
  return {last_launch.name, attributes.numRegs,
          static_cast<std::int64_t>(attributes.localSizeBytes),
          static_cast<double>(blocks * warps(last_launch.threads)) /
              static_cast<double>(warps(device.maxThreadsPerMultiProcessor))};
}

/// Of the first device; throws SystemError if none answers.
DeviceProperties device_properties();

}  // namespace pencilbox::PENCILBOX_DEVICE
