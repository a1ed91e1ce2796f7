// Finds the fastest of several launch shapes while the work goes on: the first evaluations try them
// in turn, between events, and none is repeated or thrown away. Nothing waits for the device: the
// times are read once they are there. Only for shapes that give the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "neighbor/backend.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// The numbers 0, 1, ..., count - 1, for a tuner of what is kept elsewhere.
inline std::vector<Index> numbers_below(std::size_t count) {
  std::vector<Index> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

class LaunchTuner {
 public:
  /// `candidates` must not be empty; the first is what a device that emulates blocks takes, and
  /// what is launched until the choice is made where nothing is measured.
  LaunchTuner(std::vector<Index> candidates, bool emulated)
      : candidates_(std::move(candidates)), times_(candidates_.size()) {
    if (emulated || candidates_.size() == 1) chosen_ = 0;
  }

  /// The shape to launch with now; end() must follow in the same stream. Only what every step
  /// evaluates is measured: other kernels take longer, and would mislead.
  Index begin(Wanted wanted, Stream& stream) {
    if (wanted != Wanted::forces) return candidates_[chosen_.value_or(0)];
    if (!chosen_ && trials_.size() == candidates_.size() * samples) read_times();
    measuring_ = !chosen_ && trials_.size() < candidates_.size() * samples;
    if (!measuring_) return candidates_[chosen_.value_or(0)];
    const std::size_t candidate = trials_.size() % candidates_.size();
    trials_.emplace_back().begin.record(stream);
    return candidates_[candidate];
  }
  void end(Stream& stream) {
    if (measuring_) trials_.back().end.record(stream);
    measuring_ = false;
  }

  bool decided() const { return chosen_.has_value(); }

 private:
  struct Trial {
    Event begin, end;
  };

  void read_times() {
    if (!trials_.back().end.ready()) return;
    for (std::size_t k = 0; k < trials_.size(); ++k) {
      times_[k % candidates_.size()][k / candidates_.size()] =
          trials_[k].end.seconds_since(trials_[k].begin);
    }
    std::vector<double> least;  // of the samples: what disturbs a measurement makes it longer
    for (const auto& samples_of_one : times_) {
      least.push_back(*std::min_element(samples_of_one.begin(), samples_of_one.end()));
    }
    chosen_ = static_cast<std::size_t>(
        std::distance(least.begin(), std::min_element(least.begin(), least.end())));
    trials_.clear();
  }

  static constexpr std::size_t samples = 3;

  std::vector<Index> candidates_;
  std::vector<std::array<double, samples>> times_;
  std::deque<Trial> trials_;
  std::optional<std::size_t> chosen_;
  bool measuring_ = false;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
