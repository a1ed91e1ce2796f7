// Other programs that a command runs, and a display for those that draw. None outlives the command,
// however that ends.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace pencilbox {

/// A running program of PATH, ended with the object.
class ChildProcess {
 public:
  /// `words` are its name and arguments, `setting` is NAME=VALUE for its environment or empty, what
  /// it says goes to `log`. It keeps the descriptor `inherited` (-1: none). Throws SystemError.
  ChildProcess(const std::vector<std::string>& words, const std::filesystem::path& log,
               const std::string& setting = {}, int inherited = -1);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits for its end: its exit status, or 128 and the signal.
  int wait();

 private:
  pid_t child_ = -1;
};

/// An X server without a screen. It says itself when it is ready and by which number: under load
/// that takes longer than any time that one could wait blindly. And it does not reset itself when
/// its last client leaves: ParaView connects several times, and is refused during a reset.
class VirtualDisplay {
 public:
  /// Starts Xvfb, its words to `log`, and waits until it is ready. Throws SystemError with what it
  /// said if it ends or is not ready within a minute.
  explicit VirtualDisplay(const std::filesystem::path& log);

  /// ":99"
  const std::string& name() const { return name_; }

 private:
  class Pipe;
  VirtualDisplay(const std::filesystem::path& log, const Pipe& pipe);

  ChildProcess server_;
  std::string name_;
};

/// The line of a program's words that says why it failed: the last one that names an error, else
/// the last one that is not the shell's "Aborted".
std::string cause_in(const std::filesystem::path& log);

}  // namespace pencilbox
