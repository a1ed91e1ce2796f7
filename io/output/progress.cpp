#include "io/output/progress.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "io/output/terminal.hpp"

namespace pencilbox {
namespace {

constexpr double terminal_interval = 0.2;    // s
constexpr double plain_interval = 10.0;      // s
constexpr double plain_longest_wait = 60.0;  // s
constexpr double plain_fraction = 0.1;       // of the run
constexpr std::string_view erase_line = "\r\033[K";

/// 75 -> "1m15s", 7500 -> "2h05m".
std::string duration(double seconds) {
  constexpr double longest = 8.64e9;  // a hundred thousand days
  if (!(seconds < longest)) return "?";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{}h{:02}m", whole / 3600, whole % 3600 / 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole % 86400 / 3600);
}

}  // namespace

ProgressStyle progress_style(int descriptor, bool quiet) {
  if (quiet) return ProgressStyle::silent;
  return is_terminal(descriptor) ? ProgressStyle::terminal : ProgressStyle::plain;
}

double Progress::steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Progress::Progress(int descriptor, ProgressStyle style, std::int64_t first_step,
                   std::int64_t last_step, std::int64_t particles, Clock clock)
    : descriptor_(descriptor),
      style_(style),
      first_step_(first_step),
      last_step_(last_step),
      particles_(particles),
      clock_(std::move(clock)),
      start_(clock_()),
      last_shown_(start_),
      last_step_shown_(first_step) {}

Progress::~Progress() { clear(); }

bool Progress::due(std::int64_t step, double now) const {
  const double waited = now - last_shown_;
  if (style_ == ProgressStyle::terminal) return waited >= terminal_interval || !visible_;
  const double gained = static_cast<double>(step - last_step_shown_) /
                        static_cast<double>(std::max<std::int64_t>(last_step_ - first_step_, 1));
  return waited >= plain_longest_wait || (waited >= plain_interval && gained >= plain_fraction);
}

void Progress::update(std::int64_t step) {
  if (style_ == ProgressStyle::silent) return;
  const double now = clock_();
  if (!due(step, now)) return;
  const std::string text = line(step, now - start_);
  if (style_ == ProgressStyle::terminal) {
    // A line as wide as the terminal would wrap, and then it cannot be rewritten.
    const std::size_t room = std::max<std::size_t>(terminal_width(descriptor_), 2) - 1;
    write(std::string(erase_line) + text.substr(0, room));
    visible_ = true;
  } else {
    write(text + '\n');
  }
  last_shown_ = now;
  last_step_shown_ = step;
}

std::string Progress::line(std::int64_t step, double seconds) const {
  const auto done = static_cast<double>(step - first_step_);
  const auto all = static_cast<double>(last_step_ - first_step_);
  const double percent = all > 0.0 ? 100.0 * done / all : 100.0;
  std::string text = fmt::format("step {}/{} {:.0f}%", step, last_step_, std::floor(percent));
  if (done > 0.0 && seconds > 0.0) {
    const double rate = done / seconds;
    text +=
        fmt::format("  {:.4g} steps/s  {:.4g} Matom-steps/s  {} left", rate,
                    rate * static_cast<double>(particles_) * 1e-6, duration((all - done) / rate));
  }
  return text;
}

void Progress::clear() {
  if (!visible_) return;
  write(std::string(erase_line));
  visible_ = false;
}

void Progress::write(const std::string& text) const {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace pencilbox
