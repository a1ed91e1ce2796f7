// Where the time of a step goes. Regions are marked with events on the stream and read only when
// the host waits anyway, and only few steps are marked: watching costs nothing that shows. Who
// samples takes whole cycles, from rebuild to rebuild: then the shares of the sample are those of
// the run. They are scaled to the measured time of all steps.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/device/device.hpp"
#include "core/observation.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

enum class Region { integrate, exchange, bin, reorder, prepare, force, end };

class Profiler {
 public:
  /// Steps between this and the next call are timed as a whole.
  void start() { started_ = std::chrono::steady_clock::now(); }

  /// To mark a sample costs time, as it cannot have forces and move in one kernel: least where
  /// nothing is launched.
  static constexpr std::int64_t one_in = emulates_blocks ? 8 : 64;
  static constexpr int first_samples = 2;

  /// Of units, or of cycles, one after the other: whether the next is to be a sample. One in
  /// `one_in`, and the `first_samples` whole ones. What stood in for a whole one counts no more
  /// where there is one; nor does the first of these where there is a second, as it had kernels to
  /// load.
  bool is_next_a_sample(bool whole = true) {
    const bool supersedes = whole && whole_samples_ < first_samples;
    ++passed_;
    if (passed_ < next_sample_ && !supersedes) return false;
    if (supersedes) {
      forget();
      ++whole_samples_;
    }
    next_sample_ = passed_ + one_in;
    return true;
  }
  /// Of what is not like the others: whether there is nothing else to tell the time by.
  bool lacks_samples() const { return next_sample_ == 0; }

  /// What follows is a sample, or is none.
  void sample() { sampling_ = used_ < most_marks; }
  void pause() { sampling_ = false; }
  void sample_if(bool is_sample) { is_sample ? sample() : pause(); }
  bool sampling() const { return sampling_; }

  /// What follows on the stream belongs to `region`.
  void begin(Region region, Stream& stream) {
    if (!sampling_) return;
    if (used_ == marks_.size()) marks_.push_back(std::make_unique<Mark>());
    marks_[used_]->region = region;
    marks_[used_]->event.record(stream);
    ++used_;
  }

  /// Waits for the stream, adds up what the marks say.
  void stop(Stream& stream) {
    stream.synchronize();
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    for (std::size_t k = 0; k + 1 < used_; ++k) {
      if (marks_[k]->region == Region::end) continue;
      sampled_[static_cast<std::size_t>(marks_[k]->region)] +=
          marks_[k + 1]->event.seconds_since(marks_[k]->event);
    }
    used_ = 0;
  }

  RegionSeconds seconds() const {
    double total = 0.0;
    for (const double s : sampled_) total += s;
    const double scale = total > 0.0 ? seconds_ / total : 0.0;
    const auto of = [this, scale](Region r) {
      return scale * sampled_[static_cast<std::size_t>(r)];
    };
    RegionSeconds result;
    result.integrate = of(Region::integrate);
    result.exchange = of(Region::exchange);
    result.bin = of(Region::bin);
    result.reorder = of(Region::reorder);
    result.prepare = of(Region::prepare);
    result.force = of(Region::force);
    return result;
  }

 private:
  struct Mark {
    Region region = Region::end;
    Event event;
  };

  static constexpr std::size_t most_marks = 4096;  // between two waits

  void forget() {
    used_ = 0;
    sampled_.fill(0.0);
  }

  bool sampling_ = false;
  int whole_samples_ = 0;  ///< that superseded others
  std::int64_t passed_ = 0, next_sample_ = 0;
  std::vector<std::unique_ptr<Mark>> marks_;
  std::size_t used_ = 0;
  std::array<double, static_cast<std::size_t>(Region::end)> sampled_{};
  double seconds_ = 0.0;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
