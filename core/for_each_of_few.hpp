// A pass over rows of which few have work, and that in heaps: a thread a row would have most warps
// do the work of one lane, and so many registers for it that few of them hide what reading takes.
#pragma once

#include <cstdint>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// A block looks at its rows, several a thread, and then its threads do what is to do, side by
/// side. `Work`: concerns(i), which writes nothing, and operator()(i) for those it says so of, in
/// any order.
template <class Work>
struct RowsOfFew {
  static constexpr const char* name = Work::name;
  static constexpr int threads = 256;
  static constexpr int a_thread = 4;
  static constexpr Index rows = threads * a_thread;
  static constexpr std::size_t shared_bytes = (rows + 1) * sizeof(Index);

  Work work;
  Index count;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto chosen = block.shared<Index>(rows);
    const auto many = block.shared<Index>(1);
    if (block.thread() == 0) many[0] = 0;
    block.barrier();
    const std::int64_t first = block.index() * rows + block.thread();
    const std::uint32_t mine = look(first);
    for (int k = 0; k < a_thread; ++k) {
      if ((mine >> k & 1U) != 0) {
        chosen[block.atomic_add(many[0], Index{1})] = static_cast<Index>(first + k * threads);
      }
    }
    block.barrier();
    const Index all = many[0];
    for (Index k = block.thread(); k < all; k += threads) work(chosen[k]);
  }

 private:
  /// A bit for each of a thread's rows: none is waited for before all have been asked.
  PENCILBOX_DEVICE_FUNCTION std::uint32_t look(std::int64_t first) const {
    std::uint32_t mine = 0;
    for (int k = 0; k < a_thread; ++k) {
      const std::int64_t i = first + k * threads;
      if (i < count && work.concerns(static_cast<Index>(i))) mine |= 1U << k;
    }
    return mine;
  }
};

/// The same where a row after the other is as good.
template <class Work>
struct RowByRow {
  static constexpr const char* name = Work::name;
  Work work;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (work.concerns(i)) work(i);
  }
};

/// By blocks, on every device.
template <class Work>
void launch_rows_of_few(Stream& stream, Index count, const Work& work) {
  using Rows = RowsOfFew<Work>;
  launch(stream, {divide_up(count, Rows::rows), Rows::threads, Rows::shared_bytes},
         Rows{work, count});
}

/// Of rows [0, count).
template <class Work>
void for_each_of_few(Stream& stream, Index count, const Work& work) {
  if constexpr (emulates_blocks) {
    for_each(stream, count, RowByRow<Work>{work});
  } else {
    launch_rows_of_few(stream, count, work);
  }
}

}  // namespace pencilbox::PENCILBOX_DEVICE
