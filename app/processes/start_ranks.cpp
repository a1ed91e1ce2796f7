#include "app/processes/start_ranks.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/processes/door.hpp"
#include "app/processes/mpi_post.hpp"
#include "app/processes/system_error.hpp"
#include "core/error.hpp"

namespace pencilbox {
namespace {

constexpr const char* launcher = "mpirun";
constexpr int no_launcher = 127;
constexpr long most_ranks_a_core = 4;
constexpr std::array passed_on{SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1};

/// Signals come as something to read, while it lives.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGCHLD);
    for (const int number : passed_on) {
      struct sigaction now {};
      ::sigaction(number, nullptr, &now);
      if (now.sa_handler != SIG_IGN) sigaddset(&set_, number);  // as nohup has it
    }
    ::sigprocmask(SIG_BLOCK, &set_, &before_);
    descriptor_ = ::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) throw_system_error("cannot wait for signals");
  }
  ~Signals() {
    ::close(descriptor_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int descriptor() const { return descriptor_; }
  const sigset_t& before() const { return before_; }

  /// The next one; nothing where none is left.
  std::optional<int> next() const {
    signalfd_siginfo info{};
    if (::read(descriptor_, &info, sizeof(info)) != sizeof(info)) return {};
    return static_cast<int>(info.ssi_signo);
  }

 private:
  sigset_t set_{}, before_{};
  int descriptor_ = -1;
};

std::vector<std::string> command_of(int ranks, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{launcher, "-n", std::to_string(ranks)};
  if (is_open_mpi()) {
    // Ranks share cores as threads do: how many of these each has is said to it.
    for (const char* word : {"--oversubscribe", "--bind-to", "none"}) words.emplace_back(word);
    if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
  }
  words.emplace_back("/proc/self/exe");
  std::array<char, 4096> program{};
  const ssize_t length = ::readlink(words.back().c_str(), program.data(), program.size());
  if (length > 0) words.back() = {program.data(), static_cast<std::size_t>(length)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

/// mpirun, with what it and the ranks behind the first one say.
class Launcher {
 public:
  Launcher(std::vector<std::string> words, std::string setting, const Signals& signals) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw_system_error("cannot make a pipe");
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0) throw_system_error("cannot start mpirun");
    if (process_ == 0) become(arguments.data(), setting.data(), pipe[1], signals, parent);
    ::close(pipe[1]);
    words_ = pipe[0];
  }
  ~Launcher() {
    if (is_running()) {
      ::kill(process_, SIGTERM);
      wait();
    }
    ::close(words_);
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  int descriptor() const { return words_; }
  void end() const { ::kill(process_, SIGTERM); }
  const std::string& said() const { return said_; }
  bool is_running() const { return process_ > 0; }

  /// False at the end of it.
  bool read() {
    std::array<char, 4096> bytes{};
    const ssize_t length = ::read(words_, bytes.data(), bytes.size());
    if (length > 0) said_.append(bytes.data(), static_cast<std::size_t>(length));
    return length > 0 || (length < 0 && errno == EINTR);
  }

  /// Its exit code, or 128 and the signal that ended it.
  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  /// In the child, between fork and exec: only what is safe there.
  [[noreturn]] static void become(char* const* arguments, char* setting, int words,
                                  const Signals& signals, pid_t parent) {
    ::setpgid(0, 0);  // a terminal's Ctrl-C is for who waits, who passes it on
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(no_launcher);
    ::sigprocmask(SIG_SETMASK, &signals.before(), nullptr);
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (nothing < 0) ::_exit(no_launcher);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(words, STDOUT_FILENO);
    ::dup2(words, STDERR_FILENO);
    ::putenv(setting);
    ::execvp(arguments[0], arguments);
    ::_exit(no_launcher);
  }

  pid_t process_ = -1;
  int words_ = -1;
  std::string said_;
};

/// mpirun knows it at best as 0: "rank 2 with PID 0 on node17 exited".
std::string without_process_number(std::string text) {
  constexpr std::string_view with = " with PID ";
  const auto at = text.find(with);
  if (at == text.npos) return text;
  return text.erase(at, text.find(' ', at + with.size()) - at);
}

/// What a rank has said of its own end, or what mpirun has seen of it.
std::string cause_of(const std::string& said) {
  constexpr std::string_view ours = "pencilbox: ", seen = "process rank ", rank = "rank ";
  std::istringstream lines(said);
  std::string killed, first;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(ours)) return line.substr(ours.size());
    if (const auto at = line.find(seen); at != line.npos && killed.empty()) {
      killed = without_process_number(line.substr(at + seen.size() - rank.size()));
    }
    if (first.empty() && line.find_first_not_of("- \t") != line.npos) first = line;
  }
  if (!killed.empty()) return killed;
  return first.empty() ? "MPI's launcher says nothing" : first;
}

/// Waits until the launcher has ended, and passes signals on to the first rank.
int attend(Launcher& mpirun, Door& door, const Signals& signals) {
  std::optional<pid_t> first_rank;
  const auto pass_on = [&](int number) {
    if (number == SIGCHLD) return;
    if (first_rank) {
      ::kill(*first_rank, number);
    } else if (number != SIGUSR1) {
      mpirun.end();
    }
  };
  std::array<pollfd, 3> sources{{{door.descriptor(), POLLIN, 0},
                                 {mpirun.descriptor(), POLLIN, 0},
                                 {signals.descriptor(), POLLIN, 0}}};
  for (bool goes_on = true; goes_on;) {
    if (::poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR)
      throw_system_error("cannot wait");
    if (sources[0].revents != 0 && !first_rank) {
      first_rank = door.let_in();
      if (first_rank) sources[0].fd = -1;  // nobody else is awaited
    }
    while (const auto number = signals.next()) pass_on(*number);
    if (sources[1].revents != 0) goes_on = mpirun.read();
  }
  return mpirun.wait();
}

}  // namespace

int start_ranks(int ranks, const std::vector<std::string>& arguments) {
  const long most = most_ranks_a_core * ::sysconf(_SC_NPROCESSORS_ONLN);
  if (ranks > most) {
    throw InputError(
        fmt::format("--ranks: more than this machine can start, got {}, allowed 1 to "
                    "{} here, or mpirun on several machines",
                    ranks, most));
  }
  Door door;
  const Signals signals;
  Launcher mpirun(command_of(ranks, arguments), door.setting(), signals);
  const int code = attend(mpirun, door, signals);
  if (code == no_launcher) {
    throw SystemError(
        "--ranks: mpirun cannot be started, allowed: where MPI's launcher is in PATH");
  }
  if (code != 0 && !door.is_all_said()) {
    throw SystemError(fmt::format("the ranks were ended: {}", cause_of(mpirun.said())));
  }
  return code;
}

}  // namespace pencilbox
