// Who has started this process: a launcher of several, or somebody who wants only this one.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace pencilbox {

struct Launch {
  std::string launcher;  ///< the variable that says so
  int processes = 1;
};

/// The value of an environment variable; null where it is not set.
using Environment = std::function<const char*(const char* name)>;

/// What mpirun, srun or flux run say of the processes that they have started together; nothing
/// where nobody says so, or one process is all. Throws InputError where a launcher has started
/// several that cannot know of each other.
std::optional<Launch> launch_of(const Environment& environment);

}  // namespace pencilbox
