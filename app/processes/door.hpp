// The way from a terminal to the first rank, past the launcher that has started it: the program
// that waits hands its own standard input, output and error over, and learns which process it is.
// So a table and a progress line look as on one rank, and a signal reaches the run.
#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

namespace pencilbox {

/// Of who waits. Only processes of the same user get in.
class Door {
 public:
  /// Throws SystemError.
  Door();
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// NAME=VALUE for the environment of who shall find it.
  const std::string& setting() const { return setting_; }
  /// Readable when somebody is there.
  int descriptor() const { return listener_; }

  /// Lets one in: its process; nothing where it was nobody who may.
  std::optional<pid_t> let_in();

  /// Whether who was let in has said, before its end, that everything is said.
  bool is_all_said() const;

 private:
  int listener_ = -1;
  int guest_ = -1;
  std::string setting_;
};

/// In the first rank, where a door is: takes over what is behind it.
void pass_door();

/// Everything is said that a person has to know of this command's end.
void say_goodbye();

}  // namespace pencilbox
