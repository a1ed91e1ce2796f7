#include "core/in_pieces.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

namespace pencilbox {
namespace {

std::int64_t cores() {
  if (const char* wanted = std::getenv("OMP_NUM_THREADS"); wanted != nullptr) {
    if (const int threads = std::atoi(wanted); threads > 0) return threads;
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

/// Of several threads the exception of the first piece that had one.
class FirstException {
 public:
  void note(std::int64_t piece) {
    const std::lock_guard lock(mutex_);
    if (first_ && piece_ < piece) return;
    first_ = std::current_exception();
    piece_ = piece;
  }
  void throw_if_any() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
  std::int64_t piece_ = 0;
};

}  // namespace

void for_each_piece(std::int64_t count, std::int64_t each,
                    const std::function<void(std::int64_t begin, std::int64_t end)>& body) {
  std::atomic<std::int64_t> next{0};
  FirstException thrown;
  const auto work = [&] {
    for (;;) {
      const std::int64_t begin = next.fetch_add(each);
      if (begin >= count) return;
      try {
        body(begin, std::min(begin + each, count));
      } catch (...) {
        thrown.note(begin);
        next = count;  // pieces before it are done or under way
      }
    }
  };
  const std::int64_t pieces = (count + each - 1) / each;
  {
    std::vector<std::jthread> others;
    const std::int64_t threads = pieces > 1 ? std::min(pieces, cores()) : 1;
    for (std::int64_t t = 1; t < threads; ++t) others.emplace_back(work);
    work();
  }
  thrown.throw_if_any();
}

void for_each_piece(std::int64_t count,
                    const std::function<void(std::int64_t begin, std::int64_t end)>& body) {
  for_each_piece(count, particles_of_a_piece, body);
}

}  // namespace pencilbox
