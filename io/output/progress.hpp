// How far a run is, in one line: rewritten in place on a terminal, now and then a plain line where
// the output is a pipe, a file or a CI log.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace pencilbox {

enum class ProgressStyle {
  silent,
  terminal,  ///< one line, rewritten at most 5 times a second, cut to the width
  plain,     ///< a line when 10 s and 10 % have passed since the last, or a minute
};

/// Silent if `quiet`; else by isatty(descriptor), and plain on TERM=dumb.
ProgressStyle progress_style(int descriptor, bool quiet);

class Progress {
 public:
  /// Seconds since any fixed moment.
  using Clock = std::function<double()>;

  /// Writes to `descriptor` (2 is stderr). The run goes from `first_step` to `last_step` with
  /// `particles` particles; the clock starts now. Nobody is told when the line cannot be written:
  /// it is not worth a run.
  Progress(int descriptor, ProgressStyle style, std::int64_t first_step, std::int64_t last_step,
           std::int64_t particles, Clock clock = steady_seconds);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The run has done `step`. Cheap: call it as often as you like.
  void update(std::int64_t step);

  /// Takes the line off the terminal, so that something else can be printed; the next update puts
  /// it back.
  void clear();

  /// Seconds of std::chrono::steady_clock.
  static double steady_seconds();

 private:
  std::string line(std::int64_t step, double seconds) const;
  bool due(std::int64_t step, double now) const;
  void write(const std::string& text) const;

  int descriptor_;
  ProgressStyle style_;
  std::int64_t first_step_, last_step_, particles_;
  Clock clock_;
  double start_, last_shown_;
  std::int64_t last_step_shown_;
  bool visible_ = false;
};

}  // namespace pencilbox
