// Errors, by what the user can do about them. Each kind has its exit code; app/main.cpp is the only
// place that prints one and exits.
#pragma once

#include <stdexcept>
#include <string>

namespace pencilbox {

/// Exit codes of the program.
enum class ExitCode : int {
  done = 0,
  bad_input = 2,
  physics_failed = 3,
  system_failed = 4,
};

/// Something the user wrote is wrong: a deck, a file, an option. `what()` is the one line to print:
/// "file:line: key: what is wrong, got X, allowed Y".
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A back end cannot run a problem; `what()` is the reason alone, for the caller to say which deck.
class BackendRefusal : public InputError {
 public:
  using InputError::InputError;
};

/// The simulation left the physical: a non-finite coordinate, a lost particle. `what()` names the
/// step and the particle.
class PhysicsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The machine refused: device, memory or disk. `what()` carries the machine's own text.
class SystemError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pencilbox
