// Whole numbers that many threads count at the same time: neither the order of particles nor the
// number of threads changes one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Wide enough for any run; the spelling that atomics of every device take.
using Count = unsigned long long;

/// Most threads count into few of the numbers. So there are several copies of all: neighbouring
/// threads of a GPU use different ones, a thread of a CPU stays with one for a while.
struct CountsView {
  static constexpr Index targets_on_host = 256;

  Count* counts;  ///< [copies][size]
  Index copies;
  std::int64_t size;

  PENCILBOX_DEVICE_FUNCTION Count* of_target(Index target) const {
    return copy(emulates_blocks ? target / targets_on_host : target);
  }
  PENCILBOX_DEVICE_FUNCTION Count* copy(std::int64_t number) const {
    return counts + number % copies * size;
  }
};

/// What was counted in this part of a run, and before it.
class Counts {
 public:
  /// 128 MB of them.
  static constexpr std::int64_t most = 1 << 24;

  explicit Counts(std::int64_t size) : size_(size), earlier_(static_cast<std::size_t>(size), 0.0) {}

  static std::int64_t bytes_of(std::int64_t size) {
    return copies_for(size) * size * static_cast<std::int64_t>(sizeof(Count));
  }

  CountsView view(Stream& stream) {
    if (counts_.size() == 0) {
      counts_.resize(copies_for(size_) * size_);
      counts_.fill_bytes(0, stream);
    }
    return {counts_.data(), copies_for(size_), size_};
  }

  /// Whole numbers.
  std::vector<double> so_far(Stream& stream) const {
    std::vector<double> sums = earlier_;
    if (counts_.size() == 0) return sums;
    const std::vector<Count> counts = counts_.download(stream);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      sums[k % sums.size()] += static_cast<double>(counts[k]);
    }
    return sums;
  }

  void restore(std::vector<double> so_far, Stream& stream) {
    earlier_ = std::move(so_far);
    if (counts_.size() > 0) counts_.fill_bytes(0, stream);
  }

  std::size_t size() const { return earlier_.size(); }

 private:
  static Index copies_for(std::int64_t size) {
    constexpr std::int64_t most_copies = 256, most_numbers = 1 << 22;
    return static_cast<Index>(std::clamp(most_numbers / size, std::int64_t{1}, most_copies));
  }

  std::int64_t size_;
  std::vector<double> earlier_;  ///< of the parts before this one
  Buffer<Count> counts_;         ///< [copies][size] of this part
};

}  // namespace pencilbox::PENCILBOX_DEVICE
