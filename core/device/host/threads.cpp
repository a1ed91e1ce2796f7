#include "core/device/host/threads.hpp"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

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

/// OpenMP ends the program, in its own words, where it cannot start a thread; so a child tries it.
bool a_team_starts(int threads) {
  const pid_t child = ::fork();
  if (child < 0) return true;  // nothing is known
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_WRONLY);
    if (nothing >= 0) ::dup2(nothing, STDERR_FILENO);
    int members = 0;
#pragma omp parallel num_threads(threads) reduction(+ : members)
    ++members;
    ::_exit(members > 0 ? 0 : 1);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Stacks of the usual size are those of the threads that were tried before.
void require_stacks(int threads) {
  for (const char* name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    const char* size = std::getenv(name);
    if (size == nullptr || *size == '\0' || a_team_starts(threads)) continue;
    throw SystemError(std::string(name) + ": cannot start " + std::to_string(threads) +
                      " threads with stacks of this size, got " + size +
                      ", allowed what memory and address space hold");
  }
}

/// A number, or one for each level of nesting between commas: "4", "4,2".
bool are_numbers_of_threads(std::string_view text) {
  constexpr std::string_view blanks = " \t", digits = "0123456789";
  const std::size_t comma = text.find(',');
  std::string_view number = text.substr(0, comma);
  number.remove_prefix(std::min(number.find_first_not_of(blanks), number.size()));
  if (number.starts_with('+')) number.remove_prefix(1);
  number = number.substr(0, number.find_last_not_of(blanks) + 1);
  const bool is_number = number.find_first_not_of(digits) == number.npos &&
                         number.find_first_of(digits.substr(1)) != number.npos;
  return is_number && number.size() < 19 &&
         (comma == text.npos || are_numbers_of_threads(text.substr(comma + 1)));
}

/// OpenMP would go on with as many threads as there are cores, whoever else is to have them.
void require_number_of_threads(int most) {
  const char* given = std::getenv("OMP_NUM_THREADS");
  if (given == nullptr || are_numbers_of_threads(given)) return;
  std::string got = *given == '\0' ? "an empty text" : std::string(given).substr(0, 40);
  std::replace_if(
      got.begin(), got.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  throw InputError("OMP_NUM_THREADS: not a number of threads, got " + got + ", allowed 1 to " +
                   std::to_string(most) + " here, or no such variable");
}

}  // namespace

void share_cores(int processes) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return;
  // A launcher that has bound each to cores of its own leaves it fewer than the machine has.
  const int cores = omp_get_num_procs();
  const bool are_its_own = cores < ::sysconf(_SC_NPROCESSORS_ONLN);
  omp_set_num_threads(are_its_own ? cores : std::max(1, cores / processes));
}

void require_startable_threads() {
  constexpr int beside = 2;  // who writes files, and a start
  const int wanted = omp_get_max_threads();
  const int most = std::max(256, 16 * omp_get_num_procs());
  require_number_of_threads(most);
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
  require_stacks(wanted);
}

std::int64_t nearest_memory() {
#ifdef _SC_LEVEL1_DCACHE_SIZE  // the GNU library
  return std::max(std::int64_t{0}, static_cast<std::int64_t>(::sysconf(_SC_LEVEL1_DCACHE_SIZE)));
#else
  return 0;
#endif
}

}  // namespace pencilbox::host
