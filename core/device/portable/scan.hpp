// Exclusive scan with nothing but a grid of threads: each thread sums one chunk, the chunk sums are
// scanned in the same way, and each thread writes its chunk from there.
#pragma once

#include "core/device/buffer.hpp"
#include "core/device/launch_shape.hpp"
#include "core/device/macros.hpp"

namespace pencilbox::PENCILBOX_DEVICE::portable {

inline constexpr Index scan_chunk = 256;

struct SumChunks {
  static constexpr const char* name = "scan: sum chunks";
  const Index* in;
  Index* sums;
  Index count;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index chunk) const {
    const Index begin = chunk * scan_chunk;
    const Index end = begin + scan_chunk < count ? begin + scan_chunk : count;
    Index sum = 0;
    for (Index i = begin; i < end; ++i) sum += in[i];
    sums[chunk] = sum;
  }
};

struct ScanChunks {
  static constexpr const char* name = "scan: scan chunks";
  const Index* in;
  const Index* before;  // null: the only chunk starts at 0
  Index* out;
  Index count;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index chunk) const {
    const Index begin = chunk * scan_chunk;
    const Index end = begin + scan_chunk < count ? begin + scan_chunk : count;
    Index sum = before == nullptr ? 0 : before[chunk];
    for (Index i = begin; i < end; ++i) {
      out[i] = sum;
      sum += in[i];
    }
  }
};

/// out[i] = in[0] + ... + in[i - 1] for i in [0, count). `in` and `out` do not overlap.
class ExclusiveScan {
 public:
  void operator()(const Index* in, Index* out, Index count, Stream& stream) {
    run(in, out, count, 0, stream);
  }

 private:
  void run(const Index* in, Index* out, Index count, std::size_t level, Stream& stream) {
    const auto chunks = static_cast<Index>(divide_up(count, scan_chunk));
    if (chunks <= 1) {
      for_each(stream, chunks, ScanChunks{in, nullptr, out, count});
      return;
    }
    if (sums_.size() < 2 * level + 2) sums_.resize(2 * level + 2);
    sums_[2 * level].resize(chunks);
    sums_[2 * level + 1].resize(chunks);
    for_each(stream, chunks, SumChunks{in, sums_[2 * level].data(), count});
    run(sums_[2 * level].data(), sums_[2 * level + 1].data(), chunks, level + 1, stream);
    for_each(stream, chunks, ScanChunks{in, sums_[2 * level + 1].data(), out, count});
  }

  std::vector<Buffer<Index>> sums_;  // per level: chunk sums, and their scan
};

}  // namespace pencilbox::PENCILBOX_DEVICE::portable
