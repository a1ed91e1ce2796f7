// The progress line on a real terminal (a pty) and in a pipe, with a clock that the test turns.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io/output/progress.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

/// Two ends: what is written to `in` can be read.
class Channel {
 public:
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() {
    ::close(in_);
    ::close(out_);
  }
  int in() const { return in_; }

  /// Everything that was written so far.
  std::string read_all() const {
    std::string text;
    pollfd ready{out_, POLLIN, 0};
    while (::poll(&ready, 1, 20) == 1 && (ready.revents & POLLIN) != 0) {
      std::array<char, 4096> buffer;
      const ssize_t size = ::read(out_, buffer.data(), buffer.size());
      if (size <= 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

 protected:
  Channel() = default;
  int in_ = -1, out_ = -1;
};

struct Pipe : Channel {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    out_ = ends[0];
    in_ = ends[1];
  }
};

struct Pty : Channel {
  explicit Pty(unsigned short width) {
    out_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    EXPECT_GE(out_, 0);
    EXPECT_EQ(::grantpt(out_), 0);
    EXPECT_EQ(::unlockpt(out_), 0);
    in_ = ::open(::ptsname(out_), O_RDWR | O_NOCTTY);
    EXPECT_GE(in_, 0);
    resize(width);
  }
  void resize(unsigned short width) const {
    const winsize size{24, width, 0, 0};
    EXPECT_EQ(::ioctl(in_, TIOCSWINSZ, &size), 0);
  }
};

/// A run of 1000 steps of 2,000,000 particles, 10 steps a second.
struct TimedRun {
  TimedRun(const Channel& channel, ProgressStyle style)
      : progress(channel.in(), style, 0, 1000, 2000000, [this] { return now; }) {}
  void step_to(std::int64_t step) {
    now = static_cast<double>(step) / 10.0;
    progress.update(step);
  }

  double now = 0.0;
  Progress progress;
};

class WithTerm : public ::testing::Test {
 protected:
  void SetUp() override { setenv("TERM", "xterm", 1); }
};

TEST_F(WithTerm, KnowsATerminal) {
  const Pipe pipe;
  const Pty pty(80);
  EXPECT_EQ(progress_style(pty.in(), false), ProgressStyle::terminal);
  EXPECT_EQ(progress_style(pipe.in(), false), ProgressStyle::plain);
  EXPECT_EQ(progress_style(pty.in(), true), ProgressStyle::silent);
  setenv("TERM", "dumb", 1);
  EXPECT_EQ(progress_style(pty.in(), false), ProgressStyle::plain);
}

TEST(Progress, RewritesOneLineOnATerminal) {
  const Pty pty(100);
  {
    TimedRun run(pty, ProgressStyle::terminal);
    for (std::int64_t step = 1; step <= 100; ++step) run.step_to(step);  // 10 seconds
  }
  const std::string text = pty.read_all();
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const std::size_t updates = occurrences(text, "\r\033[Kstep ");
  EXPECT_GE(updates, 30U);
  EXPECT_LE(updates, 51U) << "more than 5 a second";
  EXPECT_NE(text.find("step 99/1000 9%  10 steps/s  20 Matom-steps/s  1m30s left"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << "the line stays behind";
}

TEST(Progress, FitsTheWidthOfTheTerminal) {
  for (const unsigned short width : std::initializer_list<unsigned short>{10, 33, 60}) {
    const Pty pty(width);
    {
      TimedRun run(pty, ProgressStyle::terminal);
      run.step_to(500);
    }
    const std::string text = pty.read_all();
    const std::size_t start = text.find("\033[K") + 3;
    const std::size_t length = text.find('\r', start) - start;
    EXPECT_GT(length, 0U);
    EXPECT_LT(length, width);
  }
}

TEST(Progress, IsClearedForATableRowAndComesBackAtOnce) {
  const Pty pty(100);
  TimedRun run(pty, ProgressStyle::terminal);
  run.step_to(10);
  pty.read_all();
  run.progress.clear();
  EXPECT_EQ(pty.read_all(), "\r\033[K");
  run.progress.clear();
  EXPECT_EQ(pty.read_all(), "") << "there is nothing to clear";
  run.progress.update(10);
  EXPECT_NE(pty.read_all().find("step 10/1000"), std::string::npos);
}

TEST(Progress, WritesFewPlainLinesInAPipe) {
  const Pipe pipe;
  {
    TimedRun run(pipe, ProgressStyle::plain);
    for (std::int64_t step = 1; step <= 1000; ++step) run.step_to(step);  // 100 seconds
  }
  const std::string text = pipe.read_all();
  EXPECT_EQ(occurrences(text, "\n"), 10U) << text;
  EXPECT_EQ(std::count_if(text.begin(), text.end(),
                          [](unsigned char c) { return c != '\n' && (c < 32 || c > 126); }),
            0);
  EXPECT_TRUE(text.starts_with("step 100/1000 10%  10 steps/s  20 Matom-steps/s  1m30s left\n"))
      << text;
}

TEST(Progress, GivesASignOfLifeInALongRunAndNoneInAShortOne) {
  const Pipe pipe;
  double now = 0.0;
  Progress longer(pipe.in(), ProgressStyle::plain, 0, 1000000, 10, [&] { return now; });
  for (; now < 59.0; now += 1.0) longer.update(static_cast<std::int64_t>(now));
  EXPECT_EQ(pipe.read_all(), "");
  for (; now < 125.0; now += 1.0) longer.update(static_cast<std::int64_t>(now));
  EXPECT_EQ(occurrences(pipe.read_all(), "\n"), 2U);

  now = 0.0;
  Progress shorter(pipe.in(), ProgressStyle::plain, 0, 9, 10, [&] { return now; });
  for (; now < 9.5; now += 1.0) shorter.update(static_cast<std::int64_t>(now));
  EXPECT_EQ(pipe.read_all(), "");
}

TEST(Progress, CountsARateFromTheStepItStartedAt) {
  const Pipe pipe;
  double now = 0.0;
  Progress progress(pipe.in(), ProgressStyle::plain, 1000, 2000, 1000000, [&] { return now; });
  now = 20.0;
  progress.update(1200);
  EXPECT_EQ(pipe.read_all(), "step 1200/2000 20%  10 steps/s  10 Matom-steps/s  1m20s left\n");
}

TEST(Progress, SaysNothingWhenQuiet) {
  const Pty pty(80);
  {
    TimedRun run(pty, ProgressStyle::silent);
    for (std::int64_t step = 1; step <= 1000; ++step) run.step_to(step);
  }
  EXPECT_EQ(pty.read_all(), "");
}

}  // namespace
}  // namespace pencilbox::testing
