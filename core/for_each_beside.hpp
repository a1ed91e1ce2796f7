// A pass beside a kernel that could fill the device by itself.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// A block for most multiprocessors of a large GPU: threads that wait for memory, or for another
/// GPU's, keep threads of the other kernel out all the while.
inline constexpr Index threads_beside = 128 * 128;

template <class Work>
struct ByFewThreads {
  static constexpr const char* name = Work::name;
  Work work;
  Index count;
  Index threads;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    for (std::int64_t i = thread; i < count; i += threads) work(static_cast<Index>(i));
  }
};

/// Runs work(i) for every i in [0, count).
template <class Work>
void for_each_beside(Stream& stream, Index count, const Work& work) {
  const Index threads = emulates_blocks ? count : std::min(count, threads_beside);
  for_each(stream, threads, ByFewThreads<Work>{work, count, threads});
}

}  // namespace pencilbox::PENCILBOX_DEVICE
