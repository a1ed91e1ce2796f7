// How much memory there is to be had: a control group's limit, or a machine that is full, ends a
// process without a word. So whoever is about to take much asks first.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.hpp"

namespace pencilbox {

struct MemoryLeft {
  std::int64_t bytes = 0;
  std::string where;  ///< "the control group /batch/job-7", "this machine"
};

/// Says how much is needed, and who has how much left.
class NotEnoughMemory : public SystemError {
 public:
  using SystemError::SystemError;
};

/// What the control group of this process (versions 1 and 2) and the machine have left, whichever
/// is less. `root` holds proc and sys. What cannot be read limits nothing.
MemoryLeft memory_left(const std::string& root = "/");

/// Throws NotEnoughMemory if `bytes` more are not to be had.
void require_memory(std::int64_t bytes, const MemoryLeft& left);

/// The same of what is left now; of less than a megabyte nobody is asked.
void require_memory(std::int64_t bytes);

/// What so many particles take as a StartState.
std::int64_t bytes_of_start(std::int64_t particles);

}  // namespace pencilbox
