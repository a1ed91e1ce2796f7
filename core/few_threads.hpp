// Passes by fewer threads than there is to do, each of which does several.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Work>
struct SeveralAThread {
  static constexpr const char* name = Work::name;
  Work work;
  Index count;
  Index threads;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index thread) const {
    for (std::int64_t i = thread; i < count; i += threads) work(static_cast<Index>(i));
  }
};

/// Runs work(i) for every i in [0, count), by so many threads where a device runs them in blocks.
template <class Work>
void for_each_by_threads(Stream& stream, Index count, Index threads, const Work& work) {
  if (emulates_blocks) threads = count;
  for_each(stream, threads, SeveralAThread<Work>{work, count, threads});
}

/// The same for little work: each thread costs a GPU time, also where it finds a gate closed.
template <class Work>
void for_each_in_few_threads(Stream& stream, Index count, const Work& work) {
  constexpr Index a_thread = 8;
  for_each_by_threads(stream, count, static_cast<Index>(divide_up(count, a_thread)), work);
}

/// The same beside a kernel that could fill the device by itself, by a block for most
/// multiprocessors of a large GPU: threads that wait for memory, or for another GPU's, keep those
/// of the other kernel out all the while.
template <class Work>
void for_each_beside(Stream& stream, Index count, const Work& work) {
  constexpr Index threads = 128 * 128;
  for_each_by_threads(stream, count, std::min(count, threads), work);
}

}  // namespace pencilbox::PENCILBOX_DEVICE
