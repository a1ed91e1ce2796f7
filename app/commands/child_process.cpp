#include "app/commands/child_process.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"

namespace pencilbox {
namespace {

constexpr int cannot_start = 127;

/// In the child, between fork and exec: only what is safe there.
[[noreturn]] void become(char* const* arguments, const char* log, char* setting, int inherited,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(cannot_start);  // it ended before that was said
  const int nothing = ::open("/dev/null", O_RDONLY);
  const int words = ::open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (nothing < 0 || words < 0) ::_exit(cannot_start);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(words, STDOUT_FILENO);
  ::dup2(words, STDERR_FILENO);
  if (inherited >= 0) ::fcntl(inherited, F_SETFD, 0);
  if (setting != nullptr) ::putenv(setting);
  ::execvp(arguments[0], arguments);
  ::_exit(cannot_start);
}

bool is_remark_of_the_shell(std::string_view line) {
  constexpr std::array<std::string_view, 4> remarks{"Aborted", "Segmentation fault", "Killed",
                                                    "Terminated"};
  return std::any_of(remarks.begin(), remarks.end(),
                     [line](std::string_view remark) { return line.starts_with(remark); });
}

/// As Python's exceptions and ParaView's log do it.
bool names_an_error(std::string_view line) {
  return line.find("ERR|") != std::string_view::npos ||
         line.find("Error") != std::string_view::npos;
}

/// Without the terminal's codes, which end in a letter.
std::string without_colours(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\033') {
      while (i < line.size() && std::isalpha(static_cast<unsigned char>(line[i])) == 0) ++i;
    } else {
      plain += line[i];
    }
  }
  return plain;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const std::filesystem::path& log,
                           const std::string& setting, int inherited) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  char* variable = setting.empty() ? nullptr : const_cast<char*>(setting.c_str());
  child_ = ::fork();
  if (child_ == 0) become(arguments.data(), log.c_str(), variable, inherited, parent);
  if (child_ < 0) {
    throw SystemError(
        fmt::format("cannot start {}: {}", words[0], std::generic_category().message(errno)));
  }
}

ChildProcess::~ChildProcess() {
  if (child_ < 0) return;
  ::kill(child_, SIGTERM);
  wait();
}

int ChildProcess::wait() {
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class VirtualDisplay::Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw SystemError("view: cannot make a pipe");
  }
  ~Pipe() {
    ::close(ends_[0]);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int writer() const { return ends_[1]; }

  /// A line, or what came until the other side ended or `limit` was over.
  std::string line(std::chrono::seconds limit) const {
    close_writer();  // so that the end of the other side is seen
    const auto end = std::chrono::steady_clock::now() + limit;
    std::string text;
    while (text.find('\n') == std::string::npos) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      pollfd reader{ends_[0], POLLIN, 0};
      if (left.count() <= 0) break;
      const int ready = ::poll(&reader, 1, static_cast<int>(left.count()));
      if (ready < 0 && errno == EINTR) continue;
      char letter = 0;
      if (ready <= 0 || ::read(ends_[0], &letter, 1) != 1) break;
      text += letter;
    }
    return text;
  }

 private:
  void close_writer() const {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

  mutable std::array<int, 2> ends_{-1, -1};
};

VirtualDisplay::VirtualDisplay(const std::filesystem::path& log) : VirtualDisplay(log, Pipe()) {}

VirtualDisplay::VirtualDisplay(const std::filesystem::path& log, const Pipe& pipe)
    : server_({"Xvfb", "-displayfd", std::to_string(pipe.writer()), "-screen", "0", "1280x1024x24",
               "-nolisten", "tcp", "-noreset"},
              log, {}, pipe.writer()) {
  const std::string line = pipe.line(std::chrono::seconds(60));
  if (line.empty() || line.back() != '\n') {
    throw SystemError(
        fmt::format("view: the X server Xvfb does not become ready: {}", cause_in(log)));
  }
  name_ = ":" + line.substr(0, line.size() - 1);
}

std::string cause_in(const std::filesystem::path& log) {
  std::ifstream file(log);
  std::string last, error;
  for (std::string line; std::getline(file, line);) {
    line = without_colours(line);
    const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
    if (blank || is_remark_of_the_shell(line)) continue;
    last = line;
    if (names_an_error(line)) error = line;
  }
  if (!error.empty()) return error;
  return last.empty() ? "it says nothing" : last;
}

}  // namespace pencilbox
