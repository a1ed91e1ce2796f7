// Whether the host can have the threads that it is to run on, and what each has to itself.
#pragma once

#include <cstdint>

namespace pencilbox::host {

/// Throws InputError where OMP_NUM_THREADS asks for more than any machine of this size could use,
/// and SystemError where the system does not start them: OpenMP itself would end the program.
void require_startable_threads();

/// Takes this process's part of the cores that it and others of this machine have together, unless
/// OMP_NUM_THREADS says how many it is to have.
void share_cores(int processes);

/// Of a core, for data [bytes]; 0 where the system does not say.
std::int64_t nearest_memory();

}  // namespace pencilbox::host
