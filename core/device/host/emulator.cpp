#include "core/device/host/emulator.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <vector>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#include "core/device/host/block.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace pencilbox::host {

EmulatorSettings& emulator_settings() {
  static EmulatorSettings settings;
  return settings;
}

namespace detail {
namespace {

namespace context = boost::context;

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t stack_bytes = 512 * 1024;
#else
constexpr std::size_t stack_bytes = 128 * 1024;
#endif

/// A stack that AddressSanitizer is told of: it follows a change of stacks only if it is announced
/// before and completed after, and an exception on a stack that it does not know confuses it.
struct StackBounds {
  const void* bottom = nullptr;
  std::size_t size = 0;
};

void announce_switch([[maybe_unused]] void** leaving, [[maybe_unused]] const StackBounds& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(leaving, to.bottom, to.size);
#endif
}

/// `from`: where the bounds of the stack that was left are noted, or null.
void complete_switch([[maybe_unused]] void* returning, [[maybe_unused]] StackBounds* from) {
#if defined(__SANITIZE_ADDRESS__)
  const void** bottom = from == nullptr ? nullptr : &from->bottom;
  __sanitizer_finish_switch_fiber(returning, bottom, from == nullptr ? nullptr : &from->size);
#endif
}

/// Thrown inside the threads that still wait when another one has failed.
struct Abandoned {};

std::string at(const std::source_location& where) {
  std::string file = where.file_name();
  const auto slash = file.rfind('/');
  if (slash != std::string::npos) file.erase(0, slash + 1);
  return file + ":" + std::to_string(where.line());
}

bool same_place(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && a.column() == b.column() &&
         std::strcmp(a.file_name(), b.file_name()) == 0;
}

}  // namespace

/// The fibers, shared memory and records of the block that one OS thread is emulating. It outlives
/// the block: fibers and memory are used again for the next one.
class BlockRun {
 public:
  void run(std::int64_t index, const LaunchShape& shape, const char* kernel,
           const std::function<void(const Block&)>& body, const EmulatorSettings& settings) {
    begin(index, shape, kernel, body, settings);
    try {
      run_to_grid_barrier();
      if (waits_for_grid()) {
        fail(first_waiting().context, "waits for the grid at " + at(grid_barrier()) +
                                          ", but its blocks were not launched to run at once");
      }
    } catch (...) {
      abandon_threads();
      throw;
    }
  }

  /// Gives every thread of the block its place at the beginning.
  void begin(std::int64_t index, const LaunchShape& shape, const char* kernel,
             const std::function<void(const Block&)>& body, const EmulatorSettings& settings) {
    index_ = index;
    shape_ = &shape;
    kernel_ = kernel;
    body_ = &body;
    warp_size_ = settings.warp_size;
    schedule_ = settings.schedule;
    random_.seed(settings.seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(index));
    random_yields_ = settings.schedule == Schedule::random && settings.yield_probability > 0.0;
    yield_threshold_ = static_cast<std::uint64_t>(settings.yield_probability * 65536.0);
    first_epoch_ = ++epoch_;
    waits_for_grid_ = false;
    prepare_memory();
    prepare_threads();
  }

  /// Until all threads have ended, or all wait for the grid.
  void run_to_grid_barrier() {
    while (!all_done() && !waits_for_grid_) {
      resume_all_ready();
      release_waiting();
    }
  }

  bool all_done() const { return done_ == shape_->threads; }
  bool waits_for_grid() const { return waits_for_grid_; }
  /// Where it waits.
  const std::source_location& grid_barrier() const { return first_waiting().where; }

  void pass_grid_barrier() {
    release_all();
    waits_for_grid_ = false;
  }

  [[noreturn]] void fail_at_grid_barrier(const std::string& what) const {
    fail(first_waiting().context, "waits for the grid at " + at(grid_barrier()) + ", " + what);
  }

  /// Ends what still waits, after an error.
  void abandon_threads() {
    abandoning_ = true;
    for (const auto& thread : fibers_) {
      if (thread->state != State::done && thread->started) resume(*thread);
    }
    abandoning_ = false;
    failure_ = nullptr;
  }

  BlockRun() = default;
  BlockRun(const BlockRun&) = delete;
  BlockRun& operator=(const BlockRun&) = delete;
  ~BlockRun() {
    closing_ = true;
    for (const auto& thread : fibers_) resume(*thread);  // each returns from its stack
  }

  enum class State { ready, at_barrier, at_grid, at_warp, done };

  struct Thread {
    context::fiber fiber;
    StackBounds stack;
    ThreadContext context;
    State state = State::ready;
    bool started = false;  ///< in this block: it has frames on its stack
    std::source_location where;
  };

  // ---- called from inside a thread ----

  void wait(ThreadContext& context, State state, const std::source_location& where) {
    Thread& self = *fibers_[static_cast<std::size_t>(context.thread)];
    self.state = state;
    self.where = where;
    wait_for_scheduler();
  }

  void yield() { wait_for_scheduler(); }

  void* shared(const ThreadContext& context, std::size_t element_bytes, std::size_t alignment,
               Index count, std::size_t& used) {
    used = (used + alignment - 1) / alignment * alignment;
    const std::size_t first = used;
    used += element_bytes * static_cast<std::size_t>(count);
    if (used > shape_->shared_bytes) {
      fail(context, "asks for " + std::to_string(used) + " bytes of shared memory, launched with " +
                        std::to_string(shape_->shared_bytes));
    }
    return memory_.get() + first;
  }

  void record(const ThreadContext& context, const void* element, Access access) {
    const auto offset = static_cast<const std::byte*>(element) - memory_.get();
    AccessRecord& record = records_[static_cast<std::size_t>(offset) / 4];
    const std::int16_t me = static_cast<std::int16_t>(context.thread);
    const std::int16_t my_warp = static_cast<std::int16_t>(context.thread / warp_size_);
    if (access == Access::read && record.write_epoch < first_epoch_) {
      fail(context, "reads byte " + std::to_string(offset) +
                        " of shared memory, which no thread has written");
    }
    const bool both_atomic = access == Access::atomic && record.write_was_atomic;
    const bool unordered_write =
        record.write_epoch == epoch_ && record.writer != me &&
        !(record.writer / warp_size_ == my_warp && record.write_warp_epoch < context.warp_epoch);
    if (unordered_write && !both_atomic) report_race(context, offset, access, record.writer);
    if (access == Access::read) {
      note_read(record, me, my_warp, context.warp_epoch);
      return;
    }
    const bool another_reads = record.several_readers || record.reader != me;
    const bool unordered_read =
        record.read_epoch == epoch_ && another_reads &&
        !(record.reader_warp == my_warp && record.read_warp_epoch < context.warp_epoch);
    if (unordered_read) report_race(context, offset, access, record.reader);
    record.write_epoch = epoch_;
    record.write_warp_epoch = context.warp_epoch;
    record.writer = me;
    record.write_was_atomic = access == Access::atomic;
  }

  void* exchange_table(const ThreadContext& context) {
    const auto first = static_cast<std::size_t>(context.thread / warp_size_ * warp_size_);
    const auto parity = static_cast<std::size_t>(context.exchanges % 2);
    const auto stride = static_cast<std::size_t>(shape_->threads) + 64;
    return exchange_.data() + (parity * stride + first) * exchange_slot_bytes;
  }

  std::size_t lane_of(int thread) const { return static_cast<std::size_t>(thread % warp_size_); }

  bool random_yield() { return random_yields_ && random_() % 65536 < yield_threshold_; }

  [[noreturn]] void fail(const ThreadContext& context, const std::string& what) const {
    throw EmulatorError("kernel '" + std::string(kernel_) + "', block " + std::to_string(index_) +
                        ", thread " + std::to_string(context.thread) + ": " + what);
  }

 private:
  void prepare_memory() {
    if (memory_bytes_ < shape_->shared_bytes + 16) {
      memory_bytes_ = shape_->shared_bytes + 16;
      memory_ = std::make_unique<std::byte[]>(memory_bytes_);
      records_.assign(memory_bytes_ / 4 + 1, AccessRecord{});
    }
    std::memset(memory_.get(), 0xff, shape_->shared_bytes);  // NaN, or -1
    exchange_.resize(2 * (static_cast<std::size_t>(shape_->threads) + 64) * exchange_slot_bytes);
  }

  void prepare_threads() {
    const auto threads = static_cast<std::size_t>(shape_->threads);
    while (fibers_.size() < threads) add_thread();
    order_.resize(threads);
    std::iota(order_.begin(), order_.end(), 0);
    if (schedule_ == Schedule::reverse) std::reverse(order_.begin(), order_.end());
    for (std::size_t t = 0; t < threads; ++t) {
      fibers_[t]->context = ThreadContext{};
      fibers_[t]->context.run = this;
      fibers_[t]->context.thread = static_cast<int>(t);
      fibers_[t]->state = State::ready;
      fibers_[t]->started = false;
    }
    done_ = 0;
  }

  void add_thread() {
    auto thread = std::make_unique<Thread>();
    Thread* self = thread.get();
    context::protected_fixedsize_stack stacks(stack_bytes);
    const context::stack_context stack = stacks.allocate();
    thread->stack = {static_cast<const char*>(stack.sp) - stack.size, stack.size};
    thread->fiber =
        context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack),
                       stacks, [this, self](context::fiber&& scheduler) {
                         return run_blocks(*self, std::move(scheduler));
                       });
    fibers_.push_back(std::move(thread));
  }

  /// What a fiber does for life: its thread of one block after the other.
  context::fiber run_blocks(Thread& self, context::fiber&& scheduler) {
    complete_switch(nullptr, &scheduler_stack_);
    scheduler_ = std::move(scheduler);
    while (!closing_) {
      run_body(self);
      self.state = State::done;
      switch_to_scheduler();
    }
    announce_switch(nullptr, scheduler_stack_);
    return std::move(scheduler_);
  }

  void run_body(Thread& self) {
    try {
      (*body_)(Block(&self.context, index_, *shape_, warp_size_));
    } catch (const Abandoned&) {
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void resume_all_ready() {
    if (schedule_ == Schedule::random) std::shuffle(order_.begin(), order_.end(), random_);
    for (const int t : order_) {
      Thread& thread = *fibers_[static_cast<std::size_t>(t)];
      if (thread.state != State::ready) continue;
      resume(thread);
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      if (thread.state == State::done) ++done_;
    }
  }

  void resume(Thread& thread) {
    thread.started = true;
    void* scheduler_frames = nullptr;
    announce_switch(&scheduler_frames, thread.stack);
    thread.fiber = std::move(thread.fiber).resume();
    complete_switch(scheduler_frames, nullptr);
  }

  void switch_to_scheduler() {
    void* frames = nullptr;
    announce_switch(&frames, scheduler_stack_);
    scheduler_ = std::move(scheduler_).resume();
    complete_switch(frames, &scheduler_stack_);
  }

  /// Hands over until the scheduler comes back, perhaps to say that the block has failed.
  void wait_for_scheduler() {
    switch_to_scheduler();
    if (abandoning_) throw Abandoned{};
  }

  /// Nobody is ready: let whole warps or the whole block pass, or say who is missing.
  void release_waiting() {
    if (all_done() || number_of(State::ready) > 0 || release_warps()) return;
    const int threads = shape_->threads;
    const Thread& first = first_waiting();
    if (first.state == State::at_warp) {
      fail(first.context, "waits in a warp operation at " + at(first.where) +
                              " that not all lanes of its warp reach");
    }
    const int there = number_of(first.state);
    if (there < threads) {
      const bool have_left = there + done_ == threads;
      fail(first.context, "divergent barrier at " + at(first.where) + ": " + std::to_string(there) +
                              " of " + std::to_string(threads) + " threads reach it, the others " +
                              (have_left ? "have left the kernel" : "wait elsewhere"));
    }
    for (int t = 0; t < threads; ++t) {
      const Thread& thread = *fibers_[static_cast<std::size_t>(t)];
      if (!same_place(thread.where, first.where)) {
        fail(thread.context, "divergent barrier: this thread waits at " + at(thread.where) +
                                 ", thread " + std::to_string(first.context.thread) + " at " +
                                 at(first.where));
      }
    }
    if (first.state == State::at_grid) {
      waits_for_grid_ = true;
    } else {
      release_all();
    }
  }

  /// All have met.
  void release_all() {
    for (int t = 0; t < shape_->threads; ++t) {
      fibers_[static_cast<std::size_t>(t)]->state = State::ready;
    }
    ++epoch_;
  }

  int number_of(State state) const {
    int number = 0;
    for (int t = 0; t < shape_->threads; ++t) {
      number += fibers_[static_cast<std::size_t>(t)]->state == state ? 1 : 0;
    }
    return number;
  }

  bool release_warps() {
    bool released = false;
    for (int begin = 0; begin < shape_->threads; begin += warp_size_) {
      const int end = std::min(begin + warp_size_, shape_->threads);
      bool complete = true;
      for (int t = begin; t < end; ++t) {
        complete = complete && fibers_[static_cast<std::size_t>(t)]->state == State::at_warp &&
                   same_place(fibers_[static_cast<std::size_t>(t)]->where,
                              fibers_[static_cast<std::size_t>(begin)]->where);
      }
      if (!complete) continue;
      for (int t = begin; t < end; ++t) {
        fibers_[static_cast<std::size_t>(t)]->state = State::ready;
      }
      released = true;
    }
    return released;
  }

  /// A thread that waits in a warp operation, else one at a barrier of the block or the grid.
  const Thread& first_waiting() const {
    const Thread* found = nullptr;
    for (int t = 0; t < shape_->threads; ++t) {
      const Thread& thread = *fibers_[static_cast<std::size_t>(t)];
      if (thread.state == State::at_warp) return thread;
      const bool waits = thread.state == State::at_barrier || thread.state == State::at_grid;
      if (found == nullptr && waits) found = &thread;
    }
    return *found;
  }

  void note_read(AccessRecord& record, std::int16_t me, std::int16_t my_warp,
                 int warp_epoch) const {
    if (record.read_epoch == epoch_) {
      record.several_readers = record.several_readers || record.reader != me;
      if (record.reader_warp != my_warp) record.reader_warp = -1;
    } else {
      record.several_readers = false;
      record.reader_warp = my_warp;
    }
    record.read_epoch = epoch_;
    record.read_warp_epoch = warp_epoch;
    record.reader = me;
  }

  [[noreturn]] void report_race(const ThreadContext& context, std::ptrdiff_t offset, Access access,
                                int other) const {
    fail(context, std::string(access == Access::read ? "reads" : "writes") + " byte " +
                      std::to_string(offset) + " of shared memory, which thread " +
                      std::to_string(other) +
                      " touched with no barrier between: a race (missing barrier?)");
  }

  std::int64_t index_ = 0;
  const LaunchShape* shape_ = nullptr;
  const char* kernel_ = "";
  const std::function<void(const Block&)>* body_ = nullptr;
  int warp_size_ = 32;
  Schedule schedule_ = Schedule::forward;
  std::mt19937_64 random_;
  bool random_yields_ = false;
  std::uint64_t yield_threshold_ = 0;

  std::unique_ptr<std::byte[]> memory_;
  std::size_t memory_bytes_ = 0;
  std::vector<AccessRecord> records_;
  std::vector<unsigned char> exchange_;
  std::int64_t epoch_ = 0;        // grows with every barrier and every block
  std::int64_t first_epoch_ = 0;  // of this block

  std::vector<std::unique_ptr<Thread>> fibers_;
  std::vector<int> order_;
  int done_ = 0;
  bool waits_for_grid_ = false;  // all threads do
  std::exception_ptr failure_;
  context::fiber scheduler_;
  StackBounds scheduler_stack_;
  bool abandoning_ = false;  // waiting threads leave their kernel by Abandoned
  bool closing_ = false;     // idle threads return
};

void ThreadContext::barrier(const std::source_location& where) {
  run->wait(*this, BlockRun::State::at_barrier, where);
}

void ThreadContext::grid_barrier(const std::source_location& where) {
  run->wait(*this, BlockRun::State::at_grid, where);
}

void ThreadContext::warp_barrier(const std::source_location& where) {
  run->wait(*this, BlockRun::State::at_warp, where);
  ++warp_epoch;  // orders shared memory within the warp; a shuffle or ballot does not
}

void* ThreadContext::shared(std::size_t element_bytes, std::size_t alignment, Index count,
                            std::size_t& used) {
  return run->shared(*this, element_bytes, alignment, count, used);
}

void ThreadContext::check_index(Index i, Index count, const std::source_location& where) const {
  if (i >= 0 && i < count) return;
  run->fail(*this, "shared array index " + std::to_string(i) + " outside [0, " +
                       std::to_string(count) + ") at " + at(where));
}

void ThreadContext::record(const void* element, Access access) {
  run->record(*this, element, access);
}

void ThreadContext::maybe_yield() {
  if (run->random_yield()) run->yield();
}

const void* ThreadContext::exchange(const void* value, std::size_t bytes,
                                    const std::source_location& where) {
  ++exchanges;
  auto* table = static_cast<unsigned char*>(run->exchange_table(*this));
  std::memcpy(table + run->lane_of(thread) * exchange_slot_bytes, value, bytes);
  run->wait(*this, BlockRun::State::at_warp, where);
  return table;
}

namespace {

void check_shared_bytes(const LaunchShape& shape, const char* kernel,
                        const EmulatorSettings& settings) {
  if (static_cast<std::int64_t>(shape.shared_bytes) <= settings.shared_limit) return;
  throw EmulatorError(
      "kernel '" + std::string(kernel) + "': " + std::to_string(shape.shared_bytes) +
      " bytes of shared memory asked for, a block has " + std::to_string(settings.shared_limit));
}

/// In which blocks come.
std::vector<std::int64_t> order_of_blocks(std::int64_t blocks, const EmulatorSettings& settings) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(blocks));
  std::iota(order.begin(), order.end(), 0);
  if (settings.schedule == Schedule::reverse) std::reverse(order.begin(), order.end());
  if (settings.schedule == Schedule::random) {
    std::mt19937_64 random(settings.seed);
    std::shuffle(order.begin(), order.end(), random);
  }
  return order;
}

/// Blocks that run at once: each has fibers and memory of its own.
class ResidentBlocks {
 public:
  void begin(const LaunchShape& shape, const char* kernel,
             const std::function<void(const Block&)>& body, const EmulatorSettings& settings) {
    order_ = order_of_blocks(shape.blocks, settings);
    while (static_cast<std::int64_t>(runs_.size()) < shape.blocks) {
      runs_.push_back(std::make_unique<BlockRun>());
    }
    for (const std::int64_t k : order_) block(k).begin(k, shape, kernel, body, settings);
  }

  /// From one barrier of the grid to the next.
  void run() {
    try {
      do {
        for (const std::int64_t k : order_) block(k).run_to_grid_barrier();
      } while (pass_grid_barrier());
    } catch (...) {
      for (const std::int64_t k : order_) block(k).abandon_threads();
      throw;
    }
  }

 private:
  BlockRun& block(std::int64_t k) { return *runs_[static_cast<std::size_t>(k)]; }

  /// False where all have ended.
  bool pass_grid_barrier() {
    const auto waits = [this](std::int64_t k) { return block(k).waits_for_grid(); };
    const auto first = std::find_if(order_.begin(), order_.end(), waits);
    if (first == order_.end()) return false;
    for (const std::int64_t k : order_) {
      if (!waits(k)) {
        block(*first).fail_at_grid_barrier("block " + std::to_string(k) + " has left the kernel");
      }
      if (!same_place(block(k).grid_barrier(), block(*first).grid_barrier())) {
        block(*first).fail_at_grid_barrier("block " + std::to_string(k) + " at " +
                                           at(block(k).grid_barrier()));
      }
    }
    for (const std::int64_t k : order_) block(k).pass_grid_barrier();
    return true;
  }

  std::vector<std::unique_ptr<BlockRun>> runs_;
  std::vector<std::int64_t> order_;
};

}  // namespace
}  // namespace detail

void emulate_at_once(const LaunchShape& shape, const char* kernel,
                     const std::function<void(const Block&)>& body) {
  const EmulatorSettings settings = emulator_settings();
  detail::check_shared_bytes(shape, kernel, settings);
  if (shape.blocks * shape.threads > settings.resident_threads) {
    throw EmulatorError("kernel '" + std::string(kernel) + "': " + std::to_string(shape.blocks) +
                        " blocks of " + std::to_string(shape.threads) +
                        " threads cannot run at once: " +
                        std::to_string(settings.resident_threads) + " threads can");
  }
  static thread_local detail::ResidentBlocks blocks;
  blocks.begin(shape, kernel, body, settings);
  blocks.run();
}

void emulate(const LaunchShape& shape, const char* kernel,
             const std::function<void(const Block&)>& body) {
  const EmulatorSettings settings = emulator_settings();
  detail::check_shared_bytes(shape, kernel, settings);
  const std::vector<std::int64_t> order = detail::order_of_blocks(shape.blocks, settings);
  std::exception_ptr failure;
#pragma omp parallel
  {
    static thread_local detail::BlockRun run;
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t k = 0; k < shape.blocks; ++k) {
      bool stop = false;
#pragma omp critical(pencilbox_emulator_failure)
      stop = failure != nullptr;
      if (stop) continue;
      try {
        run.run(order[static_cast<std::size_t>(k)], shape, kernel, body, settings);
      } catch (...) {
#pragma omp critical(pencilbox_emulator_failure)
        if (!failure) failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pencilbox::host
