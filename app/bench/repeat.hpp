// Repeats something on a device and times it between events.
#pragma once

#include <vector>

#include "app/bench/measurement.hpp"
#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Calls before() and then, timed, work(), which both enqueue on `stream`, as often as `patience`
/// says. The first call is a warm-up and does not count, unless it was slow. Returns seconds of the
/// device, one number a repeat.
template <class Before, class Work>
std::vector<double> time_repeats(const Patience& patience, Stream& stream, Before before,
                                 Work work) {
  const auto time_one = [&] {
    Event begin;
    Event end;
    before();
    begin.record(stream);
    work();
    end.record(stream);
    return end.seconds_since(begin);
  };
  const double first = time_one();
  if (first > patience.slow) return {first};
  std::vector<double> seconds;
  double total = 0.0;
  while (static_cast<int>(seconds.size()) < patience.most_repeats &&
         (static_cast<int>(seconds.size()) < patience.least_repeats || total < patience.seconds)) {
    seconds.push_back(time_one());
    total += seconds.back();
  }
  return seconds;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
