// When a run ends before its last step: a signal, or the time it was given.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace pencilbox {

struct StopReason {
  std::string text;  ///< "SIGTERM", "--wall-time 2h"
  int exit_code = 0;
};

/// While it lives, SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGPIPE and SIGUSR1 do not end the process but
/// are asked for between batches of steps. A second SIGINT ends it at once. During set-up, when
/// nothing is written yet that could be lost, all but SIGUSR1 end it at once, in words.
class Stopping {
 public:
  /// `wall_time` as typed, or empty: "90", "90s", "1.5h"; seconds, minutes, hours or days from now
  /// on. Throws InputError if it is none.
  explicit Stopping(const std::string& wall_time);
  ~Stopping();
  Stopping(const Stopping&) = delete;
  Stopping& operator=(const Stopping&) = delete;

  /// From here on there is something to save.
  void end_set_up() const;

  /// Why to stop now, or nothing.
  std::optional<StopReason> reason() const;

 private:
  std::string wall_time_;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::time_point::max();
};

/// Whether a Stopping has noted a signal.
bool a_signal_was_caught();

/// Seconds, from text such as "2h". Throws InputError.
double parse_wall_time(const std::string& text);

}  // namespace pencilbox
