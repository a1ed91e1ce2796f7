#include "core/device/host/threads.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <omp.h>

#include "core/error.hpp"

namespace pencilbox::host {

namespace {

/// Threads that wait for each other until this ends, so that all are there at once.
class WaitingThreads {
 public:
  ~WaitingThreads() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// False if the system refuses another.
  bool start_another() {
    try {
      threads_.emplace_back([this] {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return over_; });
      });
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

void require_startable_threads() {
  constexpr int beside = 2;  // who writes files, and a start
  const int wanted = omp_get_max_threads();
  const int most = std::max(256, 16 * omp_get_num_procs());
  if (wanted > most) {
    throw InputError("OMP_NUM_THREADS: too many threads, got " + std::to_string(wanted) +
                     ", allowed 1 to " + std::to_string(most) + " here");
  }
  WaitingThreads threads;
  for (int started = 1; started < wanted + beside; ++started) {
    if (threads.start_another()) continue;
    throw SystemError("host: cannot start " + std::to_string(wanted) + " threads and " +
                      std::to_string(beside) + " beside them, but " + std::to_string(started) +
                      " (ulimit -u, ulimit -v?): set OMP_NUM_THREADS to less");
  }
}

}  // namespace pencilbox::host
