#include "app/commands/stopping.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <string_view>

#include <unistd.h>

#include "core/error.hpp"
#include "io/input/complaint.hpp"

namespace pencilbox {

namespace {

struct StopSignal {
  int number;
  const char* name;
  int exit_code;
};

// 128 + the number is what a shell shows of a process that a signal has ended.
constexpr std::array<StopSignal, 6> stop_signals{{{SIGINT, "SIGINT", 128 + SIGINT},
                                                  {SIGTERM, "SIGTERM", 128 + SIGTERM},
                                                  {SIGHUP, "SIGHUP", 128 + SIGHUP},
                                                  {SIGXCPU, "SIGXCPU", 128 + SIGXCPU},
                                                  {SIGPIPE, "SIGPIPE", 128 + SIGPIPE},
                                                  {SIGUSR1, "SIGUSR1", 0}}};

std::atomic<int> caught{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait");

std::atomic<bool> sets_up{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait");

constexpr std::string_view stopped_in_set_up =
    "pencilbox: stopped by a signal during set-up, nothing was written\n";

/// Only what is safe in a handler. Who asks for a checkpoint by SIGUSR1 gets one, if of step 0.
extern "C" void catch_signal(int number) {
  if (sets_up && number != SIGUSR1) {
    const ssize_t ignored =
        ::write(STDERR_FILENO, stopped_in_set_up.data(), stopped_in_set_up.size());
    (void)ignored;
    ::_exit(128 + number);
  }
  caught = number;
}

void handle(const StopSignal& signal) {
  struct sigaction before {};
  sigaction(signal.number, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;  // so that nohup and a shell's background jobs work
  struct sigaction action {};
  action.sa_handler = catch_signal;
  // No call of the system is cut short; and the second SIGINT finds its own effect again.
  action.sa_flags = SA_RESTART | (signal.number == SIGINT ? SA_RESETHAND : 0);
  sigaction(signal.number, &action, nullptr);
}

void stop_handling(const StopSignal& signal) {
  struct sigaction now {};
  sigaction(signal.number, nullptr, &now);
  if (now.sa_handler == catch_signal) std::signal(signal.number, SIG_DFL);
}

double seconds_in(std::string_view unit) {
  if (unit.empty() || unit == "s") return 1.0;
  if (unit == "m") return 60.0;
  if (unit == "h") return 3600.0;
  if (unit == "d") return 86400.0;
  return 0.0;
}

}  // namespace

bool a_signal_was_caught() { return caught != 0; }

double parse_wall_time(const std::string& text) {
  constexpr double longest = 1e9;  // seconds, 30 years
  double number = 0.0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  const std::string_view unit(end, static_cast<std::size_t>(last - end));
  const double seconds = error == std::errc{} ? number * seconds_in(unit) : 0.0;
  if (!(seconds > 0.0 && seconds <= longest)) {
    complain("--wall-time", "not a length of time", text,
             "a number above 0 with s, m, h or d behind it (seconds without), such as 2h");
  }
  return seconds;
}

Stopping::Stopping(const std::string& wall_time) : wall_time_(wall_time) {
  using Clock = std::chrono::steady_clock;
  if (!wall_time.empty()) {
    const std::chrono::duration<double> seconds(parse_wall_time(wall_time));
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
  }
  caught = 0;
  sets_up = true;
  for (const StopSignal& signal : stop_signals) handle(signal);
}

Stopping::~Stopping() {
  for (const StopSignal& signal : stop_signals) stop_handling(signal);
}

void Stopping::end_set_up() const { sets_up = false; }

std::optional<StopReason> Stopping::reason() const {
  const int number = caught;
  for (const StopSignal& signal : stop_signals) {
    if (signal.number == number) return StopReason{signal.name, signal.exit_code};
  }
  if (std::chrono::steady_clock::now() >= end_) return StopReason{"--wall-time " + wall_time_, 0};
  return {};
}

}  // namespace pencilbox
