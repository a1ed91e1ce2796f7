#include "app/commands/standard_descriptors.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "core/error.hpp"

namespace pencilbox {

void open_closed_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest number that is free, so this one: those below are open by now.
    if (::open("/dev/null", O_RDWR) != descriptor) {
      ::_exit(static_cast<int>(ExitCode::system_failed));
    }
  }
}

}  // namespace pencilbox
