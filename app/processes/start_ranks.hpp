// Starting a command on several ranks of this machine.
#pragma once

#include <string>
#include <vector>

namespace pencilbox {

/// Has mpirun start the program so many times with these arguments (without the program's name),
/// waits for the end and returns the exit code. The first rank has this process's terminal, and
/// gets the signals that this process gets. Where a rank was killed, all end, and SystemError says
/// which one it was.
int start_ranks(int ranks, const std::vector<std::string>& arguments);

}  // namespace pencilbox
