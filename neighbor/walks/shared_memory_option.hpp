// The option of back ends whose published limit of shared memory is 48 KB a block.
#pragma once

#include <algorithm>
#include <cstdint>

#include "neighbor/problem.hpp"

namespace pencilbox {

inline OptionInfo shared_memory_option() {
  return {"shared_memory",
          "paper",
          "of a block; paper: 48 KB, device: all that the device gives on request",
          {"paper", "device"}};
}

inline std::int64_t shared_memory_limit(const Problem& problem, const BackendOptions& options) {
  constexpr std::int64_t paper_bytes = 48 * 1024;
  const std::int64_t most = problem.device.shared_bytes_opt_in;
  return options.at("shared_memory") == "device" ? most : std::min(paper_bytes, most);
}

}  // namespace pencilbox
